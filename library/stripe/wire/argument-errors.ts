// Arguments that an operation's schema refuses, as Stripe words them, and whether Stripe itself would have taken them.
import type { EncodeInput, JsonValue } from 'drillyard/tool-sdk';
import { docUrl } from './errors.js';
import { expandableMembers, unservedParameters } from './vendor-parameters.js';

type Members = { readonly [name: string]: JsonValue };
type Invocation = Pick<EncodeInput['invocation'], 'arguments' | 'operationId'>;
interface Issue {
  readonly path: string;
  /** The keyword of the schema. */
  readonly code: string;
  readonly message: string;
}
interface Refused {
  readonly error: Members;
  /** Stripe has the parameter, or the expansion. */
  readonly isUnserved: boolean;
}

/** Undefined where the details are not those of a schema. */
export function argumentError(details: JsonValue | undefined, invocation: Invocation): Refused | undefined {
  const { issues = [] } = (details ?? {}) as { readonly issues?: readonly Issue[] };
  const [issue] = issues;
  if (issue === undefined) return undefined;
  const error = {
    type: 'invalid_request_error',
    ...(withCode(issue, invocation) ?? { ...wordsOf(issue, invocation), param: paramOf(issue.path) }),
  };
  return { error, isUnserved: issues.some((one) => isUnserved(one, invocation)) };
}

function isUnserved({ path, code }: Issue, { operationId, arguments: given }: Invocation): boolean {
  const parts = partsOf(path);
  if (parts[0] === 'expand' && code === 'enum') return expandableMembers().has(String(valueAt(given, parts)).split('.').at(-1) ?? '');
  const name = parts.filter((part) => !/^\d+$/.test(part)).join('.');
  return code === 'additionalProperties' && unservedParameters[operationId]?.().has(name) === true;
}

/** Errors that have a code. */
function withCode({ path, code, message }: Issue, { arguments: given }: Invocation): Members | undefined {
  const value = valueAt(given, partsOf(path));
  if (code === 'required') {
    const param = paramOf(`${path}/${/'(.*)'/.exec(message)?.[1]}`);
    return coded('parameter_missing', `Missing required param: ${param}.`, param);
  }
  const param = paramOf(path);
  if (code === 'additionalProperties') return coded('parameter_unknown', `Received unknown parameter: ${param}`, param);
  if (code === 'minLength' || (code === 'enum' && value === '')) {
    const unset = `We assume empty values are an attempt to unset a parameter; however '${param}' cannot be unset.`;
    const advice = `You should remove '${param}' from your request or supply a non-empty value.`;
    return coded('parameter_invalid_empty', `You passed an empty string for '${param}'. ${unset} ${advice}`, param);
  }
  if (code === 'type' && message.includes('integer') && value !== null && typeof value !== 'object')
    return coded('parameter_invalid_integer', `Invalid integer: ${value}`, param);
  const bound = boundIn(message);
  if (code === 'minimum') return coded('parameter_invalid_integer', `This value must be greater than or equal to ${bound}.`, param);
  if (code === 'maximum') return coded('parameter_invalid_integer', `This value must be less than or equal to ${bound}.`, param);
  return undefined;
}

const coded = (code: string, message: string, param: string): Members => ({ code, doc_url: docUrl(code), message, param });

function wordsOf({ path, code, message }: Issue, { arguments: given }: Invocation): { readonly message: string } {
  const parts = partsOf(path);
  const value = valueAt(given, parts);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const [type] = /(?:string|integer|boolean|array|object)/.exec(message) ?? ['value'];
  if (code === 'type') return { message: `Invalid ${type}${type === 'array' || type === 'object' ? '' : `: ${text}`}` };
  if (code === 'enum' && parts[0] === 'expand') return { message: `This property cannot be expanded (${text}).` };
  if (code === 'enum' || code === 'const') return { message: `Invalid ${paramOf(path)}: must be one of ${choicesIn(message)}` };
  if (parts.at(-1) === 'metadata' && (code === 'maxLength' || code === 'pattern') && typeof value === 'object')
    return { message: keyWords(Object.keys(value ?? {}), Number(boundIn(message))) };
  if (parts.at(-2) === 'metadata' && code === 'maxLength') {
    const words = `Metadata values can have up to ${boundIn(message)} characters, but you passed in a value that is ${[...text].length} characters.`;
    return { message: `${words} Invalid value: ${text}` };
  }
  if (code === 'maxProperties') return { message: `You can have up to ${boundIn(message)} keys in ${paramOf(path)}.` };
  // A text where an object is wanted may only be empty, which unsets it.
  if (code === 'maxLength' && boundIn(message) === '0') return { message: 'Invalid object' };
  if (code === 'maxLength') return { message: `Invalid string: ${short(text)}; must be at most ${boundIn(message)} characters` };
  if (code === 'maxItems') return { message: `Invalid array: must have at most ${boundIn(message)} elements` };
  return { message: `Invalid ${parts.at(-1) ?? 'request'}: ${short(text)}` };
}

function keyWords(keys: readonly string[], charsMax: number): string {
  const bracketed = keys.find((key) => /[[\]]/.test(key));
  if (bracketed !== undefined) return `Metadata keys cannot contain square brackets. Invalid key: ${bracketed}`;
  const long = keys.find((key) => [...key].length > charsMax) ?? '';
  const words = `Metadata keys can have up to ${charsMax} characters, but you passed in a key that is ${[...long].length} characters.`;
  return `${words} Invalid key: ${long}`;
}

const shownChars = 20;
const short = (text: string): string => (text.length > shownChars ? `${text.slice(0, shownChars)}...` : text);
const boundIn = (message: string): string => /-?\d+/.exec(message)?.[0] ?? '';

function choicesIn(message: string): string {
  const choices = [...message.matchAll(/"([^"]*)"/g)].map(([, choice]) => choice);
  return choices.length < 2 ? choices.join() : `${choices.slice(0, -1).join(', ')}, or ${choices.at(-1)}`;
}

/** The path of a member as Stripe writes it: `items[0][price]`. */
const paramOf = (path: string): string =>
  partsOf(path)
    .map((part, index) => (index === 0 ? part : `[${part}]`))
    .join('');

const partsOf = (path: string): string[] =>
  path
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));

const valueAt = (given: JsonValue, parts: readonly string[]): JsonValue =>
  parts.reduce<JsonValue>((value, part) => (value as { readonly [part: string]: JsonValue } | null)?.[part] ?? null, given);
