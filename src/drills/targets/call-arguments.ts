// What an agent asks of its world over `direct`, as it leaves the agent: plain values of the kinds that they have to be, arguments as JSON
// and no more of it than a request's body may be. Nothing is made a text or a number that is none, and null is absent, as options go.
import { ServiceError } from '../../contract/errors.js';
import { limits } from '../../contract/limits.js';
import { beginningOf } from '../../text/cut-text.js';
import { losslessJson } from './lossless-json.js';

export interface AskedCall {
  packageId: string;
  operationId: string;
  argumentsText: string;
  idempotencyKey?: string;
  instanceId?: string;
}
interface CallOptions {
  idempotencyKey?: unknown;
  instanceId?: unknown;
}

/** Throws control.INVALID_REQUEST or control.PAYLOAD_TOO_LARGE; what JSON.stringify says of a value that has no JSON stays its own. */
export function askedCall(packageId: unknown, operationId: unknown, args: unknown, options: CallOptions | null | undefined): AskedCall {
  const { idempotencyKey, instanceId } = options ?? {};
  return {
    packageId: textOf('packageId', packageId),
    operationId: textOf('operationId', operationId),
    argumentsText: argumentsText(args),
    ...optional('idempotencyKey', idempotencyKey, textOf),
    ...optional('instanceId', instanceId, textOf),
  };
}

/** Throws control.INVALID_REQUEST. */
export function askedWait(untilUs: unknown): { untilUs?: number } {
  return optional('untilUs', untilUs, numberOf);
}

/** Throws control.INVALID_REQUEST. */
export function askedReceiver(receiverId: unknown, { url, secret }: { url: unknown; secret: unknown }) {
  return { receiverId: textOf('receiverId', receiverId), url: textOf('url', url), secret: textOf('secret', secret) };
}

function optional<N extends string, T>(name: N, value: unknown, read: (name: N, value: unknown) => T): { [K in N]?: T } {
  return value === undefined || value === null ? {} : ({ [name]: read(name, value) } as { [K in N]?: T });
}
function textOf(name: string, value: unknown): string {
  if (typeof value !== 'string') throw wrongType(name, value, 'a string');
  return value;
}
function numberOf(name: string, value: unknown): number {
  if (typeof value !== 'number') throw wrongType(name, value, 'a number');
  return value;
}
function wrongType(name: string, value: unknown, wanted: string): ServiceError {
  const message = `must be ${wanted}, and is ${value === null ? 'null' : `of type ${typeof value}`}`;
  const issues = [{ path: `/${name}`, code: 'wrong_type', message }];
  return new ServiceError('control.INVALID_REQUEST', { message: `${name} ${message}.`, issues });
}

function argumentsText(value: unknown): string {
  const { text, fault } = losslessJson(value);
  if (fault !== undefined) throw notJson(fault.path, fault.words);
  if (text === undefined) throw notJson('', `is a ${typeof value}, which has no JSON`);
  requireArgumentsSize(text);
  return text;
}

function notJson(path: string, words: string): ServiceError {
  const issue = { path: `/arguments${path}`, code: 'not_json', message: words };
  const place = path === '' ? '' : ` at ${beginningOf(path, limits.quotedNameCharsMax)}`;
  return new ServiceError('control.INVALID_REQUEST', { message: `The value of the arguments${place} ${words}.`, issues: [issue] });
}

export function requireArgumentsSize(text: string): void {
  const { bodyBytesMax } = limits;
  if (Buffer.byteLength(text) <= bodyBytesMax) return;
  throw new ServiceError('control.PAYLOAD_TOO_LARGE', { message: `The arguments are larger than ${bodyBytesMax} bytes.` });
}
