// Why a value does not have its shape: every broken path, with a stable code (docs/errors.md). typia's generated checks say yes or no
// fast; this walk over the same types' schemas runs when the answer was no. Why: docs/decisions/017.
//   SHAPE-ISSUES-1. Unions are decided first (by JSON type, then by the member that tells the alternatives apart), so one typo is one
//     issue.
//   SHAPE-ISSUES-2. A refinement sees only values whose shape is right.
// Nothing is put into words unless it is broken.
// Values are JSON already (checkJson), so that the walk ends.
import type { Issue } from './errors.js';
import type { IssueCode } from './issue-codes.js';
import { pointerToken } from './json-fault.js';
import { limits } from './limits.js';
import {
  type Alternative,
  alternatives,
  chooseObject,
  jsonTypeOf,
  type Members,
  refPrefix,
  type Schema,
  type Shapes,
  shapeName,
  typeOfSchema,
  type Union,
  unionOf,
} from './shape.js';
import type { Refinements } from './shape-refine.js';
import {
  becauseOf,
  expectedWords,
  formatWords,
  formsWords,
  foundWords,
  meantConstant,
  patternWords,
  unknownMemberWords,
} from './shape-words.js';

export interface IssueFinderOptions {
  shapes: Shapes;
  refinements: Refinements;
  patternOf: (source: string) => { test(text: string): boolean };
  formats: { readonly [name: string]: (text: string) => boolean };
}

/** Every issue of a value that is to be of the named shape, in the order of the value, at most `issuesMax`. */
export function shapeIssues(options: IssueFinderOptions, name: string, value: unknown): Issue[] {
  const walk = new Walk(options);
  walk.visit({ $ref: refPrefix + name }, value, '');
  return walk.issues;
}

/** Why a place matters: the doc comments of the member and of its shape, the nearest first. */
type Why = readonly (string | undefined)[];

class Walk {
  readonly issues: Issue[] = [];
  readonly #options: IssueFinderOptions;

  constructor(options: IssueFinderOptions) {
    this.#options = options;
  }

  visit(schema: Schema, value: unknown, path: string): void {
    const name = shapeName(schema);
    const target = name === undefined ? schema : (this.#options.shapes[name] as Schema);
    this.#visitAlternative({ schema: target, name }, value, path, [schema.description, target.description]);
  }

  #report(path: string, code: IssueCode, message: string): void {
    if (this.issues.length < limits.issuesMax) this.issues.push({ path, code, message });
  }

  /** `note` is said of the members that an object has too many or too few. */
  #visitAlternative(alternative: Alternative, value: unknown, path: string, why: Why, note = ''): void {
    const { name, schema } = alternative;
    if (name === 'JsonValue' || this.issues.length >= limits.issuesMax) return;
    const before = this.issues.length;
    if (schema.oneOf === undefined) this.#visitShape(alternative, value, path, why, note);
    else this.#visitUnion(alternative, value, path, why);
    const refine = name === undefined ? undefined : this.#options.refinements[name];
    if (refine === undefined || this.issues.length > before) return;
    refine(value as never, (inside, code, message) => this.#report(path + inside, code, message));
  }

