// The context that handlers get. Evaluated inside the realm (realm-script.ts), so its functions and errors are the realm's own. The world
// is reached through `calls` only, which no tool code can touch; whatever they throw is caught here and never seen by it.
import type { JsonObject, JsonValue } from '../contract/json.js';
import { admitJson, admitJsonObject, JsonRefusal } from '../contract/json-check.js';
import { type JsonBounds, valueBounds } from '../contract/json-fault.js';
import { limits } from '../contract/limits.js';
import type { TurnBound } from '../contract/turn-bounds.js';
import type { Capability } from '../contract/world/tool-manifest.js';
import type { ContextCalls } from './loaded-tool.js';
import { blobsOf } from './realm-blobs.js';
import { type Border, BoundError, ContextError, frozen } from './realm-border.js';
import { ToolFailure } from './sdk.js';

/** One incarnation of a behavior: whether a turn is open, and the host error that ended it. */
export interface BehaviorIncarnation {
  open: boolean;
  broken: { error: unknown } | undefined;
}

const bytesOf = (bytes: number): JsonBounds => ({ depth: valueBounds.depth, nodes: valueBounds.nodes, bytes });
const bounds = {
  resultBytesMax: bytesOf(limits.resultBytesMax),
  failureDetailsBytesMax: bytesOf(limits.failureDetailsBytesMax),
  eventPayloadBytesMax: bytesOf(limits.eventPayloadBytesMax),
  rowBytesMax: bytesOf(limits.rowBytesMax),
};
type ValueBound = keyof typeof bounds;

/** Admits what a bound of bytes is named for; `what` begins the sentence that says it was crossed. */
export function admitWithin(value: unknown, bound: ValueBound, what: string): { value: JsonValue; text: string } {
  try {
    return admitJson(value, bounds[bound]);
  } catch (error) {
    throw crossed(error, bound, what);
  }
}
function admitObjectWithin(value: unknown, bound: ValueBound, what: string): { value: JsonObject; text: string } {
  try {
    return admitJsonObject(value, bounds[bound]);
  } catch (error) {
    throw crossed(error, bound, what);
  }
}
function crossed(error: unknown, bound: ValueBound, what: string): unknown {
  if (!(error instanceof JsonRefusal) || error.reason !== 'too_long') return error;
  return new BoundError(bound, `${what} has more than ${limits[bound]} bytes as JSON`);
}

export function makeContext(
  calls: ContextCalls,
  capabilities: readonly Capability[],
  incarnation: BehaviorIncarnation,
  refusalBrand: symbol,
): object {
  /** Only inside a turn: a context kept in a closure is dead between turns. */
  const enter = (): void => {
    if (!incarnation.open) throw new ContextError('the context is valid only while a handler runs');
  };
  // Calls nothing of the host: with the stack nearly full a call would throw an error of the host's, here where nobody catches it.
  const failed = (error: unknown): Error => {
    const refusal = error as { message: string; bound?: TurnBound; [brand: symbol]: unknown } | null | undefined;
    if (typeof refusal === 'object' && refusal !== null && refusal[refusalBrand] === true) {
      const { bound } = refusal;
      return bound === undefined ? new ContextError(refusal.message) : new BoundError(bound, refusal.message);
    }
    incarnation.broken ??= { error };
    return new ContextError('the world cannot go on with this turn');
  };
  const needs = <F extends (...args: never[]) => unknown>(capability: Capability, use: F): F => {
    if (capabilities.includes(capability)) return use;
    return (() => {
      throw new ContextError(`the manifest does not declare the capability '${capability}'`);
    }) as unknown as F;
  };
  const border: Border = { calls, enter, failed, needs };
  const ask = (get: () => unknown) => {
    enter();
    try {
      return get();
    } catch (error) {
      throw failed(error);
    }
  };
  return frozen({
    packageId: calls.packageId,
    instanceId: calls.instanceId,
    get actor() {
      return ask(() => calls.actor());
    },
    get source() {
      return admitJson(ask(() => calls.source())).value;
    },
    fail: (options: ConstructorParameters<typeof ToolFailure>[0]) => {
      throw new ToolFailure(options);
    },
    state: stateOf(border),
    clock: frozen({ nowUs: needs('clock.read', () => ask(() => calls.nowUs())) }),
    random: randomOf(border),
    events: eventsOf(border),
    blobs: blobsOf(border),
  });
}

