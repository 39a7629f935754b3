// What the 2026-07-28 revision repeats of a message in headers, held against the message.
import { isUtf8 } from 'node:buffer';
import type { JsonObject, JsonValue } from '../contract/json.js';
import { valueAt } from '../contract/json-path.js';
import type { HeaderParam } from '../contract/world/mcp-header-params.js';
import { McpFailure } from './mcp-messages.js';

export type Headers = ReadonlyMap<string, string>;

/** Without the blanks around it. */
export function headerOf(headers: Headers, name: string): string | undefined {
  return headers.get(name)?.trim();
}

/** Of a tools/call: the name in the header, which may be written in base64, is the one in the body. */
export function requireName(name: JsonValue | undefined, headers: Headers): void {
  const sent = headerOf(headers, 'mcp-name');
  if (sent === undefined || decoded(sent) !== name) throw headerMismatch('Mcp-Name');
}

/** Of a tools/call: each argument that the tool wants in a header is there as it is in the body, and not there where the body has none. */
export function requireHeaderParams(params: readonly HeaderParam[], args: JsonObject, headers: Headers): void {
  for (const { header, path } of params) {
    const value = valueAt(args, path) ?? null;
    const sent = headerOf(headers, header);
    if (sent === undefined ? value !== null : !says(decoded(sent), value)) throw headerMismatch(header);
  }
}

function says(text: string | undefined, value: JsonValue): boolean {
  if (typeof value === 'number') return text !== undefined && /^-?\d+(\.0*)?$/.test(text) && Number(text) === value;
  return typeof value === 'boolean' ? text === String(value) : text === value;
}

export function headerMismatch(header: string): McpFailure {
  return new McpFailure('headerMismatch', `The ${header} header is missing or is not what the body says.`, { status: 400 });
}

const sentinel = /^=\?base64\?(.*)\?=$/;
const paddedBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Undefined where it is said to be base64 of UTF-8 and is not. */
function decoded(value: string): string | undefined {
  const encoded = sentinel.exec(value)?.[1];
  if (encoded === undefined) return value;
  const bytes = Buffer.from(encoded, 'base64');
  return paddedBase64.test(encoded) && isUtf8(bytes) ? bytes.toString() : undefined;
}
