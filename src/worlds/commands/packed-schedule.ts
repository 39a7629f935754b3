// `schedule` as it travels to a host: who is meant by many events once, times as numbers, and all payloads as one canonical text. As
// objects, half of the time of scheduling went into cloning them from thread to thread, and into what that left to collect.
//   PACKED-SCHEDULE-1. What is packed is JSON by itself; anything else travels as it is, and the world says what is wrong with it.
//   PACKED-SCHEDULE-2. A world takes or refuses packed events as it does the same events one by one, in the same words.
import { canonicalJson } from '../../contract/canonical-json.js';
import { invariant } from '../../contract/errors.js';
import { isRecord, type JsonObject } from '../../contract/json.js';
import { checkJson } from '../../contract/json-check.js';
import { limits } from '../../contract/limits.js';
import type { InitialEvent } from '../../contract/world/scenario.js';
import type { ScheduleEvents } from '../../contract/world/world-protocol.js';
import { mintedId } from '../kv/minted-ids.js';
import type { Simulation } from '../turn/simulation.js';
import { scheduleEvent } from '../turn/world-tool.js';
import { admitEvents, findTarget } from './controls.js';

export type PackedTarget = Omit<InitialEvent, 'payload' | 'atUs'>;
export interface PackedSchedule {
  kind: 'packedSchedule';
  targets: PackedTarget[];
  /** Of each event: its place in `targets`, when, and where its payload ends in `payloads` (a comma or bracket follows). */
  targetOf: number[];
  atUs: number[];
  payloadEnds: number[];
  /** A JSON array. */
  payloads: string;
}
/** Ids are minted from ordinals that follow one another. */
export interface PackedScheduleReply {
  tag: string;
  firstOrdinal: number;
}

/** Undefined for what is not packed. */
export function packSchedule({ events, operationKey }: ScheduleEvents): PackedSchedule | undefined {
  // A key stands for the request as it was made, byte for byte.
  if (operationKey !== undefined || !Array.isArray(events) || events.length > limits.scheduleEventsMax) return undefined;
  try {
    return pack(events);
  } catch {
    return undefined;
  }
}

function pack(events: readonly InitialEvent[]): PackedSchedule | undefined {
  const targets = new Targets();
  const targetOf: number[] = [];
  const times: number[] = [];
  const payloadEnds: number[] = [];
  const texts: string[] = [];
  let end = 0;
  for (const event of events) {
    const target = targets.placeOf(event);
    if (target === -1 || !Number.isSafeInteger(event.atUs)) return undefined;
    if (!isSoundPayload(event.payload)) return undefined;
    const text = canonicalJson(event.payload);
    end += 1 + text.length;
    texts.push(text);
    targetOf.push(target);
    times.push(event.atUs);
    payloadEnds.push(end);
  }
  return { kind: 'packedSchedule', targets: targets.list, targetOf, atUs: times, payloadEnds, payloads: `[${texts.join(',')}]` };
}

/** Checked where it is: a copy would be gone as soon as its text is made. */
function isSoundPayload(value: unknown): boolean {
  return isRecord(value) && checkJson(value) === null;
}

/** The different ones, in the order in which they came. */
class Targets {
  readonly list: PackedTarget[] = [];
  readonly #places = new Map<string, number>();
  /** Of the last one: many that follow one another are for the same. */
  #last: PackedTarget | undefined;
  #lastPlace = -1;

  /** -1: it has names that are none, of which the world knows what to say. */
  placeOf({ event, actorId, actorInstanceId }: InitialEvent): number {
    const { packageId, instanceId, eventId } = event;
    const last = this.#last;
    const isLast =
      last !== undefined &&
      last.event.packageId === packageId &&
      last.event.instanceId === instanceId &&
      last.event.eventId === eventId &&
      last.actorId === actorId &&
      last.actorInstanceId === actorInstanceId;
    if (isLast) return this.#lastPlace;
    const names = [packageId, eventId, actorId, instanceId ?? '', actorInstanceId ?? ''];
    if (!names.every((name) => typeof name === 'string' && !name.includes(' '))) return -1;
    this.#last = {
      event: { packageId, eventId, ...(instanceId !== undefined && { instanceId }) },
      actorId,
      ...(actorInstanceId !== undefined && { actorInstanceId }),
    };
    const key = `${names.join(' ')} ${instanceId === undefined} ${actorInstanceId === undefined}`;
    const known = this.#places.get(key);
    this.#lastPlace = known ?? this.list.push(this.#last) - 1;
    if (known === undefined) this.#places.set(key, this.#lastPlace);
    return this.#lastPlace;
  }
}

export function schedulePacked(simulation: Simulation, packed: PackedSchedule): PackedScheduleReply {
  const { targets, targetOf, atUs, payloadEnds, payloads } = packed;
  const found = targets.map(({ event, ...actor }) => findTarget(simulation, event, actor));
  const values = JSON.parse(payloads) as JsonObject[];
  const isSound = values.every((value, index) => {
    const { unknown, validatePayload } = found[targetOf[index] as number] as (typeof found)[number];
    return unknown === undefined && (validatePayload === undefined || validatePayload(value) === null);
  });
  if (!isSound) {
    admitEvents(simulation, unpacked(packed, values));
    invariant(false, 'what does not fit when it is packed does not fit one by one');
  }
  const { clock, storage, turn } = simulation;
  const firstOrdinal = storage.queue.nextOrdinal;
  turn.begin(undefined);
  for (let index = 0, start = 1; index < values.length; index++) {
    const end = payloadEnds[index] as number;
    const { target } = found[targetOf[index] as number] as (typeof found)[number];
    scheduleEvent(storage, target, { atUs: clock.notBeforeNow(atUs[index] as number), payloadText: payloads.slice(start, end) });
    start = end + 1;
  }
  turn.end();
  return { tag: storage.tag, firstOrdinal };
}

export function scheduledIds({ tag, firstOrdinal }: PackedScheduleReply, { atUs }: PackedSchedule): string[] {
  return atUs.map((_, index) => mintedId('pending_', tag, firstOrdinal + index));
}

const unpacked = ({ targets, targetOf, atUs }: PackedSchedule, values: readonly JsonObject[]): InitialEvent[] =>
  values.map((payload, index) => ({
    ...(targets[targetOf[index] as number] as PackedTarget),
    payload,
    atUs: atUs[index] as number,
  }));
