// Where a world stands after a stretch of its journal, as a scenario can say it: rows, clock, faults, and what is still to come.
//   RECORDED-WORLD-1. Only the setup and the entries are asked, so a report is enough, and nothing is opened.
import { canonicalJson } from '../../contract/canonical-json.js';
import { defined } from '../../contract/defined.js';
import type { JsonObject } from '../../contract/json.js';
import { clockAfter, type EventEntry, type EvidenceEntry } from '../../contract/world/evidence.js';
import type { FaultSelection, InitialEvent, StatePatch, WorldSetup } from '../../contract/world/scenario.js';
import { causeOf } from '../../reports/story.js';
import type { RowName } from './run-trace.js';

export interface StandingRow {
  name: RowName;
  value: JsonObject;
}

export class RecordedWorld {
  virtualTimeUs: number;
  readonly rows: Map<string, StandingRow>;
  /** Net changes: by row, what it was at the start, if it was there. */
  readonly changed = new Map<string, { name: RowName; before: JsonObject | undefined }>();
  readonly #faults: Map<string, FaultSelection>;
  readonly #pending = new Map<string, InitialEvent>();
  /** By sequence, who called. */
  readonly #callers = new Map<number, Pick<InitialEvent, 'actorId' | 'actorInstanceId'>>();
  readonly #causes = new Map<number, number>();
  readonly #firstActor: string;
  readonly #startUs: number;

  constructor(setup: WorldSetup) {
    this.#startUs = setup.virtualTimeUs;
    this.virtualTimeUs = this.#startUs;
    this.rows = rowsOf(setup.state);
    this.#faults = new Map(setup.faults.map((fault) => [faultKey(fault), fault]));
    this.#firstActor = setup.actors[0]?.id ?? '';
    for (const [index, event] of setup.initialEvents.entries()) this.#pending.set(`initial ${index}`, event);
  }

  apply(entry: EvidenceEntry): void {
    this.virtualTimeUs = clockAfter(this.virtualTimeUs, entry);
    const cause = causeOf(entry);
    if (cause !== undefined) this.#causes.set(entry.sequence, cause);
    switch (entry.kind) {
      case 'operation':
        this.#callers.set(entry.sequence, {
          actorId: entry.actorId,
          ...defined({ actorInstanceId: entry.actorInstanceId }),
        });
        break;
      case 'fault_control':
        if (entry.active) this.#faults.set(faultKey(entry), faultOf(entry));
        else this.#faults.delete(faultKey(entry));
        break;
      case 'event':
        this.#event(entry);
        break;
      case 'state_change': {
        const { packageId, instanceId, namespace, rowId, before, after } = entry;
        const name = { packageId, instanceId, namespace, rowId };
        const key = keyOf(name);
        if (!this.changed.has(key)) this.changed.set(key, { name, before: before ?? undefined });
        if (after === null) this.rows.delete(key);
        else this.rows.set(key, { name, value: after });
        break;
      }
      default:
    }
  }

  faults(): FaultSelection[] {
    return [...this.#faults.values()];
  }
  pending(): InitialEvent[] {
    return [...this.#pending.values()].sort((one, other) => one.atUs - other.atUs);
  }

  #event(entry: EventEntry): void {
    const { phase, event, payload, scheduledEventId, scheduledForUs, sequence } = entry;
    if (phase === 'emitted' || scheduledForUs === undefined) return;
    if (phase === 'scheduled') {
      const reference = { packageId: event.packageId, ...ownInstance(event), eventId: event.eventId };
      this.#pending.set(scheduledEventId ?? `at ${sequence}`, {
        event: reference,
        payload,
        atUs: scheduledForUs,
        ...this.#callerOf(sequence),
      });
      return;
    }
    if (scheduledEventId !== undefined && this.#pending.delete(scheduledEventId)) return;
    // One that the setup began with has only its time and payload.
    const text = canonicalJson(payload);
    for (const [key, initial] of this.#pending) {
      if (!key.startsWith('initial ') || initial.event.eventId !== event.eventId || initial.event.packageId !== event.packageId) continue;
      if (Math.max(initial.atUs, this.#startUs) !== scheduledForUs || canonicalJson(initial.payload) !== text) continue;
      this.#pending.delete(key);
      return;
    }
  }

  /** Who made the call that this follows from. */
  #callerOf(sequence: number): Pick<InitialEvent, 'actorId' | 'actorInstanceId'> {
    for (let at: number | undefined = sequence; at !== undefined; at = this.#causes.get(at)) {
      const caller = this.#callers.get(at);
      if (caller !== undefined) return caller;
    }
    return { actorId: this.#firstActor };
  }
}

export function rowsOf(patches: readonly StatePatch[]): Map<string, StandingRow> {
  const rows = new Map<string, StandingRow>();
  for (const patch of patches) {
    const { packageId, instanceId = packageId, namespace, rowId } = patch;
    const name = { packageId, instanceId, namespace, rowId };
    if (patch.action === 'upsert') rows.set(keyOf(name), { name, value: patch.value });
    else rows.delete(keyOf(name));
  }
  return rows;
}

/** The patches that make one set of rows another. */
export function patchesBetween(from: ReadonlyMap<string, StandingRow>, to: ReadonlyMap<string, StandingRow>): StatePatch[] {
  const patches: StatePatch[] = [];
  for (const key of [...new Set([...from.keys(), ...to.keys()])].sort()) {
    const [before, after] = [from.get(key), to.get(key)];
    if (after === undefined) patches.push({ action: 'delete', ...namedRow(before!.name) });
    else if (before === undefined || canonicalJson(before.value) !== canonicalJson(after.value))
      patches.push({ action: 'upsert', ...namedRow(after.name), value: after.value });
  }
  return patches;
}

/** Without the instance where it is the package's own. */
export function namedRow({ namespace, rowId, ...owner }: RowName): Omit<RowName, 'instanceId'> & { instanceId?: string } {
  return { packageId: owner.packageId, ...ownInstance(owner), namespace, rowId };
}
export function ownInstance({ packageId, instanceId }: { packageId: string; instanceId?: string }): { instanceId?: string } {
  return instanceId === undefined || instanceId === packageId ? {} : { instanceId };
}

const keyOf = ({ packageId, instanceId, namespace, rowId }: RowName): string => `${packageId}\n${instanceId}\n${namespace}\n${rowId}`;
const faultOf = (fault: FaultSelection): FaultSelection => ({ packageId: fault.packageId, ...ownInstance(fault), faultId: fault.faultId });
export function faultKey({ packageId, instanceId = packageId, faultId }: FaultSelection): string {
  return `${packageId} ${instanceId} ${faultId}`;
}
