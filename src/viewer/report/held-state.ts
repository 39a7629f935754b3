// State at an entry out of what a report holds: the rows of the start, and every change since.
import type { InspectorStateQuery, InspectorStateReply, StateRow } from '../../contract/inspector/journal.js';
import type { JsonObject } from '../../contract/json.js';
import type { EvidenceEntry } from '../../contract/world/evidence.js';
import type { StatePatch } from '../../contract/world/scenario.js';
import type { NamespaceView } from '../../contract/world/world-protocol.js';
import { compareTexts } from '../../text/compare-texts.js';
import { tuning } from '../tuning.js';

interface Place {
  packageId: string;
  instanceId: string;
  namespace: string;
}
interface HeldRow {
  value: JsonObject;
  changedBySequence?: number;
}

export class HeldState {
  readonly #start: readonly StatePatch[];
  readonly #entries: readonly EvidenceEntry[];

  constructor(start: readonly StatePatch[], entries: readonly EvidenceEntry[]) {
    this.#start = start;
    this.#entries = entries;
  }

  namespacesAt(atSequence: number): NamespaceView[] {
    const spaces = [...this.#spacesAt(atSequence).values()];
    const name = ({ packageId, instanceId, namespace }: Place): string => `${packageId} ${instanceId} ${namespace}`;
    return spaces
      .map(({ place, rows }) => ({ ...place, rowCount: rows.size }))
      .sort((left, right) => compareTexts(name(left), name(right)));
  }

  rowsAt(query: InspectorStateQuery, atSequence: number): Omit<InspectorStateReply, 'schemaVersion'> {
    const { packageId, instanceId = packageId, namespace, find = '', afterRowId, limit = tuning.stateRowsAPage } = query;
    const space = this.#spacesAt(atSequence).get(keyOf({ packageId, instanceId, namespace }));
    const rowIds = [...(space?.rows.keys() ?? [])]
      .sort()
      .filter((rowId) => rowId.startsWith(find) && (afterRowId === undefined || rowId > afterRowId));
    const rows = rowIds.slice(0, limit).map((rowId): StateRow => ({ rowId, ...(space?.rows.get(rowId) as HeldRow) }));
    const last = rows.at(-1);
    return { atSequence, rows, ...(rowIds.length > rows.length && last !== undefined ? { nextAfterRowId: last.rowId } : {}) };
  }

  #spacesAt(atSequence: number): Map<string, { place: Place; rows: Map<string, HeldRow> }> {
    const spaces = new Map<string, { place: Place; rows: Map<string, HeldRow> }>();
    const spaceOf = (place: Place) => {
      const known = spaces.get(keyOf(place)) ?? { place, rows: new Map<string, HeldRow>() };
      spaces.set(keyOf(place), known);
      return known.rows;
    };
    for (const patch of this.#start) {
      const { packageId, instanceId = packageId, namespace, rowId } = patch;
      const rows = spaceOf({ packageId, instanceId, namespace });
      if (patch.action === 'upsert') rows.set(rowId, { value: patch.value });
      else rows.delete(rowId);
    }
    for (const entry of this.#entries) {
      if (entry.sequence > atSequence) break;
      if (entry.kind !== 'state_change') continue;
      const { packageId, instanceId, namespace, rowId, after, sequence } = entry;
      const rows = spaceOf({ packageId, instanceId, namespace });
      if (after === null) rows.delete(rowId);
      else rows.set(rowId, { value: after, changedBySequence: sequence });
    }
    return spaces;
  }
}

const keyOf = ({ packageId, instanceId, namespace }: Place): string => JSON.stringify([packageId, instanceId, namespace]);
