// What a run changed in the state, net: each row as it was when the run began against what it is now. A row that is again what it was has
// not changed.
import type { JsonObject } from '../../contract/json.js';
import type { Footprint } from '../../contract/run/assertion.js';
import type { EntryCommon, EvidenceEntry, StateChangeEntry } from '../../contract/world/evidence.js';
import { deepEqual } from './compare.js';

export interface NetChange extends Omit<StateChangeEntry, keyof EntryCommon | 'kind'> {
  /** Of the entry that changed it last. */
  sequence: number;
}

type TouchedRow = Omit<NetChange, 'change'>;

export class NetChanges {
  readonly #scope: readonly Footprint[] | undefined;
  readonly #rows = new Map<string, TouchedRow>();

  /** Of the whole world, or of what lies in one of these. */
  constructor(scope?: readonly Footprint[]) {
    this.#scope = scope;
  }

  observe(entry: EvidenceEntry): void {
    if (entry.kind !== 'state_change' || (this.#scope !== undefined && !liesIn(entry, this.#scope))) return;
    const { packageId, instanceId, namespace, rowId, before, after, sequence } = entry;
    const key = JSON.stringify([packageId, instanceId, namespace, rowId]);
    const touched = this.#rows.get(key);
    if (touched === undefined) this.#rows.set(key, { packageId, instanceId, namespace, rowId, before, after, sequence });
    else Object.assign(touched, { after, sequence });
  }

  /** In the order in which the rows were first touched. */
  list(): NetChange[] {
    return [...this.#rows.values()].flatMap((row) => (deepEqual(row.before, row.after) ? [] : [{ ...row, change: kindOf(row) }]));
  }
}

function kindOf({ before, after }: TouchedRow): NetChange['change'] {
  if (before === null) return 'insert';
  return after === null ? 'delete' : 'update';
}

/** A footprint without an instance, a namespace or a row means every one. */
export function liesIn(
  row: Pick<NetChange, 'packageId' | 'instanceId' | 'namespace' | 'rowId'>,
  footprints: readonly Footprint[],
): boolean {
  return footprints.some(
    ({ packageId, instanceId, namespace, rowId }) =>
      packageId === row.packageId &&
      (instanceId === undefined || instanceId === row.instanceId) &&
      (namespace === undefined || namespace === row.namespace) &&
      (rowId === undefined || rowId === row.rowId),
  );
}

/** Top-level members that are not the same on both sides. */
export function changedMembers({ before, after }: Pick<NetChange, 'before' | 'after'>): string[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...names].filter((name) => {
    const [was, is] = [member(before, name), member(after, name)];
    return was === undefined || is === undefined || !deepEqual(was, is);
  });
}

function member(row: JsonObject | null, name: string) {
  return row !== null && Object.hasOwn(row, name) ? row[name] : undefined;
}

/** `update of payments/charges/ch_1 (status)`. */
export function describeChange(change: NetChange): string {
  const members = change.change === 'update' ? ` (${changedMembers(change).slice(0, 5).join(', ')})` : '';
  return `${change.change} of ${rowName(change)}${members}`;
}

export function rowName({
  packageId,
  instanceId = packageId,
  namespace,
  rowId,
}: {
  packageId: string;
  instanceId?: string;
  namespace: string;
  rowId?: string;
}): string {
  return `${packageId}${instanceId === packageId ? '' : `@${instanceId}`}/${namespace}${rowId === undefined ? '' : `/${rowId}`}`;
}

/** For results: which row, what was done, and the two values. */
export function changeFacts({ sequence: _, ...change }: NetChange): JsonObject {
  return { ...change };
}
