// How a broken shape is explained to a person: what was expected, what was found, and why it matters (the doc comment of the type).
import { beginningOf } from '../text/cut-text.js';
import { nearest } from '../text/nearest.js';
import type { Issue } from './errors.js';
import { limits } from './limits.js';
import { jsonTypeOf, type Schema, typeOfSchema } from './shape.js';

const typeWords = {
  null: 'null',
  boolean: 'true or false',
  number: 'a number',
  integer: 'an integer',
  string: 'text',
  array: 'a list',
  object: 'an object',
};

export function expectedWords(options: readonly Schema[]): string {
  if (new Set(options.map(typeOfSchema)).size === 6) return 'any JSON value';
  // Beside texts that are named one by one no other will do but of its pattern.
  const areNamed = options.some((schema) => typeof schema.const === 'string');
  const wordsOf = (schema: Schema): string => {
    if ('const' in schema) return JSON.stringify(schema.const);
    return areNamed && schema.pattern !== undefined ? patternWords(schema.pattern) : typeWords[schema.type ?? 'object'];
  };
  return joinWords([...new Set(options.map(wordsOf))], 'or');
}

/** Of a text. */
export function patternWords(pattern: string): string {
  const beginning = /^\^\((\w+)\(\.\*\)\)$/.exec(pattern)?.[1];
  return beginning === undefined ? `text that matches ${pattern}` : `text that begins with "${beginning}"`;
}

export function foundWords(value: unknown): string {
  const type = jsonTypeOf(value);
  if (type === 'boolean' || type === 'null') return String(value);
  return type === 'string' || type === 'number' ? quote(value) : typeWords[type];
}

/** A value of a format of JSON Schema. */
export function formatWords(format: string): string {
  return format === 'uri' ? 'a URL that begins with its scheme, such as http:// or https://' : `text in the format "${format}"`;
}

/** `"a", "b" or "c"`. */
function joinWords(words: readonly string[], conjunction: 'and' | 'or'): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${conjunction} ${words.at(-1)}`;
}

/** A value as JSON, short enough for a sentence. */
function quote(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= limits.quotedPieceCharsMax ? text : `${beginningOf(text, limits.quotedPieceCharsMax - 3)}...`;
}

/** The first line of a doc comment, in parentheses. */
export function becauseOf(descriptions: readonly (string | undefined)[]): string {
  const description = descriptions.find((text) => text !== undefined)?.split('\n')[0];
  return description === undefined ? '' : ` (${description.replace(/[.]$/, '')})`;
}

/** Shapes as people call them: `ScenarioInput` is what an author writes as a Scenario. */
function shapeWords(name: string | undefined): string {
  return name === undefined ? 'this object' : name.replace(/Input$/, '');
}

/** ` (a Drill has either "actorId" and "task" or "timeline")`: what each form must have that no other has; '' where one has nothing. */
export function formsWords(name: string | undefined, forms: readonly { schema: Schema }[]): string {
  const own = forms.map(({ schema }) =>
    (schema.required ?? []).filter((member) =>
      forms.every((form) => form.schema === schema || form.schema.properties?.[member] === undefined),
    ),
  );
  if (name === undefined || own.some((members) => members.length === 0)) return '';
  return ` (a ${shapeWords(name)} has either ${own.map((members) => joinWords(members.map(quote), 'and')).join(' or ')})`;
}

export function unknownMemberWords(member: string, known: readonly string[], name: string | undefined): string {
  const near = nearest(member, known);
  const hint = near !== undefined ? meantWords(near) : known.length === 0 ? '; it has none' : `; it has ${joinWords(known, 'and')}`;
  return `"${beginningOf(member, limits.quotedNameCharsMax)}" is not a member of ${shapeWords(name)}${hint}`;
}

/** What people write where the contract has another word. */
const synonyms: { readonly [word: string]: string } = {
  success: 'ok',
  succeeded: 'ok',
  passed: 'ok',
  error: 'tool_error',
  failure: 'tool_error',
  failed: 'tool_error',
  forbidden: 'denied',
  refused: 'denied',
  add: 'insert',
  create: 'insert',
  set: 'upsert',
  put: 'upsert',
  insert: 'upsert',
  remove: 'delete',
  after: 'after_commit',
  equal: 'equals',
  script: 'module',
  function: 'module',
  process: 'command',
  stdio: 'cli',
};

/** `; did you mean "state.value"?`, where a constant is near to what was found. */
export function meantConstant(options: readonly Schema[], found: unknown): string {
  if (typeof found !== 'string') return '';
  const known = options.flatMap((schema) => (typeof schema.const === 'string' ? [schema.const] : []));
  const near = nearest(found, known) ?? synonymIn(found.toLowerCase(), known);
  return near === undefined ? '' : meantWords(near);
}

function synonymIn(word: string, known: readonly string[]): string | undefined {
  const synonym = Object.hasOwn(synonyms, word) ? (synonyms[word] as string) : undefined;
  return synonym !== undefined && known.includes(synonym) ? synonym : undefined;
}

function meantWords(near: string): string {
  return `; did you mean "${near}"?`;
}

/** A scalar without quotes that YAML reads as no text, where text is expected: `version: 1.0`. */
export function lacksQuotes({ code, message }: Pick<Issue, 'code' | 'message'>): boolean {
  return code === 'wrong_type' && /^expected text, found (?:-?\d|true\b|false\b)/.test(message);
}

/** A message without its `did you mean`, and what that names: for those who show a suggestion by itself. */
export function splitMeant(message: string): { message: string; meant?: string } {
  const found = /; did you mean "([^"]+)"\?/.exec(message);
  return found === null ? { message } : { message: message.replace(found[0], ''), meant: found[1] as string };
}
