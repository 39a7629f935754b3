// The half of the border that lies inside the realm: the context that handlers get, and the calls into their behavior.
// Evaluated there as text together with the modules that it imports (realm-script.ts). Host functions are reached through `calls` only, which
// no tool code can touch; what they throw is turned into an error of the realm, and what tool code throws is described as plain data.

import type { JsonValue } from '../contract/json.js';
import { admitJson, admitJsonObject, JsonRefusal } from '../contract/json-check.js';
import { limits } from '../contract/limits.js';
import type { Capability } from '../contract/tool-manifest.js';
import type { ContextCalls, HandlerFault, HandlerReturn } from './loaded-tool.js';
import { declarativeBehavior } from './realm-declarative.js';
import { defineTool, defineToolBehavior, type ToolBehavior, ToolFailure } from './sdk.js';

/** What the host knows about an error it threw itself: the text for the handler, or undefined for a bug of ours. */
export type RefusalText = (error: unknown) => string | undefined;
type Handler = (input: unknown, context: unknown) => unknown;
type Members = { readonly [name: string]: unknown };
interface Behavior {
  operations: Map<string, Handler>;
  subscriptions: Map<string, Handler>;
  http: Map<string, Members>;
  callbacks: Map<string, Members>;
}
/** One life of a behavior: whether a turn is open, and the host error that ended it. */
interface Life {
  open: boolean;
  broken: { error: unknown } | undefined;
}

/** An error of the context itself: what was asked for is not there, not allowed, or not now. */
export class ContextError extends Error {
  constructor(message: string) {
    super(message);
    Object.defineProperty(this, 'name', { value: 'ContextError' });
  }
}

/** What tool code imports as `drillyard/tool-sdk`. */
export const sdk = Object.freeze({ defineTool, defineToolBehavior, ToolFailure });
/** Frozen together with the ambient values. */
export const shared = [sdk, ContextError, JsonRefusal];

export function revive(text: string): JsonValue {
  return deepFreeze(JSON.parse(text));
}

function deepFreeze(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) for (let index = 0; index < value.length; index++) deepFreeze(value[index] as JsonValue);
  else for (const key in value) deepFreeze(value[key] as JsonValue);
  return Object.freeze(value) as JsonValue;
}

export function admit(value: unknown): { value: JsonValue; text: string } {
  return admitJson(value);
}
export function isJsonRefusal(error: unknown): error is JsonRefusal {
  return error instanceof JsonRefusal;
}

// Behaviors.

/** Runs a bundle: its default export, taken apart into handlers. Throws (realm errors) what the module throws. */
export function evaluateBundle(bundle: (ambient: object) => unknown, ambient: object): Behavior {
  const exported = bundle(ambient) as { default?: unknown } | undefined;
  return behaviorOf(exported?.default);
}
export function evaluateDeclarative(namespaces: readonly string[]): Behavior {
  return behaviorOf({ operations: declarativeBehavior(namespaces) });
}

function behaviorOf(exported: unknown): Behavior {
  if (typeof exported !== 'object' || exported === null) throw new TypeError('the module has no default export that is a behavior');
  const found = 'behavior' in exported ? exported.behavior : exported;
  const behavior = defineToolBehavior(found as ToolBehavior) as object as { [group: string]: object | undefined };
  // Maps, so that an id like `constructor` is an id; made once, so that a behavior that is changed later stays what it was.
  const group = (name: string) => new Map<string, never>(Object.entries((behavior[name] ?? {}) as { [id: string]: never }));
  return { operations: group('operations'), subscriptions: group('subscriptions'), http: group('http'), callbacks: group('callbacks') };
}

/** The ids that a behavior lacks, as `operations 'x'`. */
export function missingHandlers(behavior: Behavior, wanted: { [group in keyof Behavior]: readonly string[] }): string[] {
  return (Object.keys(wanted) as (keyof Behavior)[]).flatMap((name) =>
    wanted[name].filter((id) => !behavior[name].has(id)).map((id) => `${name} '${id}'`),
  );
}

/** Binds a behavior to one table of context calls. */
export function bindBehavior(behavior: Behavior, calls: ContextCalls, capabilities: readonly Capability[], refusalText: RefusalText) {
  const life: Life = { open: false, broken: undefined };
  const context = makeContext(calls, capabilities, life, refusalText);
  const run = (handler: Handler | undefined, argument: unknown): unknown => {
    if (handler === undefined) throw new ContextError('there is no such handler');
    const returned = handler(argument, context);
    if (isThenable(returned)) throw new ContextError('handlers are synchronous; this one returned a Promise');
    return returned;
  };
  const end = (): void => {
    life.open = false;
    const { broken } = life;
    if (broken === undefined) return;
    life.broken = undefined;
    throw broken.error;
  };
  return {
    call(operationId: string, input: JsonValue): HandlerReturn {
      life.open = true;
      let result: HandlerReturn;
      try {
        const returned = run(behavior.operations.get(operationId), input);
        const { value, text } = admitJson(returned === undefined ? null : returned);
        result = { kind: 'value', value, text };
      } catch (error) {
        result = faultOf(error);
      }
      end();
      return result;
    },
    handle(subscriptionId: string, payload: JsonValue): HandlerFault | null {
      life.open = true;
      let fault: HandlerFault | null = null;
      try {
        run(behavior.subscriptions.get(subscriptionId), payload);
      } catch (error) {
        fault = faultOf(error);
      }
      end();
      return fault;
    },
  };
}