  #visitShape(alternative: Alternative, value: unknown, path: string, why: Why, note: string): void {
    const { schema } = alternative;
    const type = typeOfSchema(schema);
    if (type !== undefined && type !== jsonTypeOf(value)) this.#mismatch('wrong_type', [schema], value, path, why);
    else if ('const' in schema) {
      if (schema.const !== value) this.#mismatch('not_one_of', [schema], value, path, why);
    } else if (type === 'string') this.#visitText(schema, value as string, path, why);
    else if (type === 'number') this.#visitNumber(schema, value as number, path, why);
    else if (type === 'array') this.#visitList(schema, value as unknown[], path, why);
    else if (type === 'object') this.#visitObject(alternative, value as Members, path, note);
  }

  #visitUnion({ schema: unionSchema, name }: Alternative, value: unknown, path: string, why: Why): void {
    const union = unionOf(this.#options.shapes, unionSchema);
    const type = jsonTypeOf(value);
    const fitting = union.all.filter(({ schema }) => typeOfSchema(schema) === type);
    const [only] = fitting;
    const schemas = union.all.map(({ schema }) => schema);
    if (only === undefined) this.#mismatch('wrong_type', schemas, value, path, why);
    else if (fitting.every(({ schema }) => 'const' in schema)) {
      if (!fitting.some(({ schema }) => schema.const === value)) this.#mismatch('not_one_of', schemas, value, path, why);
    } else if (fitting.length === 1) this.#visitAlternative(only, value, path, why);
    else if (type !== 'object' && type !== 'array') this.#visitOneText(fitting, schemas, value, path, why);
    else this.#visitOneObject(union, name, value as Members, path, why);
  }

  #visitOneText(fitting: readonly Alternative[], schemas: Schema[], value: unknown, path: string, why: Why): void {
    if (!fitting.some((one) => this.#takes(one, value))) this.#mismatch('not_one_of', schemas, value, path, why);
  }
  #takes(alternative: Alternative, value: unknown): boolean {
    const walk = new Walk(this.#options);
    walk.#visitAlternative(alternative, value, '', []);
    return walk.issues.length === 0;
  }

  #visitOneObject(union: Union, name: string | undefined, value: Members, path: string, why: Why): void {
    const chosen = chooseObject(union, value);
    if (chosen === undefined) this.#wrongTag(union, value, path);
    else if (union.tag !== undefined) this.#visitAlternative(chosen, value, path, why);
    else {
      this.#visitAlternative(chosen, value, path, why, formsWords(name, union.objects));
    }
  }

  #wrongTag({ objects, tag = '' }: Union, value: Members, path: string): void {
    const tags = objects.map(({ schema }) => schema.properties?.[tag] as Schema);
    const tagPath = path + pointerToken(tag);
    if (value[tag] === undefined) this.#report(tagPath, 'required', `"${tag}" is required: ${expectedWords(tags)}`);
    else this.#mismatch('not_one_of', tags, value[tag], tagPath, []);
  }

  #visitObject({ schema, name }: Alternative, value: Members, path: string, note: string): void {
    const members = schema.properties ?? {};
    for (const member of Object.keys(value)) {
      if (value[member] === undefined) continue;
      const declared = Object.hasOwn(members, member) ? (members[member] as Schema) : schema.additionalProperties;
      if (declared !== undefined) this.visit(declared, value[member], path + pointerToken(member));
      else this.#report(path + pointerToken(member), 'unknown_property', unknownMemberWords(member, Object.keys(members), name) + note);
    }
    for (const member of schema.required ?? []) {
      if (!Object.hasOwn(value, member) || value[member] === undefined) this.#missing(member, members[member] as Schema, path, note);
    }
  }

  #missing(member: string, declared: Schema, path: string, note: string): void {
    const options = alternatives(this.#options.shapes, declared).map((option) => option.schema);
    const because = becauseOf([declared.description, this.#options.shapes[shapeName(declared) ?? '']?.description]);
    this.#report(path + pointerToken(member), 'required', `"${member}" is required: ${expectedWords(options)}${because}${note}`);
  }

  #visitList({ items, minItems = 0, maxItems = Number.POSITIVE_INFINITY }: Schema, value: unknown[], path: string, why: Why): void {
    const { length } = value;
    if (length < minItems) this.#broken('too_few', `at least ${count(minItems, 'item')}`, length, path, why);
    if (length > maxItems) this.#broken('too_many', `at most ${count(maxItems, 'item')}`, length, path, why);
    if (items === undefined) return;
    for (let index = 0; index < length && this.issues.length < limits.issuesMax; index++)
      this.visit(items, value[index], `${path}/${index}`);
  }

  #visitText(
    { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format }: Schema,
    value: string,
    path: string,
    why: Why,
  ): void {
    const { length } = value;
    if (length < minLength) this.#broken('too_short', `at least ${count(minLength, 'character')}`, length, path, why);
    else if (pattern !== undefined && !this.#options.patternOf(pattern).test(value)) {
      this.#broken('pattern', patternWords(pattern), value, path, why);
    }
    if (length > maxLength) this.#broken('too_long', `at most ${count(maxLength, 'character')}`, length, path, why);
    if (format !== undefined && this.#options.formats[format]?.(value) === false) {
      this.#broken('format', formatWords(format), value, path, why);
    }
  }

  #visitNumber({ type, minimum, maximum }: Schema, value: number, path: string, why: Why): void {
    if (type === 'integer' && !Number.isInteger(value)) this.#broken('not_integer', 'an integer', value, path, why);
    if (minimum !== undefined && value < minimum) this.#broken('too_small', `at least ${minimum}`, value, path, why);
    if (maximum !== undefined && value > maximum) this.#broken('too_large', `at most ${maximum}`, value, path, why);
  }

  #mismatch(code: IssueCode, expected: readonly Schema[], found: unknown, path: string, why: Why): void {
    const meant = code === 'not_one_of' ? meantConstant(expected, found) : '';
    this.#broken(code, expectedWords(expected), found, path, why, meant);
  }

  #broken(code: IssueCode, expected: string, found: unknown, path: string, why: Why, meant = ''): void {
    this.#report(path, code, `expected ${expected}, found ${foundWords(found)}${meant}${becauseOf(why)}`);
  }
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`;
}
