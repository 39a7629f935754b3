// Requests of Gmail's clients as arguments of operations. What the mailbox does not have is thrown out by name, never left out silently.
import type { DecodedRequest, HttpRequest, JsonValue } from 'drillyard/tool-sdk';
import { bytesOfBase64, latin } from '../mime/bytes.js';
import { MimeProblem, parseMail } from '../mime/parse.js';
import { invalid, unsupported } from './failures.js';
import { maskIn } from './fields.js';

export type Fields = { readonly [name: string]: JsonValue };
type Arguments = { readonly [name: string]: JsonValue | undefined };

/** Of every method: how the reply is to be formed. Those without a list of values say nothing about the reply. */
const common: { readonly [name: string]: readonly string[] } = {
  alt: ['json'],
  // Looked at before the call, and applied to its reply.
  fields: [],
  prettyPrint: [],
  quotaUser: [],
  key: [],
  access_token: [],
  oauth_token: [],
  uploadType: [],
};

/** The arguments that are there, in the mailbox that the path names. `known`: what the query of this method may have. */
export function asked(request: HttpRequest, known: readonly string[], args: Arguments): DecodedRequest {
  for (const [name, [value = '']] of Object.entries(request.query)) {
    if (known.includes(name)) continue;
    const values = common[name];
    if (values === undefined || (values.length > 0 && !values.includes(value))) throw unsupported(`The parameter ${name} is not served.`);
  }
  const { userId = 'me' } = request.path;
  const mask = single(request, 'fields');
  if (mask !== undefined) maskIn(mask);
  const whole: Arguments = { ...args, mailbox: userId === 'me' ? undefined : userId };
  const present: { [name: string]: JsonValue } = {};
  for (const [name, value] of Object.entries(whole)) if (value !== undefined) present[name] = value;
  return { arguments: present };
}

export const single = (request: HttpRequest, name: string): string | undefined => request.query[name]?.[0];

export function flag(request: HttpRequest, name: string): boolean {
  const value = single(request, name);
  if (value !== undefined && value !== 'true' && value !== 'false') throw invalid(`Invalid value at '${name}'`);
  return value === 'true';
}

/** A page has `most` items at the most, as many as the mailbox gives; who asks for more gets the rest by the token. */
export function pageSize(request: HttpRequest, most: number): number {
  const value = single(request, 'maxResults');
  if (value === undefined) return most;
  if (!/^[0-9]{1,9}$/.test(value)) throw invalid("Invalid value at 'max_results'");
  return Math.max(1, Math.min(Number(value), most));
}

export function oneOf<Value extends string>(request: HttpRequest, name: string, values: readonly Value[]): Value | undefined {
  const value = single(request, name);
  if (value === undefined) return undefined;
  return values.find((known) => known.toLowerCase() === value.toLowerCase()) ?? fail(`Invalid value at '${name}': ${value}`);
}

export function bodyOf({ body }: HttpRequest): Fields {
  if (body.kind === 'none') return {};
  if (body.kind === 'json' && isFields(body.value)) return body.value;
  throw invalid('The body is no object.');
}

export function isFields(value: JsonValue | undefined): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A message of Gmail that holds its whole text in `raw`, with the thread that it is to be in. */
export function wholeMessage(message: JsonValue | undefined): { message: JsonValue; threadId: JsonValue | undefined } {
  if (!isFields(message) || typeof message.raw !== 'string') {
    throw invalid("Missing 'raw': the whole message in base64url");
  }
  const bytes = bytesOfBase64(message.raw);
  if (bytes === undefined) throw invalid("Invalid value at 'message.raw': it is no base64url");
  const { threadId } = message;
  return { message: parsed(latin(bytes)) as unknown as JsonValue, threadId: threadId === null || threadId === '' ? undefined : threadId };
}

function parsed(mail: string) {
  try {
    return parseMail(mail);
  } catch (error) {
    if (error instanceof MimeProblem) throw invalid(error.message);
    throw error;
  }
}

function fail(message: string): never {
  throw invalid(message);
}
