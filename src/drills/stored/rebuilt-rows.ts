// The rows of a run, rebuilt from its report alone: the prepared start, and every change that the journal has.
//   REBUILT-ROWS-1. Rows are given out only while they are known: the start hashes to what the journal says it did, and each change found
//     what it says it did.
import { canonicalJson } from '../../contract/canonical-json.js';
import type { JsonObject } from '../../contract/json.js';
import type { EvidenceEntry, LifecycleEntry, StateChangeEntry } from '../../contract/world/evidence.js';
import type { StatePatch } from '../../contract/world/scenario.js';
import { compareTexts } from '../../text/compare-texts.js';
import { compareNames } from '../../worlds/kv/space-name.js';
import { namespaceDigest, rowLinePrefix, SpaceDigests, stateDigest } from '../../worlds/state/state-hash.js';
import { deepEqual } from '../judge/compare.js';
import { RowsUnknown, type StateView, type WorldSpace } from '../judge/finding.js';

export class RebuiltRows {
  readonly #start: readonly StatePatch[];
  /** By space, then by row id. */
  readonly #spaces = new Map<string, { space: WorldSpace; rows: Map<string, JsonObject> }>();
  /** Why the rows are not known; undefined while they are. */
  #gap: string | undefined = 'the journal does not say what the world started from';

  constructor(start: readonly StatePatch[]) {
    this.#start = start;
  }

  apply(entry: EvidenceEntry): void {
    if (entry.kind === 'lifecycle') this.#begin(entry);
    else if (entry.kind === 'state_change' && this.#gap === undefined) this.#change(entry);
  }

  /** Whether these are exactly the rows with that hash. */
  confirm(stateHash: string): void {
    if (this.#gap === undefined && this.#stateHash() !== stateHash) this.#gap = 'the rebuilt rows are not those that the run ended with';
  }

  view(): StateView {
    return {
      row: async (space, rowId) => this.#of(space).get(rowId) ?? null,
      eachRow: async (space, callback) => {
        for (const [rowId, value] of [...this.#of(space)].sort(([left], [right]) => compareTexts(left, right))) callback({ rowId, value });
      },
    };
  }

  #of({ packageId, instanceId, namespace }: WorldSpace): Map<string, JsonObject> {
    if (this.#gap !== undefined) throw new RowsUnknown(`The rows cannot be rebuilt from the report: ${this.#gap}.`);
    return this.#space({ packageId, instanceId, namespace });
  }

  #begin({ phase, details }: LifecycleEntry): void {
    if (phase === 'world_forked') this.#gap = 'the world is a fork, whose start lies in the journal of its parent';
    if (phase === 'world_reset') this.#gap = 'the world was reset in part';
    if (phase !== 'world_created') return;
    for (const patch of this.#start) {
      const { packageId, instanceId = packageId, namespace, rowId } = patch;
      const rows = this.#space({ packageId, instanceId, namespace });
      if (patch.action === 'upsert') rows.set(rowId, patch.value);
      else rows.delete(rowId);
    }
    this.#gap = this.#stateHash() === details.stateHash ? undefined : 'the setup in the report is not what the world started from';
  }

  #change({ packageId, instanceId, namespace, rowId, before, after }: StateChangeEntry): void {
    const rows = this.#space({ packageId, instanceId, namespace });
    if (!deepEqual(rows.get(rowId) ?? null, before)) this.#gap = `a change of row ${rowId} found another row than the journal has`;
    if (after === null) rows.delete(rowId);
    else rows.set(rowId, after);
  }

  #space(space: WorldSpace): Map<string, JsonObject> {
    const key = JSON.stringify([space.packageId, space.instanceId, space.namespace]);
    let known = this.#spaces.get(key);
    if (known === undefined) {
      known = { space, rows: new Map() };
      this.#spaces.set(key, known);
    }
    return known.rows;
  }

  /** Bucket by bucket, as a world makes it: the rows need not fit one text. */
  #stateHash(): string {
    const filled = [...this.#spaces.values()].filter(({ rows }) => rows.size > 0);
    const namespaces = filled.map(({ space, rows }) => {
      const digests = new SpaceDigests();
      for (const rowId of rows.keys()) digests.admit(rowId);
      const prefix = rowLinePrefix(space);
      while (digests.rehashOne(prefix, (rowId) => canonicalJson(rows.get(rowId)!)));
      return { ...space, digest: namespaceDigest(digests) };
    });
    return stateDigest(namespaces.sort(compareNames));
  }
}
