// What of a run has to be known before it is compared, gathered as its entries pass: which entry caused which, and which entry last changed
// each row. Values stay in the journal.
import { hash } from 'node:crypto';
import { canonicalJson } from '../../contract/canonical-json.js';
import type { JsonObject, JsonValue } from '../../contract/json.js';
import type { EvidenceEntry } from '../../contract/world/evidence.js';
import type { StatePatch } from '../../contract/world/scenario.js';
import { withoutTag } from '../../reports/compared-values.js';

export interface RowName {
  packageId: string;
  instanceId: string;
  namespace: string;
  rowId: string;
}
export interface TracedRow {
  name: RowName;
  /** Absent: as the run began. */
  sequence?: number;
  /** Of the row, which world it is in apart; undefined where there is none any more. */
  digest: string | undefined;
}

export class RunTrace {
  readonly #tag: string | undefined;
  readonly #start: readonly StatePatch[] | undefined;
  /** By sequence. */
  readonly #causes: number[] = [];
  readonly #changed = new Map<string, TracedRow>();
  readonly #shared: RunTrace | undefined;
  /** False for a run whose rows do not follow from its start and its journal. */
  #isWhole = true;

  /** `start`: what the run began with. `shared`: of what came before, where both runs have it. */
  constructor({ tag, start, shared }: { tag: string | undefined; start?: readonly StatePatch[] | undefined; shared?: RunTrace }) {
    this.#tag = tag;
    this.#start = start;
    this.#shared = shared;
  }

  observe(entry: EvidenceEntry): void {
    this.#causes[entry.sequence] = causeOf(entry) ?? 0;
    // What a fork or a reset begins with is in no journal of its own.
    if (entry.kind === 'lifecycle' && (entry.phase === 'world_forked' || entry.phase === 'world_reset')) this.#isWhole = false;
    if (entry.kind !== 'state_change') return;
    const { packageId, instanceId, namespace, rowId, sequence, after } = entry;
    const name = { packageId, instanceId, namespace, rowId };
    this.#changed.set(this.#keyOf(name), { name, sequence, digest: after === null ? undefined : this.#digestOf(after) });
  }

  /** 0: nothing in the journal. */
  causeOf(sequence: number): number {
    return this.#causes[sequence] ?? 0;
  }

  /** Whether the rows at the end follow from what it began with and the journal. */
  knowsRows(): boolean {
    return this.#start !== undefined && this.#isWhole && (this.#shared === undefined || this.#shared.#isWhole);
  }
  /** Names, which both runs have, of the rows that it changed after what both share. */
  changedKeys(): Iterable<string> {
    return this.#changed.keys();
  }
  startKeys(): Iterable<string> {
    return this.#startRows().keys();
  }
  /** As it is at the end; undefined where there was none at any time. */
  row(key: string): TracedRow | undefined {
    const changed = this.#changed.get(key) ?? (this.#shared === undefined ? undefined : this.#shared.#changed.get(key));
    if (changed !== undefined) return changed;
    const start = this.#startRows().get(key);
    return start === undefined
      ? undefined
      : { name: start.name, digest: this.#digestOf(JSON.parse(canonicalJson(start.value)) as JsonObject) };
  }
  /** Of a row that is as the run began. */
  startValue(name: RowName): JsonObject | undefined {
    return this.#startRows().get(this.#keyOf(name))?.value;
  }

  #startOnce: Map<string, { name: RowName; value: JsonObject }> | undefined;
  #startRows(): Map<string, { name: RowName; value: JsonObject }> {
    if (this.#startOnce !== undefined) return this.#startOnce;
    const rows = new Map<string, { name: RowName; value: JsonObject }>();
    for (const patch of this.#start ?? []) {
      const { packageId, instanceId = packageId, namespace, rowId } = patch;
      const name = { packageId, instanceId, namespace, rowId };
      if (patch.action === 'upsert') rows.set(this.#keyOf(name), { name, value: patch.value });
      else rows.delete(this.#keyOf(name));
    }
    this.#startOnce = rows;
    return rows;
  }

  #keyOf({ packageId, instanceId, namespace, rowId }: RowName): string {
    return withoutTag(`${packageId}\n${instanceId}\n${namespace}\n${rowId}`, this.#tag);
  }
  #digestOf(value: JsonValue): string {
    return hash('sha256', withoutTag(JSON.stringify(value), this.#tag), 'base64url');
  }
}

/** Said by the entry; without it, the entry that its transaction began with. */
export function causeOf(entry: EvidenceEntry): number | undefined {
  return entry.causeSequence ?? (entry.transactionIndex > 0 ? entry.sequence - entry.transactionIndex : undefined);
}
