// Arguments that an operation's schema refuses, in Notion's words.
import type { JsonValue } from 'drillyard/tool-sdk';
import { unfitWords } from './failures.js';

interface Issue {
  readonly path: string;
  /** The keyword of the schema. */
  readonly code: string;
  readonly message: string;
}

/** Undefined where the details are not those of a schema. `givenIn`: whether the path, the query or the body has an argument. */
export function argumentWords(
  details: JsonValue | undefined,
  given: JsonValue,
  givenIn: (argument: string, isKnown: boolean) => string,
): string | undefined {
  const { issues = [] } = (details ?? {}) as { readonly issues?: readonly Issue[] };
  const [issue] = issues;
  if (issue === undefined) return undefined;
  const { code, message } = issue;
  const missing = code === 'required' ? /'(.*)'/.exec(message)?.[1] : undefined;
  const parts = [...partsOf(issue.path), ...(missing === undefined ? [] : [missing])];
  const isKnown = code !== 'required' && code !== 'additionalProperties';
  const path = [givenIn(parts[0] ?? '', isKnown), ...parts].join('.').replace(/\.(\d+)(?=\.|$)/g, '[$1]');
  const value = parts.reduce<JsonValue | undefined>((so, part) => (so as { readonly [part: string]: JsonValue } | null)?.[part], given);
  if (code === 'required') return unfitWords(path, 'defined', undefined);
  if (code === 'additionalProperties') return unfitWords(path, 'not present', value);
  if (code === 'type') return unfitWords(path, typesIn(message), value);
  const bound = /\d+/.exec(message)?.[0] ?? '';
  const sign = code === 'minLength' ? '≥' : '≤';
  return code === 'minLength' || code === 'maxLength'
    ? unfitWords(`${path}.length`, `${sign} \`${bound}\``, String(value).length)
    : unfitWords(path, 'valid', value);
}

const partsOf = (path: string): string[] =>
  path
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));

/** `must be object,null` */
const typesIn = (message: string): string =>
  message
    .replace('must be ', '')
    .split(',')
    .map((type) => shownTypes[type] ?? `a ${type}`)
    .join(' or ');

const shownTypes: { readonly [type: string]: string } = {
  array: 'an array',
  integer: 'a number',
  null: '`null`',
  object: 'an object',
};
