// What a recorded drill is held to: assertions made of what happened, of all of it or of the rows and entries that somebody pinned.
//   RECORDED-PINS-1. What an assertion expects is what the recording has; a value in which the world's own ids stand is left out, as the
//     drill's world mints others.
import { canonicalJson } from '../../contract/canonical-json.js';
import { defined } from '../../contract/defined.js';
import { ServiceError } from '../../contract/errors.js';
import { isJsonObject, type JsonObject } from '../../contract/json.js';
import { recordingLimits } from '../../contract/recording-limits.js';
import type { AssertionInput, ExpectedChange, OperationFilter } from '../../contract/run/assertion.js';
import type { PinCandidate, RecordingPin } from '../../contract/run/recording.js';
import type { EvidenceEntry, OperationEntry } from '../../contract/world/evidence.js';
import { entryText, place } from '../../reports/entry-text.js';
import { namedRow, ownInstance, type RecordedWorld } from './recorded-world.js';
import type { RowName } from './run-trace.js';

export class RecordedPins {
  readonly #world: RecordedWorld;
  readonly #entries: readonly EvidenceEntry[];
  readonly #tags: readonly string[];

  constructor(world: RecordedWorld, entries: readonly EvidenceEntry[], tags: readonly string[]) {
    this.#world = world;
    this.#entries = entries;
    this.#tags = tags;
  }

