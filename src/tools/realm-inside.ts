// The half of the border that lies inside the realm: the calls into a behavior. Evaluated there as text together with the modules that it
// imports (realm-script.ts). What comes back from tool code is admitted, and what it throws is described as plain data, before the host
// looks.
import type { JsonValue } from '../contract/json.js';
import { admitJson, JsonRefusal } from '../contract/json-check.js';
import { recordBounds } from '../contract/json-fault.js';
import { limits } from '../contract/limits.js';
import { type TurnBound, turnBounds } from '../contract/turn-bounds.js';
import type { Capability } from '../contract/world/tool-manifest.js';
import { beginningOf } from '../text/cut-text.js';
import type { ContextCalls, HandlerFault, HandlerReturn } from './loaded-tool.js';
import { BoundError, ContextError } from './realm-border.js';
import { admitWithin, type BehaviorIncarnation, makeContext } from './realm-context.js';
import { declarativeBehavior } from './realm-declarative.js';
import { defineTool, defineToolBehavior, type ToolBehavior, ToolFailure } from './sdk.js';
import { addCalendarTime, instantOf, isoTime, isTimeZone, timeZoneNames, zonedTime } from './time-zones.js';
import { decodeTokenRequest, encodeTokenReply, grantTokens, mintToken, readToken } from './token-endpoint.js';

type Handler = (input: unknown, context: unknown) => unknown;
type Members = { readonly [name: string]: unknown };
interface Behavior {
  operations: Map<string, Handler>;
  subscriptions: Map<string, Handler>;
  http: Map<string, Members>;
  callbacks: Map<string, Members>;
  refusals: Map<string, Members>;
}
/** What tool code imports as `drillyard/tool-sdk`. */
export const sdk = Object.freeze({
  addCalendarTime,
  instantOf,
  isoTime,
  isTimeZone,
  timeZoneNames,
  zonedTime,
  decodeTokenRequest,
  defineTool,
  defineToolBehavior,
  encodeTokenReply,
  grantTokens,
  mintToken,
  readToken,
  ToolFailure,
});
/** Frozen together with the ambient values. */
export const shared = [sdk, ContextError, BoundError, JsonRefusal];

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
  const refusals = new Map<string, Members>(behavior.refuse === undefined ? [] : [['refuse', { encode: behavior.refuse }]]);
  return {
    operations: group('operations'),
    subscriptions: group('subscriptions'),
    http: group('http'),
    callbacks: group('callbacks'),
    refusals,
  };
}

/** The ids that a behavior lacks, as `operations 'x'`. */
export function missingHandlers(behavior: Behavior, wanted: { [group in keyof Behavior]: readonly string[] }): string[] {
  return (Object.keys(wanted) as (keyof Behavior)[]).flatMap((name) =>
    wanted[name].filter((id) => !behavior[name].has(id)).map((id) => `${name} '${id}'`),
  );
}

