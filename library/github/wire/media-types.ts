// Answers in another form than JSON: a client asks for `application/vnd.github.diff` or `.raw` in Accept, and gets text or bytes.
import type { EncodeInput, HttpRequest, JsonValue, WireReply } from 'drillyard/tool-sdk';
import { bytesOfBase64 } from '../git/bytes.js';

type Members = { readonly [name: string]: JsonValue };

/** The forms that a route has beside JSON. */
const formats: { readonly [routeId: string]: string } = {
  'pulls.get': 'diff',
  'repos.getCommit': 'diff',
  'repos.getContent': 'raw',
};

/** The argument that says which form; none is JSON, and so is one that the route has not. */
export function askedForm({ routeId, headers }: HttpRequest): { mediaType?: { format: string } } {
  const format = formats[routeId];
  const [, asked] = /application\/vnd\.github(?:\.v3)?\.(diff|raw)\b/.exec((headers.accept ?? []).join()) ?? [];
  return format !== undefined && asked === format ? { mediaType: { format } } : {};
}

/** Undefined where JSON was asked for, or the value has no such form: a directory is no bytes. */
export function formOf({ invocation }: EncodeInput, value: JsonValue): WireReply | undefined {
  const { mediaType } = invocation.arguments as { readonly mediaType?: Members };
  if (mediaType === undefined || typeof value !== 'object' || value === null) return undefined;
  const { diff, content } = value as Members;
  const headers = { 'content-type': `application/vnd.github.${String(mediaType.format)}; charset=utf-8` };
  if (mediaType.format === 'diff') return { headers, body: { kind: 'text', value: String(diff) } };
  if (typeof content !== 'string') return undefined;
  const bytes = Uint8Array.from(bytesOfBase64(content) ?? []);
  return { headers, body: { kind: 'bytes', value: bytes, contentType: headers['content-type'] } };
}
