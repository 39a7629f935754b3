// What a schema refuses of the arguments, in Google's words; arguments have the names that they have on the wire.
import type { JsonValue } from 'drillyard/tool-sdk';

interface Issue {
  readonly path: string;
  /** The keyword of the schema. */
  readonly code: string;
  readonly message: string;
}
const names: { readonly [argument: string]: string } = { cursor: 'page_token', limit: 'max_results', query: 'q' };
const ids = /^(?:id|ids|messageId|threadId|draftId|attachmentId)$/;

/** `message` where the details are not those of a schema. */
export function argumentWords(details: JsonValue | undefined, message: string, given: JsonValue): string {
  const [issue] = ((details ?? {}) as { readonly issues?: readonly Issue[] }).issues ?? [];
  if (issue === undefined) return message;
  const parts = issue.path.split('/').slice(1);
  const name = parts.filter((part) => !/^\d+$/.test(part)).at(-1) ?? '';
  if (issue.code === 'required') return `Required parameter: ${/'(.*)'/.exec(issue.message)?.[1]}`;
  if (issue.code === 'additionalProperties') return `Invalid JSON payload received. Unknown name "${name}": Cannot find field.`;
  const value = parts.reduce<JsonValue>((so, part) => (so as { readonly [part: string]: JsonValue } | null)?.[part] ?? null, given);
  if (/labelIds?$/i.test(name)) return `Invalid label: ${typeof value === 'string' ? value : JSON.stringify(value)}`;
  if (ids.test(name)) return 'Invalid id value';
  if (name === 'cursor') return 'Invalid pageToken';
  return `Invalid value at '${placeOf(parts)}'${typeOf(issue)}, ${JSON.stringify(value).slice(0, shownChars)}`;
}

const shownChars = 100;
const placeOf = (parts: readonly string[]): string =>
  parts.map((part, index) => (/^\d+$/.test(part) ? `[${part}]` : `${index === 0 ? '' : '.'}${names[part] ?? part}`)).join('');

function typeOf({ code, message }: Issue): string {
  const [type] = /(?:string|integer|number|boolean)/.exec(code === 'type' ? message : '') ?? [];
  if (type === undefined) return '';
  return ` (${{ string: 'TYPE_STRING', integer: 'TYPE_INT32', number: 'TYPE_DOUBLE', boolean: 'TYPE_BOOL' }[type]})`;
}
