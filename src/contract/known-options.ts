// Options of public functions, and the members of their members: a name that nobody knows would be ignored, and a value of another type
// would fail far from its cause.
import { beginningOf } from '../text/cut-text.js';
import { nearest } from '../text/nearest.js';
import { ServiceError } from './errors.js';
import type { IssueCode } from './issue-codes.js';
import { isRecord } from './json.js';
import { limits } from './limits.js';

export type OptionShape =
  | 'text'
  | 'number'
  | 'boolean'
  | 'function'
  | 'object'
  /** Looked at by the function itself. */
  | 'anything'
  | { required: OptionShape }
  | { orFalse: OptionShape }
  | { oneOf: readonly string[] }
  | { listOf: OptionShape }
  | { mapOf: OptionShape }
  /** An object of the caller's own, which may have members for other uses. */
  | { having: { readonly [name: string]: OptionShape } }
  | { members: { readonly [name: string]: OptionShape } };
/** Every option of a function, so that a table that leaves one out does not compile. */
export type OptionShapes<T> = { readonly [name in keyof Required<T>]: OptionShape };

const isolations = ['thread', 'process', 'box'] as const;
/** An object of these members alone; the compiler holds the table against its type, as it does for options. */
export function membersOf<T>(members: OptionShapes<T>): OptionShape {
  return { members };
}
/** Shapes that several functions share. */
export const optionShapes = {
  root: { required: 'text' },
  isolate: { oneOf: isolations },
  texts: { listOf: 'text' },
  receivers: { mapOf: { having: { url: { required: 'text' }, secret: { required: 'text' } } } },
} as const satisfies { [name: string]: OptionShape };

/** Names of the same thing elsewhere, each with the option that has it: `log.level` for `logLevel`. */
export interface NamesElsewhere {
  /** What has these names, as in "the setting logLevel". */
  what: string;
  options: ReadonlyMap<string, string>;
}

/** control.INVALID_REQUEST for the first option that is unknown, missing or of another type; `of` names the function. */
export function requireOptions(
  of: string,
  options: object,
  shapes: { readonly [name: string]: OptionShape },
  elsewhere?: NamesElsewhere,
): void {
  if (!isRecord(options)) throw new ServiceError('control.INVALID_REQUEST', { message: `${of} takes an object of options.` });
  for (const name of Object.keys(options)) {
    const option = Object.hasOwn(shapes, name) ? undefined : elsewhere?.options.get(name);
    if (option !== undefined) throw unknown(below({ of, path: [] }, name), `The ${elsewhere?.what} ${name} is the option "${option}".`);
  }
  requireMembers({ of, path: [] }, options, shapes);
}

interface Place {
  of: string;
  path: readonly string[];
}

function requireMembers(place: Place, value: Members, shapes: { readonly [name: string]: OptionShape }): void {
  const known = Object.keys(shapes);
  for (const name of Object.keys(value)) if (!Object.hasOwn(shapes, name)) throw unknown(below(place, name), hintOf(name, known));
  for (const [name, shape] of Object.entries(shapes)) requireShape(below(place, name), value[name], shape);
}

function requireShape(place: Place, value: unknown, shape: OptionShape): void {
  if (typeof shape === 'object' && 'required' in shape) {
    if (value === undefined) throw refusal(place, 'required', `${place.of} needs the option ${nameOf(place)}.`);
    requireShape(place, value, shape.required);
    return;
  }
  if (value === undefined || shape === 'anything') return;
  if (!isOfShape(value, shape)) throw wrongType(place, value, shape);
  if (typeof shape === 'string' || 'oneOf' in shape) return;
  if ('orFalse' in shape) {
    if (value !== false) requireShape(place, value, shape.orFalse);
  } else if ('having' in shape)
    for (const [name, member] of Object.entries(shape.having)) requireShape(below(place, name), (value as Members)[name], member);
  else if ('members' in shape) requireMembers(place, value as Members, shape.members);
  else if ('mapOf' in shape)
    for (const [name, item] of Object.entries(value as Members)) requireShape(below(place, name), item, shape.mapOf);
  else for (const [at, item] of (value as unknown[]).entries()) requireShape(below(place, String(at)), item, { required: shape.listOf });
}

/** What is inside is another question. */
function isOfShape(value: unknown, shape: Exclude<OptionShape, { required: OptionShape }>): boolean {
  if (shape === 'text') return typeof value === 'string';
  if (shape === 'object') return isRecord(value);
  if (typeof shape === 'string') return shape === 'anything' || typeof value === shape;
  if ('oneOf' in shape) return shape.oneOf.some((one) => one === value);
  if ('orFalse' in shape) return true;
  return 'listOf' in shape ? Array.isArray(value) : isRecord(value);
}

function wordsOf(shape: OptionShape): string {
  if (shape === 'text') return 'text';
  if (typeof shape === 'string') return shape === 'object' ? 'an object' : `a ${shape}`;
  if ('oneOf' in shape) return `one of ${shape.oneOf.join(', ')}`;
  return 'listOf' in shape ? 'a list' : 'an object';
}

function wrongType(place: Place, value: unknown, shape: OptionShape): ServiceError {
  const expected = wordsOf(shape);
  const given = typeof value === 'string' ? 'text' : value === null ? 'null' : Array.isArray(value) ? 'a list' : `of type ${typeof value}`;
  const isChoice = typeof shape === 'object' && 'oneOf' in shape;
  return refusal(
    place,
    isChoice ? 'not_one_of' : 'wrong_type',
    `${place.of}: the option ${nameOf(place)} must be ${expected}${isChoice ? '' : `; it is ${given}`}.`,
  );
}

function hintOf(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near === undefined ? `It has ${known.join(', ')}.` : `Did you mean "${near}"?`;
}

function unknown(place: Place, hint: string): ServiceError {
  return refusal(place, 'unknown_property', `${place.of} has no option ${nameOf(place)}. ${hint}`, hint);
}

function refusal({ path }: Place, code: IssueCode, message: string, hint = message): ServiceError {
  return new ServiceError('control.INVALID_REQUEST', {
    message,
    issues: [{ path: path.map((name) => `/${name}`).join(''), code, message: hint }],
  });
}

function below({ of, path }: Place, name: string): Place {
  return { of, path: [...path, beginningOf(name, limits.quotedNameCharsMax)] };
}

function nameOf({ path }: Place): string {
  return `"${path.join('.')}"`;
}

type Members = { [name: string]: unknown };