/** Runs one codec; what it gives back is admitted, but for bytes. */
export function runCodec(behavior: Behavior, group: 'http' | 'callbacks', id: string, name: 'decode' | 'encode', input: unknown): unknown {
  try {
    const codec = behavior[group].get(id)?.[name] as ((input: unknown) => unknown) | undefined;
    if (codec === undefined) throw new ContextError(`${group} has no '${id}'`);
    const returned = codec(admitJson(input).value);
    if (isThenable(returned)) throw new ContextError('codecs are synchronous; this one returned a Promise');
    const body = (returned as { body?: { kind?: unknown; value?: unknown } } | null)?.body;
    if (name === 'encode' && body?.kind === 'bytes' && body.value instanceof Uint8Array) {
      const bytes = body.value.slice();
      return { kind: 'value', value: admitJson({ ...(returned as object), body: { ...body, value: null } }).value, bytes };
    }
    return { kind: 'value', value: admitJson(returned).value };
  } catch (error) {
    return faultOf(error);
  }
}

function isThenable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

// Errors.

/** Whatever tool code threw, as data. Looking at it may run tool code again, so that is guarded too. */
export function faultOf(error: unknown): HandlerFault {
  try {
    return isFailure(error) ? declaredFailure(error) : { kind: 'thrown', ...describe(error) };
  } catch {
    return { kind: 'thrown', message: 'the handler threw a value that cannot be read', detail: '' };
  }
}

function isFailure(error: unknown): error is ToolFailure {
  return typeof error === 'object' && error !== null && (error as { [brand: symbol]: unknown })[Symbol.for('drillyard.ToolFailure')] === true;
}

function declaredFailure({ code, message, retryable, details }: ToolFailure): HandlerFault {
  if (!/^[A-Z][A-Z0-9_]{0,127}$/.test(code))
    return { kind: 'thrown', message: `the failure code '${String(code).slice(0, 200)}' does not match ^[A-Z][A-Z0-9_]*$`, detail: '' };
  const given = details === undefined ? undefined : admitJson(details).value;
  return {
    kind: 'failure',
    code: `${code}`,
    message: String(message).slice(0, 1000),
    retryable: typeof retryable === 'boolean' ? retryable : undefined,
    details: given,
  };
}

/** V8 words its own errors differently from version to version, and a message may become evidence: of those only the class counts. */
function describe(error: unknown): { message: string; detail: string } {
  if (!(error instanceof Error)) return { message: 'the handler threw a value that is not an Error', detail: String(error).slice(0, 1000) };
  const name = String(error.name).slice(0, 100);
  const detail = `${name}: ${String(error.message)}`.slice(0, 1000);
  const engineMade = [TypeError, RangeError, ReferenceError, SyntaxError, EvalError, URIError].some(
    (kind) => Object.getPrototypeOf(error) === kind.prototype,
  );
  return { message: engineMade ? name : detail, detail };
}

// The context.

function makeContext(calls: ContextCalls, capabilities: readonly Capability[], life: Life, refusalText: RefusalText): object {
  /** Only inside a turn: a context kept in a closure is dead between turns. */
  const enter = (): void => {
    if (!life.open) throw new ContextError('the context is valid only while a handler runs');
  };
  const failed = (error: unknown): Error => {
    const text = refusalText(error);
    if (text !== undefined) return new ContextError(text);
    life.broken ??= { error };
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
  });
}

/** The object and its functions: nothing can be kept on them. */
function frozen(object: object): object {
  for (const { value, get } of Object.values(Object.getOwnPropertyDescriptors(object))) Object.freeze(value ?? get);
  return Object.freeze(object);
}

interface Border {
  calls: ContextCalls;
  enter(): void;
  failed(error: unknown): Error;
  needs<F extends (...args: never[]) => unknown>(capability: Capability, use: F): F;
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
    const admitted = admitJsonObject(value);
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
    if (limit !== undefined && !(Number.isSafeInteger(limit) && (limit as number) >= 1)) throw new ContextError('limit is an integer, 1 or more');
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
    const admitted = admitJsonObject(payload);
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
    const admitted = admitJsonObject(payload);
    enter();
    try {
      return calls.scheduleAt(id, admitted.value, admitted.text, atUs);
    } catch (error) {
      throw failed(error);
    }
  };
  return frozen({ emit: needs('event.emit', emit), scheduleAt: needs('clock.schedule', scheduleAt) });
}

function text(value: unknown, name: string): string {
  if (typeof value !== 'string' || value.length === 0 || value.length > 512) throw new ContextError(`${name} is a string of 1 to 512 characters`);
  return value;
}

function safeInteger(value: unknown, name: string): number {
  if (!Number.isSafeInteger(value)) throw new ContextError(`${name} is an integer`);
  return (value as number) + 0;
}
