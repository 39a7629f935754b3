// `const`, `enum` and `uniqueItems` in place of Ajv's own, which compare the constructors of objects, which differ from realm to realm,
// trip over a member named `constructor`, and compare every item with every other. These compare canonical texts where there is an object
// or array, and else by identity, in time linear in the value.
import type { Ajv2020, KeywordCxt } from 'ajv/dist/2020.js';
import { canonicalJson } from '../contract/canonical-json.js';
import type { JsonValue } from '../contract/json.js';
import { limits } from '../contract/limits.js';
import { beginningOf } from '../text/cut-text.js';
import { loadAjv } from './ajv.js';
import { tuning } from './tuning.js';

export function replaceEquality(ajv: Ajv2020): void {
  for (const keyword of ['const', 'enum']) ajv.removeKeyword(keyword);
  ajv.addKeyword({ keyword: 'const', errors: 'full', compile: (wanted: JsonValue) => equality('const', [wanted]) });
  ajv.addKeyword({ keyword: 'enum', schemaType: 'array', errors: 'full', compile: (wanted: JsonValue[]) => equality('enum', wanted) });
  // In its place, so that it says what it always said, and when.
  const rule = ajv.RULES.all.uniqueItems;
  if (typeof rule === 'object') rule.definition = { ...rule.definition, code: uniqueItems } as typeof rule.definition;
}

function equality(keyword: 'const' | 'enum', wanted: readonly JsonValue[]) {
  const simple = new Set(wanted.filter((value) => !isContainer(value)));
  const texts = new Set(wanted.filter(isContainer).map(canonicalJson));
  const message =
    keyword === 'const'
      ? `must be ${preview(wanted[0] as JsonValue)}`
      : `must be one of ${beginningOf(wanted.map(preview).join(', '), limits.quotedChoicesCharsMax)}`;
  const check = (value: JsonValue): boolean => {
    if (isContainer(value) ? texts.size > 0 && texts.has(canonicalJson(value)) : simple.has(value)) return true;
    check.errors = [{ keyword, message }];
    return false;
  };
  check.errors = [] as { keyword: string; message: string }[];
  return check;
}

function preview(value: JsonValue): string {
  return beginningOf(JSON.stringify(value), limits.quotedValueCharsMax);
}

/** Of the pairs of equal items that one is named which Ajv names. */
function uniqueItems(cxt: KeywordCxt): void {
  if (!cxt.schema) return;
  const { _ } = loadAjv();
  const { gen, data, parentSchema } = cxt;
  const types = simpleTypes(parentSchema.items as JsonValue | undefined);
  const pair =
    types === undefined
      ? gen.const('pair', _`${gen.scopeValue('func', { ref: lastPair })}(${data})`)
      : gen.const('pair', _`${gen.scopeValue('func', { ref: lastSimplePair })}(${data}, ${types.join(' ')})`);
  cxt.setParams({ i: _`${pair}.i`, j: _`${pair}.j` });
  cxt.fail(_`${pair} !== undefined`);
}

/** The last item that has an equal one before it, and the nearest of those. */
function lastPair(items: readonly JsonValue[]): { i: number; j: number } | undefined {
  if (items.length <= tuning.comparedItemsMax && !items.some(isContainer)) {
    for (let i = items.length - 1; i > 0; i--) {
      const j = items.lastIndexOf(items[i]!, i - 1);
      if (j >= 0) return { i, j };
    }
    return undefined;
  }
  const places = new ByValue();
  let pair: { i: number; j: number } | undefined;
  for (const [i, item] of items.entries()) {
    const j = places.replace(item, i);
    if (j !== undefined) pair = { i, j };
  }
  return pair;
}

/** From the end: the first item that has an equal one after it. Items of other types are reported as such. */
function lastSimplePair(items: readonly JsonValue[], typeNames: string): { i: number; j: number } | undefined {
  if (items.length <= tuning.comparedItemsMax) {
    for (let i = items.length - 2; i >= 0; i--) {
      const j = items.indexOf(items[i]!, i + 1);
      if (j >= 0 && isOf(items[i]!, new Set(typeNames.split(' ')))) return { i, j };
    }
    return undefined;
  }
  const types = new Set(typeNames.split(' '));
  const places = new ByValue();
  for (let i = items.length - 1; i >= 0; i--) {
    const item = items[i] as JsonValue;
    if (!isOf(item, types)) continue;
    const j = places.replace(item, i);
    if (j !== undefined) return { i, j };
  }
  return undefined;
}

class ByValue {
  readonly #simple = new Map<JsonValue, number>();
  readonly #texts = new Map<string, number>();

  /** Returns the place that an equal value had. */
  replace(value: JsonValue, place: number): number | undefined {
    const [map, key]: [Map<JsonValue, number>, JsonValue] = isContainer(value)
      ? [this.#texts, canonicalJson(value)]
      : [this.#simple, value];
    const before = map.get(key);
    map.set(key, place);
    return before;
  }
}

/** The types of items, when they are said and none is of containers. */
function simpleTypes(items: JsonValue | undefined): string[] | undefined {
  if (!isContainer(items) || Array.isArray(items)) return undefined;
  const { type, nullable } = items;
  const types = [...(Array.isArray(type) ? type : type === undefined ? [] : [type]), ...(nullable === true ? ['null'] : [])] as string[];
  return types.length === 0 || types.some((name) => name === 'object' || name === 'array') ? undefined : types;
}

function isOf(value: JsonValue, types: ReadonlySet<string>): boolean {
  if (value === null) return types.has('null');
  return types.has(typeof value) || (Number.isInteger(value) && types.has('integer'));
}

function isContainer(value: JsonValue | undefined): value is Extract<JsonValue, object> {
  return typeof value === 'object' && value !== null;
}