  candidates(): PinCandidate[] {
    const rows = [...this.#world.changed].flatMap(([key, { name, before }]): PinCandidate[] => {
      const after = this.#world.rows.get(key)?.value;
      if (after === undefined && before === undefined) return [];
      const how = after === undefined ? 'is deleted' : before === undefined ? 'is there' : 'is as it ended';
      return [{ pin: { kind: 'row', ...namedRow(name) }, text: `${place(name)}/${name.namespace}/${name.rowId} ${how}` }];
    });
    const own = this.#entries.filter(({ sequence }) => sequence > 0);
    const said = own.filter((entry) => entry.kind === 'operation' || (entry.kind === 'event' && entry.phase !== 'scheduled'));
    const entries = said.map((entry): PinCandidate => ({ pin: { kind: 'entry', sequence: entry.sequence }, text: entryText(entry) }));
    return [...rows.slice(0, recordingLimits.pinsShown), ...entries.slice(0, recordingLimits.pinsShown)];
  }

  /** Without pins: exactly the rows that changed, and every call that did not go well. */
  assertions(pins: readonly RecordingPin[] | undefined): AssertionInput[] {
    const made = pins === undefined || pins.length === 0 ? this.#all() : pins.map((pin) => this.#pinned(pin));
    const seen = new Map<string, number>();
    const bodies = new Set<string>();
    return made.flatMap(({ id, ...body }) => {
      const text = canonicalJson(body as unknown as JsonObject);
      if (bodies.has(text)) return [];
      bodies.add(text);
      const count = (seen.get(id) ?? 0) + 1;
      seen.set(id, count);
      return [{ id: count === 1 ? id : `${id}-${count}`, ...body } as AssertionInput];
    });
  }

  #all(): AssertionInput[] {
    const changes = [...this.#world.changed].flatMap(([key, { name, before }]) => this.#change(key, name, before));
    const failed = this.#entries.filter((entry): entry is OperationEntry => entry.kind === 'operation' && entry.outcome.kind !== 'ok');
    const calls = failed.map((entry) => this.#callCount(entry, false));
    if (changes.length > recordingLimits.changesMax) {
      const spaces = new Map(
        changes.map(({ packageId, instanceId, namespace }) => [
          `${packageId} ${instanceId} ${namespace}`,
          { packageId, ...defined({ instanceId }), namespace },
        ]),
      );
      return [...[...spaces.values()].map((space) => this.#rowCount(space)), ...calls];
    }
    if (changes.length === 0) return [{ id: 'nothing-changed', kind: 'state.diff', changes: [] }, ...calls];
    return [{ id: 'what-changed', kind: 'state.diff', changes }, ...calls];
  }

  #change(key: string, name: RowName, before: JsonObject | undefined): ExpectedChange[] {
    const after = this.#world.rows.get(key)?.value;
    if (after === undefined) return before === undefined ? [] : [{ change: 'delete', ...this.#named(name) }];
    if (before === undefined) return [{ change: 'insert', ...this.#named(name), after: this.#known(after, undefined) }];
    const changed = this.#known(after, before);
    return canonicalJson(after) === canonicalJson(before) ? [] : [{ change: 'update', ...this.#named(name), after: changed }];
  }

  /** A row whose id the world minted has another one in the drill's. */
  #named(name: RowName): Pick<ExpectedChange, 'packageId' | 'instanceId' | 'namespace' | 'rowId'> {
    const { rowId, ...space } = namedRow(name);
    return this.#isMinted(rowId) ? space : { ...space, rowId };
  }

  /** Members that are not what they were, and do not name an id of the world. */
  #known(after: JsonObject, before: JsonObject | undefined): JsonObject {
    return Object.fromEntries(
      Object.entries(after).filter(([name, value]) => {
        const text = canonicalJson(value);
        if (before !== undefined && Object.hasOwn(before, name) && canonicalJson(before[name]!) === text) return false;
        return !this.#isMinted(text);
      }),
    );
  }
  #isMinted(text: string): boolean {
    return this.#tags.some((tag) => text.includes(tag));
  }

  #pinned(pin: RecordingPin): AssertionInput {
    if (pin.kind === 'row') return this.#row({ ...pin, instanceId: pin.instanceId ?? pin.packageId });
    const entry = this.#entries.find(({ sequence }) => sequence === pin.sequence);
    if (entry === undefined) throw refused(`there is no entry ${pin.sequence}`);
    switch (entry.kind) {
      case 'operation':
        return this.#callCount(entry, true);
      case 'state_change':
        return this.#row(entry);
      case 'event': {
        const { event, phase, payload } = entry;
        if (phase === 'cancelled') throw refused(`entry ${pin.sequence} is the end of an event, which no assertion counts`);
        const known = this.#isMinted(canonicalJson(payload)) ? {} : { payload };
        const text = canonicalJson(payload);
        const count = this.#entries.filter(
          (other) =>
            other.kind === 'event' &&
            other.phase === phase &&
            other.event.eventId === event.eventId &&
            other.event.packageId === event.packageId &&
            other.event.instanceId === event.instanceId &&
            (known.payload === undefined || canonicalJson(other.payload) === text),
        ).length;
        const reference = { packageId: event.packageId, ...ownInstance(event), eventId: event.eventId };
        return { id: slug(`${event.eventId}-${phase}`), kind: 'event.count', event: reference, phase, ...known, count: { equals: count } };
      }
      case 'fault': {
        const { packageId, faultId } = entry;
        const fault = { packageId, ...ownInstance(entry), faultId };
        const count = this.#entries.filter(
          (other) => other.kind === 'fault' && other.faultId === faultId && other.packageId === packageId,
        ).length;
        return { id: slug(`${faultId}-triggered`), kind: 'fault.count', fault, count: { equals: count } };
      }
      default:
        throw refused(`entry ${pin.sequence} is no row, call, event or fault`);
    }
  }

  #row(name: RowName): AssertionInput {
    const { packageId, instanceId, namespace, rowId } = name;
    const key = `${packageId}\n${instanceId}\n${namespace}\n${rowId}`;
    const value = this.#world.rows.get(key)?.value;
    const id = slug(`${namespace}-${rowId}`);
    if (this.#isMinted(rowId)) return this.#rowCount({ packageId, ...ownInstance(name), namespace });
    if (value !== undefined && !this.#isMinted(canonicalJson(value)))
      return { id, kind: 'state.value', ...namedRow({ packageId, instanceId, namespace, rowId }), expected: value };
    const [change] = this.#change(key, { packageId, instanceId, namespace, rowId }, this.#world.changed.get(key)?.before);
    if (change === undefined) throw refused(`row ${rowId} of ${packageId}/${namespace} is not there, and never was`);
    return { id, kind: 'state.diff', exact: false, changes: [change] };
  }

  #rowCount(space: { packageId: string; instanceId?: string; namespace: string }): AssertionInput {
    const { packageId, instanceId = packageId, namespace } = space;
    const rows = [...this.#world.rows.values()].filter(
      ({ name }) => name.packageId === packageId && name.instanceId === instanceId && name.namespace === namespace,
    );
    return { id: slug(`${namespace}-rows`), kind: 'state.count', ...space, count: { equals: rows.length } };
  }

  /** As often as calls of it were made by the same actor with this outcome; `exact`: and with these arguments. */
  #callCount({ invocation, actorId, outcome }: OperationEntry, exact: boolean): AssertionInput {
    const { packageId, operationId, arguments: given } = invocation;
    const asked = exact && isJsonObject(given) && !this.#isMinted(canonicalJson(given)) ? { arguments: given } : {};
    const operation: OperationFilter = { packageId, ...ownInstance(invocation), operationId, actorId, outcome: outcome.kind, ...asked };
    const count = this.#entries.filter((entry) => entry.kind === 'operation' && isLike(entry, operation)).length;
    return { id: slug(`${operationId}-${outcome.kind}`), kind: 'operation.count', operation, count: { equals: count } };
  }
}

/** As the judge reads a filter: members of the arguments that it names are deeply equal. */
function isLike({ invocation, actorId, outcome }: OperationEntry, filter: OperationFilter): boolean {
  const { packageId, instanceId, operationId, arguments: given } = invocation;
  if (packageId !== filter.packageId || operationId !== filter.operationId || instanceId !== (filter.instanceId ?? packageId)) return false;
  if (actorId !== filter.actorId || outcome.kind !== filter.outcome) return false;
  return Object.entries(filter.arguments ?? {}).every(
    ([name, value]) => canonicalJson((given as JsonObject)[name] ?? null) === canonicalJson(value),
  );
}

/** An id of what somebody named otherwise. */
function slug(text: string): string {
  const parts = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '');
  return parts.slice(0, recordingLimits.idChars).replace(/-+$/, '') || 'pinned';
}

function refused(why: string): ServiceError {
  return new ServiceError('control.INVALID_REQUEST', { message: `That cannot be pinned: ${why}.` });
}
