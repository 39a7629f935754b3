// What a schema refuses of the arguments, in GitHub's words: one line an issue.
import type { JsonValue } from 'drillyard/tool-sdk';

interface Issue {
  readonly path: string;
  /** The keyword of the schema. */
  readonly code: string;
  readonly message: string;
}

/** `message` where the details are not those of a schema. */
export function argumentWords(details: JsonValue | undefined, message: string, given: JsonValue): string {
  const { issues = [] } = (details ?? {}) as { readonly issues?: readonly Issue[] };
  const lines = issues.length === 0 ? [message] : issues.map((issue) => wordsOf(issue, given));
  return `Invalid request.\n\n${lines.join('\n')}`;
}

function wordsOf({ path, code, message }: Issue, given: JsonValue): string {
  const parts = path.split('/').slice(1);
  if (code === 'required') return `"${/'(.*)'/.exec(message)?.[1]}" wasn't supplied.`;
  if (code === 'additionalProperties') return `"${parts.at(-1)}" is not a permitted key.`;
  const value = shownAt(given, parts);
  return parts.length === 0 ? `${value} ${ruleOf(code, message)}.` : `For '${placeOf(parts)}', ${value} ${ruleOf(code, message)}.`;
}

function ruleOf(code: string, message: string): string {
  const bound = /-?\d+/.exec(message)?.[0] ?? '';
  switch (code) {
    case 'type': {
      const [type] = /(?:string|integer|number|boolean|array|object|null)/.exec(message) ?? ['value'];
      return `is not ${/^[aeio]/.test(type) ? 'an' : 'a'} ${type}`;
    }
    case 'enum':
    case 'const':
      return `is not a possible value. Must be one of the following: ${message.replace(/^must be (?:one of )?/, '').replaceAll('"', '')}`;
    case 'maxLength':
      return `is too long (maximum is ${bound} characters)`;
    case 'minLength':
      return `is too short (minimum is ${bound} characters)`;
    case 'maximum':
      return `must be less than or equal to ${bound}`;
    case 'minimum':
      return `must be greater than or equal to ${bound}`;
    case 'maxItems':
      return `has more than ${bound} items`;
    case 'minItems':
      return `has less than ${bound} items`;
    default:
      return 'is invalid';
  }
}

/** A place in GitHub's schema: `properties/labels/items/0`. */
const placeOf = (parts: readonly string[]): string =>
  parts.map((part) => (/^\d+$/.test(part) ? `items/${part}` : `properties/${part}`)).join('/');

const shownChars = 100;
function shownAt(given: JsonValue, parts: readonly string[]): string {
  const value = parts.reduce<JsonValue>((so, part) => (so as { readonly [part: string]: JsonValue } | null)?.[part] ?? null, given);
  return value === null ? 'nil' : JSON.stringify(value).slice(0, shownChars);
}
