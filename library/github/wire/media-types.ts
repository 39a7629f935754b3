// Answers in another form than JSON as usual: a client asks for `application/vnd.github.diff` or `.raw` in Accept, and gets text, bytes, or a
// directory as one object. A form that GitHub has and a route here has not is an argument that no operation reads: the answer is marked.
import type { EncodeInput, HttpRequest, JsonValue, WireReply } from 'drillyard/tool-sdk';
import { bytesOfBase64 } from '../git/bytes.js';

type Members = { readonly [name: string]: JsonValue };

/** The forms that a route has beside JSON. */
const formats: { readonly [routeId: string]: readonly string[] } = {
  'pulls.get': ['diff'],
  'repos.getCommit': ['diff', 'sha'],
  'repos.getContent': ['raw', 'object'],
  'repos.getContent.root': ['object'],
  'repos.getContent.slash': ['object'],
};
const asked = /application\/vnd\.github(?:\.v3)?\.(base64|diff|full|html|object|patch|raw|sha|star|text|text-match)(?![\w-])(\+json)?/;

/** The argument that says which form; none is JSON. Raw Markdown in JSON is what every route answers with. */
export function askedForm({ routeId, headers }: HttpRequest): { mediaType?: { format: string }; unservedMediaType?: string } {
  const [, format, inJson] = asked.exec((headers.accept ?? []).join()) ?? [];
  if (format === undefined) return {};
  if (formats[routeId]?.includes(format) === true) return { mediaType: { format } };
  return format === 'raw' && inJson !== undefined ? {} : { unservedMediaType: format };
}

/** What each answer says of its media type. */
export function mediaHeaders({ invocation, outcome }: EncodeInput): { [name: string]: string } {
  const { mediaType, unservedMediaType } = invocation.arguments as { readonly mediaType?: Members; readonly unservedMediaType?: string };
  const param = outcome.kind === 'ok' && mediaType !== undefined ? `param=${mediaType.format}` : 'format=json';
  return {
    'content-type': 'application/json; charset=utf-8',
    'x-github-media-type': `github.v3; ${param}`,
    ...(unservedMediaType === undefined ? {} : { 'x-drillyard-unsupported': '1' }),
  };
}

/** Undefined where the value is JSON: none was asked for, or it has no such form. A directory is no bytes. */
export function formOf({ invocation }: EncodeInput, value: JsonValue): WireReply | undefined {
  const { mediaType } = invocation.arguments as { readonly mediaType?: Members };
  if (mediaType === undefined || typeof value !== 'object' || value === null) return undefined;
  const { diff, sha, content } = value as Members;
  const headers = { 'content-type': `application/vnd.github.${String(mediaType.format)}; charset=utf-8` };
  if (mediaType.format === 'diff') return { headers, body: { kind: 'text', value: String(diff) } };
  if (mediaType.format === 'sha') return { headers, body: { kind: 'text', value: String(sha) } };
  if (mediaType.format === 'object' || typeof content !== 'string') return undefined;
  const bytes = Uint8Array.from(bytesOfBase64(content) ?? []);
  return { headers, body: { kind: 'bytes', value: bytes, contentType: headers['content-type'] } };
}
