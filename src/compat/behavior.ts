// What a behavior of the other runner is bundled with: it puts that runner's context around handlers, and its input before codecs. Runs in
// the realm; names nothing of the host.
//   COMPAT-BEHAVIOR-1. A member that is not adapted is an error when the module is loaded, never left out.
import type { JsonObject, JsonValue } from '../contract/json.js';
import { type OwnOutcome, otherError, otherOutcome } from './outcome.js';

type Members = { readonly [name: string]: unknown };
type Call = (...given: unknown[]) => unknown;
/** What a failure of the other runner's SDK is known by, wherever it was made. */
interface Settings {
  failureBrands: readonly string[];
}
interface OwnContext extends Members {
  fail(options: object): never;
}

const groups: readonly string[] = ['operations', 'subscriptions', 'http', 'callbacks'];
/** They say something of the package, which its tool file says already. */
const descriptive: readonly string[] = ['manifest', 'schemaVersion', 'refuse'];

/** `exported`: a behavior, or what holds one. Anything else stays what it is, for the native words of its fault. */
export function withOtherContext(exported: unknown, settings: Settings): unknown {
  const found = isMembers(exported) && 'behavior' in exported ? exported.behavior : exported;
  if (!isMembers(found)) return exported;
  const strange = Object.keys(found).filter((name) => !groups.includes(name) && !descriptive.includes(name));
  if (strange.length > 0) throw new TypeError(`the member '${strange[0]}' of a behavior of another runner is not adapted`);
  const adapt = new ContextAdapter(settings);
  return {
    operations: mapped(found.operations, (handler) => adapt.handler(handler)),
    subscriptions: mapped(found.subscriptions, (handler) => adapt.handler(handler)),
    http: mapped(found.http, (codec) => httpCodec(codec)),
    callbacks: mapped(found.callbacks, (codec) => callbackCodec(codec)),
    refuse: wordRefusal,
  };
}

function mapped(group: unknown, adapted: (member: unknown) => unknown): unknown {
  if (!isMembers(group)) return group;
  const made: { [id: string]: unknown } = {};
  for (const id of Object.keys(group))
    Object.defineProperty(made, id, { value: adapted(group[id]), enumerable: true, configurable: true, writable: true });
  return made;
}

class ContextAdapter {
  readonly #brands: readonly string[];
  readonly #contexts = new WeakMap<object, object>();

  constructor({ failureBrands }: Settings) {
    this.#brands = failureBrands;
  }

  handler(handler: unknown): unknown {
    if (typeof handler !== 'function') return handler;
    return (input: unknown, context: OwnContext) => {
      try {
        return (handler as Call)(input, this.#contextOf(context));
      } catch (error) {
        throw this.#failureOf(error, context);
      }
    };
  }

  #contextOf(context: OwnContext): object {
    let made = this.#contexts.get(context);
    if (made === undefined) {
      made = otherContext(context);
      this.#contexts.set(context, made);
    }
    return made;
  }

  /** Of another copy of the SDK: the failure that it stands for. */
  #failureOf(error: unknown, context: OwnContext): unknown {
    if (!isMembers(error) || !this.#isBranded(error)) return error;
    const { code, message, retryable, details } = error;
    try {
      return context.fail({ code: String(code).replace(/^tool\./, ''), message, retryable, details });
    } catch (failure) {
      return failure;
    }
  }

  #isBranded(error: Members): boolean {
    const marks = error as { readonly [mark: string | symbol]: unknown };
    return this.#brands.some(
      (brand) =>
        marks[Symbol.for(brand)] !== undefined ||
        marks[brand] !== undefined ||
        ['brand', '__brand', '$brand'].some((name) => marks[name] === brand),
    );
  }
}

/** The native context by other names: each member is asked for when it is used, as there it may belong to a turn. */
function otherContext(context: Members): object {
  const made = {};
  for (const name of Object.keys(context)) {
    if (name === 'state') continue;
    const get = name === 'source' ? () => otherSource(context[name]) : () => context[name];
    Object.defineProperty(made, name, { get, enumerable: true });
  }
  const rows = context.state as Members;
  const state: { [name: string]: unknown } = {};
  for (const name of Object.keys(rows)) state[name] = name === 'get' ? nullForMissing(rows[name] as Call) : rows[name];
  Object.defineProperty(made, 'state', { value: Object.freeze(state), enumerable: true });
  return Object.freeze(made);
}

/** There a row that is missing is null. */
function nullForMissing(get: Call): Call {
  return (...given) => {
    const found = get(...given);
    return found === undefined ? null : found;
  };
}

function otherSource(source: unknown): unknown {
  if (!isMembers(source) || source.kind !== 'event') return source;
  return Object.freeze({ ...source, kind: 'subscription' });
}

function httpCodec(codec: unknown): unknown {
  if (!isMembers(codec)) return codec;
  requireCodec(codec, ['decode', 'encode']);
  const { encode } = codec;
  if (typeof encode !== 'function') return codec;
  return { ...codec, encode: (input: JsonObject) => (encode as Call)(otherEncodeInput(input)) };
}

function callbackCodec(codec: unknown): unknown {
  if (isMembers(codec)) requireCodec(codec, ['encode']);
  return codec;
}

function requireCodec(codec: Members, known: readonly string[]): void {
  const strange = Object.keys(codec).find((name) => !known.includes(name));
  if (strange !== undefined) throw new TypeError(`the member '${strange}' of a codec of another runner is not adapted`);
}

function otherEncodeInput({ invocation, outcome, ...rest }: JsonObject): JsonObject {
  const { packageId, instanceId, operationId, actorId, actorInstanceId, correlationId, ...called } = invocation as JsonObject;
  const operation = { packageId, instanceId, operationId } as JsonObject;
  const actorBindingId = actorInstanceId === undefined ? actorId : `${actorId}:${actorInstanceId}`;
  return {
    ...rest,
    invocation: { ...called, operation, correlationId, actorBindingId, actorId } as JsonObject,
    outcome: otherOutcome(outcome as unknown as OwnOutcome, correlationId as string),
  };
}

const refusalCodes: { readonly [kind: string]: string } = {
  unauthenticated: 'HTTP_UNAUTHENTICATED',
  not_found: 'HTTP_ROUTE_NOT_FOUND',
  method_not_allowed: 'HTTP_METHOD_NOT_ALLOWED',
  unsupported_media_type: 'HTTP_UNSUPPORTED_MEDIA_TYPE',
  malformed: 'HTTP_REQUEST_INVALID',
  too_large: 'HTTP_BODY_TOO_LARGE',
  not_decoded: 'HTTP_DECODE_FAILED',
};

/** A request to a route that became no call: the envelope of the generic routes. */
function wordRefusal({ kind, message, code, allow }: JsonObject): object {
  const name = refusalCodes[kind as string] ?? 'HTTP_FAILED';
  const details = {
    ...(code === undefined ? {} : { code: code as JsonValue }),
    ...(allow === undefined ? {} : { allow: allow as JsonValue }),
  };
  const error = otherError({ code: name, message: message as string, retryable: false, details }, { source: 'framework' });
  return { body: { kind: 'json', value: { schemaVersion: 1, code: error.code, error } } };
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null;
}
