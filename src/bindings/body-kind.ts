// Which of the kinds of body that a route takes a request has: its content type says so.
import { ServiceError } from '../contract/errors.js';
import type { RequestBodyKind } from '../contract/world/tool-manifest.js';
import { mediaTypeOf } from './media-type.js';

type Kind = Exclude<RequestBodyKind, 'none' | 'any_json'>;
/** In this order: what is said of the one before goes first. `bytes` takes what no other that is listed does. */
const kinds: { readonly [kind in Kind]: { shape: RegExp; words: string } } = {
  json: { shape: /^application\/(?:[^\s;]+\+)?json$/, words: 'JSON' },
  form: { shape: /^application\/x-www-form-urlencoded$/, words: 'application/x-www-form-urlencoded' },
  multipart: { shape: /^multipart\/(?:form-data|related|mixed)$/, words: 'multipart/form-data, related or mixed' },
  text: { shape: /^(?:[^\s;/]+\/[^\s;/]+)?$/, words: 'text' },
  bytes: { shape: /^/, words: 'bytes' },
};
/** Beside bytes, only what says that it is text is. */
const textBesideBytes = /^(?:text\/[^\s;/]+|application\/(?:[^\s;/]+\+)?xml)$/;
const utf8 = /^(?:utf-8|us-ascii)$/i;

/** Of a request without a body too; `none` where no kind fits nothing. Throws control.UNSUPPORTED_MEDIA_TYPE. */
export function bodyKind(
  listed: RequestBodyKind | readonly RequestBodyKind[],
  contentType: string | undefined,
  isEmpty: boolean,
): RequestBodyKind {
  const taken: readonly RequestBodyKind[] = typeof listed === 'string' ? [listed] : listed;
  if (taken[0] === 'any_json') return isEmpty ? 'none' : 'any_json';
  // Of nothing it does not matter what it is called, where there is one kind.
  if (isEmpty && taken.length === 1) return taken[0] as RequestBodyKind;
  const { type, parameters } = mediaTypeOf(contentType ?? '');
  const found = (Object.keys(kinds) as Kind[]).find((kind) => taken.includes(kind) && fits(kind, type, taken));
  if (found !== undefined && (found === 'bytes' || found === 'multipart' || utf8.test(parameters.get('charset') ?? 'utf-8'))) return found;
  if (isEmpty) return 'none';
  const words = taken.map((kind) => (kind === 'none' || kind === 'any_json' ? 'nothing' : kinds[kind].words)).join(', or ');
  throw new ServiceError('control.UNSUPPORTED_MEDIA_TYPE', {
    message: `The body must be ${words}${taken.every((kind) => kind === 'bytes' || kind === 'multipart') ? '' : ' in UTF-8'}.`,
  });
}

export function isForm(type: string): boolean {
  return kinds.form.shape.test(type);
}

function fits(kind: Kind, type: string, taken: readonly RequestBodyKind[]): boolean {
  return kind === 'text' && taken.includes('bytes') ? textBesideBytes.test(type) : kinds[kind].shape.test(type);
}