/** Binds a behavior to one table of context calls. */
export function bindBehavior(behavior: Behavior, calls: ContextCalls, capabilities: readonly Capability[], refusalBrand: symbol) {
  const incarnation: BehaviorIncarnation = { open: false, broken: undefined };
  const context = makeContext(calls, capabilities, incarnation, refusalBrand);
  const run = (handler: Handler | undefined, argument: unknown): unknown => {
    if (handler === undefined) throw new ContextError('there is no such handler');
    const returned = handler(argument, context);
    if (isThenable(returned)) throw new ContextError('handlers are synchronous; this one returned a Promise');
    return returned;
  };
  const end = (): void => {
    incarnation.open = false;
    const { broken } = incarnation;
    if (broken === undefined) return;
    incarnation.broken = undefined;
    throw broken.error;
  };
  return {
    call(operationId: string, input: JsonValue): HandlerReturn {
      incarnation.open = true;
      let result: HandlerReturn;
      try {
        const returned = run(behavior.operations.get(operationId), input);
        const { value, text } = admitWithin(returned === undefined ? null : returned, 'resultBytesMax', 'the result');
        result = { kind: 'value', value, text };
      } catch (error) {
        result = faultOf(error);
      }
      end();
      return result;
    },
    handle(subscriptionId: string, payload: JsonValue): HandlerFault | null {
      incarnation.open = true;
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

// A text in JSON has at most six bytes for each of a body's; the body itself is counted where it is taken out (codecs.ts).
const encodedBounds = { ...recordBounds, bytes: 6 * (limits.encodedBodyBytesMax + 2 * limits.headerBytesMax) };
/** A request, of which the body's JSON is a part. */
const requestBounds = { ...recordBounds, depth: limits.wireJsonDepthMax + recordBounds.depth };
const decodedBounds = { ...recordBounds, bytes: limits.decodedBytesMax };
const byteLength = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), 'byteLength')?.get as () => number;

/** Runs one codec; what it returns is admitted, but for bytes. Both hold values of the simulation, so they may be deeper than those. */
export function runCodec(
  behavior: Behavior,
  group: 'http' | 'callbacks' | 'refusals',
  id: string,
  name: 'decode' | 'encode',
  input: unknown,
): unknown {
  try {
    const codec = behavior[group].get(id)?.[name] as ((input: unknown) => unknown) | undefined;
    if (codec === undefined) throw new ContextError(`${group} has no '${id}'`);
    const returned = codec(admitJson(input, name === 'decode' ? requestBounds : recordBounds).value);
    if (isThenable(returned)) throw new ContextError('codecs are synchronous; this one returned a Promise');
    if (name === 'decode') return { kind: 'value', value: admitJson(returned, decodedBounds).value };
    const message = { ...(returned as { body?: object }) };
    const body: { kind?: unknown; value?: unknown } = { ...message.body };
    if (body.kind === 'bytes' && body.value instanceof Uint8Array) {
      if (Reflect.apply(byteLength, body.value, []) > limits.encodedBodyBytesMax) return codecFault(name);
      // The author's object may have become anything; the copy is an array of bytes and nothing else.
      const bytes = new Uint8Array(body.value);
      return { kind: 'value', value: admitJson({ ...message, body: { ...body, value: null } }, encodedBounds).value, bytes };
    }
    return { kind: 'value', value: admitJson(returned, encodedBounds).value };
  } catch (error) {
    if (!(error instanceof JsonRefusal)) return faultOf(error);
    if (error.reason === 'too_long') return codecFault(name);
    const issue = { path: error.path.replace(/^\/arguments(?=\/|$)/, ''), code: 'not_json', message: error.fault };
    return name === 'decode' ? { ...faultOf(error), issues: [issue] } : faultOf(error);
  }
}

function codecFault(name: 'decode' | 'encode'): HandlerFault {
  const bound = name === 'decode' ? 'decodedBytesMax' : 'encodedBodyBytesMax';
  return { kind: 'thrown', message: `what ${name} gives has more than ${limits[bound]} bytes`, detail: '', bound };
}

function isThenable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

// Errors.

/** What tool code threw, as data. Reading it may run tool code again, so that is guarded too. */
export function faultOf(error: unknown): HandlerFault {
  try {
    return isFailure(error) ? declaredFailure(error) : { kind: 'thrown', ...describe(error) };
  } catch {
    return { kind: 'thrown', message: 'the handler threw a value that cannot be read', detail: '' };
  }
}

function isFailure(error: unknown): error is ToolFailure {
  return (
    typeof error === 'object' && error !== null && (error as { [brand: symbol]: unknown })[Symbol.for('drillyard.ToolFailure')] === true
  );
}

function declaredFailure({ code: givenCode, message, retryable, details, keep }: ToolFailure): HandlerFault {
  const code = shortText(givenCode, limits.failureCodeCharsMax);
  if (!/^[A-Z][A-Z0-9_]{0,127}$/.test(code)) {
    return { kind: 'thrown', message: `the failure code '${code}' does not match ^[A-Z][A-Z0-9_]*$`, detail: '' };
  }
  let given: JsonValue | undefined;
  try {
    if (details !== undefined) given = admitWithin(details, 'failureDetailsBytesMax', 'the details of the failure').value;
  } catch (refused) {
    if (refused instanceof BoundError) return { kind: 'thrown', ...describe(refused) };
    throw refused;
  }
  return {
    kind: 'failure',
    code,
    message: shortText(message, limits.failureMessageCharsMax),
    retryable: typeof retryable === 'boolean' ? retryable : undefined,
    details: given,
    keep: keep === true,
  };
}

/** V8 words its own errors differently from version to version, and a message may become evidence: of those only the class counts. */
function describe(error: unknown): { message: string; detail: string; bound?: TurnBound } {
  if (!(error instanceof Error))
    return { message: 'the handler threw a value that is not an Error', detail: shortText(error, limits.failureMessageCharsMax) };
  // Tool code can make one too.
  const bound = error instanceof BoundError ? turnBounds.find((name) => name === error.bound) : undefined;
  if (bound !== undefined) return { message: shortText(error.message, limits.failureMessageCharsMax), detail: '', bound };
  const name = shortText(error.name, limits.thrownNameCharsMax);
  const detail = beginningOf(`${name}: ${shortText(error.message, limits.failureMessageCharsMax)}`, limits.failureMessageCharsMax);
  const engineMade = [TypeError, RangeError, ReferenceError, SyntaxError, EvalError, URIError].some(
    (kind) => Object.getPrototypeOf(error) === kind.prototype,
  );
  return { message: engineMade ? name : detail, detail };
}

/** The beginning of a text, fit for evidence. Looking into a long one may copy all of it, so of that only its length is given. */
function shortText(value: unknown, chars: number): string {
  const text = String(value);
  return text.length > limits.thrownCharsMax ? `(a text of ${text.length} characters)` : beginningOf(text, chars);
}