function stateOf({ calls, enter, failed, needs }: Border): object {
  const get = (namespace: unknown, rowId: unknown): unknown => {
    enter();
    const ns = text(namespace, 'namespace');
    const id = text(rowId, 'rowId');
    try {
      return calls.get(ns, id);
    } catch (error) {
      throw failed(error);
    }
  };
  const put = (namespace: unknown, rowId: unknown, value: unknown): void => {
    const ns = text(namespace, 'namespace');
    const id = text(rowId, 'rowId');
    const admitted = admitObjectWithin(value, 'rowBytesMax', `row '${id}' of '${ns}'`);
    // After the admission: reading the value may have run tool code.
    enter();
    try {
      calls.put(ns, id, admitted.value, admitted.text);
    } catch (error) {
      throw failed(error);
    }
  };
  const remove = (namespace: unknown, rowId: unknown): boolean => {
    enter();
    const ns = text(namespace, 'namespace');
    const id = text(rowId, 'rowId');
    try {
      return calls.delete(ns, id);
    } catch (error) {
      throw failed(error);
    }
  };
  const scan = scanOf({ calls, enter, failed, needs });
  return frozen({
    get: needs('state.read', get),
    scan: needs('state.read', scan),
    put: needs('state.write', put),
    delete: needs('state.write', remove),
  });
}

function scanOf({ calls, enter, failed }: Border) {
  return (namespace: unknown, options?: unknown): unknown => {
    const ns = text(namespace, 'namespace');
    const { afterRowId, limit } = (options ?? {}) as { afterRowId?: unknown; limit?: unknown };
    const after = afterRowId === undefined ? undefined : text(afterRowId, 'afterRowId');
    if (limit !== undefined && !(Number.isSafeInteger(limit) && (limit as number) >= 1))
      throw new ContextError('limit is an integer, 1 or more');
    const most = Math.min((limit as number | undefined) ?? limits.scanRowsMax + 1, limits.scanRowsMax + 1);
    enter();
    const rows: object[] = [];
    try {
      const found = calls.scan(ns, after, most);
      for (let index = 0; index < found.length; index++) {
        const row = found[index] as { rowId: string; value: object };
        rows.push(Object.freeze({ rowId: row.rowId, value: row.value }));
      }
    } catch (error) {
      throw failed(error);
    }
    if (rows.length > limits.scanRowsMax) throw new ContextError(`more than ${limits.scanRowsMax} rows; page with afterRowId and limit`);
    return Object.freeze(rows);
  };
}

function randomOf({ calls, enter, failed, needs }: Border): object {
  const draw = (from: () => unknown): unknown => {
    enter();
    try {
      return from();
    } catch (error) {
      throw failed(error);
    }
  };
  const nextInteger = (min: unknown, maxExclusive: unknown): unknown => {
    const least = safeInteger(min, 'min');
    const bound = safeInteger(maxExclusive, 'maxExclusive');
    if (bound <= least) throw new ContextError('maxExclusive is larger than min');
    return draw(() => calls.nextInteger(least, bound));
  };
  return frozen({
    nextFloat: needs('random.draw', () => draw(() => calls.nextFloat())),
    nextInteger: needs('random.draw', nextInteger),
    nextU64: needs('random.draw', () => draw(() => calls.nextU64())),
  });
}

function eventsOf({ calls, enter, failed, needs }: Border): object {
  const emit = (eventId: unknown, payload: unknown): void => {
    const id = text(eventId, 'eventId');
    const admitted = admitObjectWithin(payload, 'eventPayloadBytesMax', `the payload of '${id}'`);
    enter();
    try {
      calls.emit(id, admitted.value, admitted.text);
    } catch (error) {
      throw failed(error);
    }
  };
  const scheduleAt = (eventId: unknown, payload: unknown, virtualTimeUs: unknown): string => {
    const id = text(eventId, 'eventId');
    const atUs = safeInteger(virtualTimeUs, 'virtualTimeUs');
    const admitted = admitObjectWithin(payload, 'eventPayloadBytesMax', `the payload of '${id}'`);
    enter();
    try {
      return calls.scheduleAt(id, admitted.value, admitted.text, atUs);
    } catch (error) {
      throw failed(error);
    }
  };
  const cancel = (scheduledEventId: unknown): boolean => {
    const id = text(scheduledEventId, 'scheduledEventId');
    enter();
    try {
      return calls.cancel(id);
    } catch (error) {
      throw failed(error);
    }
  };
  return frozen({
    emit: needs('event.emit', emit),
    scheduleAt: needs('clock.schedule', scheduleAt),
    cancel: needs('clock.schedule', cancel),
  });
}

function text(value: unknown, name: string): string {
  if (typeof value !== 'string' || value.length === 0 || value.length > limits.rowIdCharsMax)
    throw new ContextError(`${name} is a string of 1 to ${limits.rowIdCharsMax} characters`);
  if (!value.isWellFormed()) throw new ContextError(`${name} is text without half of a surrogate pair`);
  return value;
}

function safeInteger(value: unknown, name: string): number {
  if (!Number.isSafeInteger(value)) throw new ContextError(`${name} is an integer from -(2^53 - 1) to 2^53 - 1`);
  return (value as number) + 0;
}
