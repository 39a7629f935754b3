// Filters of a query: of each type of property its own conditions, and groups of filters with and/or.
import { invalid, isMembers, list, members, oneOf, text, unfit, uuid } from './failures.js';
import { dayUs, type Json, type Members, type Property } from './model.js';
import { plain } from './rich-text.js';
import { isEmptyValue } from './rollup.js';
import { propertyNamed } from './schema.js';
import { addMonths, hasTime, timeOf, weekdayOf } from './time.js';

export interface FilterInput {
  properties: readonly Property[];
  nowUs: number;
  /** The user that "me" stands for. */
  me: string;
}
/** Whether a page passes; it is asked for the values it needs. */
export type Matcher = (read: (property: Property) => Json) => boolean;
type Test = (value: Json) => boolean;
interface At {
  path: string;
  depth: number;
}

const groupDepthMax = 2;
const created: Property = { id: '', name: '', type: 'created_time', description: null, config: {} };
const edited: Property = { ...created, type: 'last_edited_time' };
const texts = ['title', 'rich_text', 'url', 'email', 'phone_number'];
const peoples = ['people', 'created_by', 'last_edited_by'];
const dates = ['date', 'created_time', 'last_edited_time'];

export function matcher(value: Json, input: FilterInput, { path, depth }: At): Matcher {
  const given = members(value, path);
  for (const word of ['and', 'or'] as const) {
    if (given[word] === undefined) continue;
    if (depth >= groupDepthMax) return invalid(`body failed validation: ${path} should be nested in at most ${groupDepthMax} groups.`);
    const inner = list(given[word], `${path}.${word}`).map((item, index) =>
      matcher(item, input, { path: `${path}.${word}[${index}]`, depth: depth + 1 }),
    );
    return (read) => (word === 'and' ? inner.every((one) => one(read)) : inner.some((one) => one(read)));
  }
  if (given.property === undefined) return timestampMatcher(given, input, path);
  const key = text(given.property, `${path}.property`);
  const property = propertyNamed(input.properties, key) ?? invalid(`Could not find property with name or id: ${key}`);
  const { type } = property;
  // A title may be asked for as the rich text that it is.
  const name = given[type] === undefined && texts.includes(type) && given.rich_text !== undefined ? 'rich_text' : type;
  if (given[name] === undefined) {
    const other = Object.keys(given).find((one) => one !== 'property' && one !== 'type');
    return invalid(`database property ${type} does not match filter ${other ?? 'undefined'}`);
  }
  const test = testOf(type, members(given[name], `${path}.${name}`), input, `${path}.${name}`);
  return (read) => test(read(property));
}

function timestampMatcher(given: Members, input: FilterInput, path: string): Matcher {
  const name = oneOf(given.timestamp, `${path}.timestamp`, ['created_time', 'last_edited_time']);
  const test = dateTest(members(given[name], `${path}.${name}`), input, `${path}.${name}`);
  return (read) => test(read(name === 'created_time' ? created : edited));
}

function testOf(type: string, condition: Members, input: FilterInput, path: string): Test {
  const [name, value] = only(condition, path);
  if (name === 'is_empty' || name === 'is_not_empty') {
    if (type === 'checkbox') return unfit(`${path}.equals`, 'defined', undefined);
    if (value !== true) return unfit(`${path}.${name}`, '`true`', value);
    return (shown) => isEmptyValue(type, shown) === (name === 'is_empty');
  }
  if (texts.includes(type)) return textTest(name, value, path);
  if (dates.includes(type)) return dateTest(condition, input, path);
  if (peoples.includes(type)) return peopleTest(name, value, input, path);
  switch (type) {
    case 'number':
      return numberTest(name, value, path);
    case 'unique_id': {
      const test = numberTest(name, value, path);
      return (shown) => isMembers(shown) && test(shown.number ?? null);
    }
    case 'checkbox':
      return checkboxTest(name, value, path);
    case 'select':
    case 'status':
      return choiceTest(name, value, path);
    case 'multi_select':
      return containsTest(
        name,
        namesOf(value, `${path}.${name}`),
        (shown) => (shown as readonly Members[]).map((option) => option.name),
        path,
      );
    case 'relation': {
      const id = uuid(value, `${path}.${name}`);
      return containsTest(name, [id], (shown) => (shown as readonly Members[]).map((page) => page.id), path);
    }
    case 'formula':
      return formulaTest(name, value, input, path);
    case 'rollup':
      return rollupTest(name, value, input, path);
    default:
      return unfit(`${path}.is_empty`, 'defined', undefined);
  }
}

function only(condition: Members, path: string): [string, Json] {
  const [first, second] = Object.entries(condition);
  return first === undefined || second !== undefined
    ? invalid(`body failed validation: ${path} should have exactly one condition.`)
    : first;
}

function textTest(name: string, value: Json, path: string): Test {
  const wanted = text(value, `${path}.${name}`).toLowerCase();
  const tests: { readonly [name: string]: (content: string) => boolean } = {
    equals: (content) => content === wanted,
    does_not_equal: (content) => content !== wanted,
    contains: (content) => content.includes(wanted),
    does_not_contain: (content) => !content.includes(wanted),
    starts_with: (content) => content.startsWith(wanted),
    ends_with: (content) => content.endsWith(wanted),
  };
  const test = tests[name] ?? unknown(name, value, path);
  return (shown) => test((Array.isArray(shown) ? plain(shown as readonly Json[]) : String(shown ?? '')).toLowerCase());
}

const unknown = (name: string, value: Json, path: string): never => unfit(`${path}.${name}`, 'not present', value);

function numberTest(name: string, value: Json, path: string): Test {
  const wanted = typeof value === 'number' ? value : unfit(`${path}.${name}`, 'a number', value);
  const tests: { readonly [name: string]: (number: number) => boolean } = {
    equals: (number) => number === wanted,
    does_not_equal: (number) => number !== wanted,
    greater_than: (number) => number > wanted,
    less_than: (number) => number < wanted,
    greater_than_or_equal_to: (number) => number >= wanted,
    less_than_or_equal_to: (number) => number <= wanted,
  };
  const test = tests[name] ?? unknown(name, value, path);
  return (shown) => (typeof shown === 'number' ? test(shown) : name === 'does_not_equal');
}

function checkboxTest(name: string, value: Json, path: string): Test {
  const wanted = typeof value === 'boolean' ? value : unfit(`${path}.${name}`, 'a boolean', value);
  if (name !== 'equals' && name !== 'does_not_equal') return unknown(name, value, path);
  return (shown) => (shown === wanted) === (name === 'equals');
}

/** One name or several. */
function namesOf(value: Json, path: string): string[] {
  return Array.isArray(value) ? list(value as Json, path).map((one) => text(one, path)) : [text(value, path)];
}

function choiceTest(name: string, value: Json, path: string): Test {
  const wanted = namesOf(value, `${path}.${name}`);
  if (name !== 'equals' && name !== 'does_not_equal') return unknown(name, value, path);
  return (shown) => wanted.includes(isMembers(shown) ? String(shown.name) : '') === (name === 'equals');
}

function containsTest(
  name: string,
  wanted: readonly string[],
  valuesOf: (shown: Json) => readonly (Json | undefined)[],
  path: string,
): Test {
  if (name !== 'contains' && name !== 'does_not_contain') return unknown(name, wanted[0] ?? null, path);
  return (shown) => wanted.some((one) => valuesOf(shown).includes(one)) === (name === 'contains');
}

function peopleTest(name: string, value: Json, { me }: FilterInput, path: string): Test {
  const id = value === 'me' ? me : uuid(value, `${path}.${name}`);
  return containsTest(
    name,
    [id],
    (shown) => (Array.isArray(shown) ? (shown as readonly Members[]) : [shown as Members]).map((user) => user.id),
    path,
  );
}

function formulaTest(name: string, value: Json, input: FilterInput, path: string): Test {
  const kinds: { readonly [name: string]: readonly [string, string] } = {
    string: ['rich_text', 'string'],
    number: ['number', 'number'],
    checkbox: ['checkbox', 'boolean'],
    date: ['date', 'date'],
  };
  const [type, member] = kinds[name] ?? unknown(name, value, path);
  const condition = members(value, `${path}.${name}`);
  const test = testOf(type === 'rich_text' ? 'url' : type, condition, input, `${path}.${name}`);
  return (shown) => isMembers(shown) && shown.type === member && test(shown[member] ?? null);
}

function rollupTest(name: string, value: Json, input: FilterInput, path: string): Test {
  const condition = members(value, `${path}.${name}`);
  if (name === 'number' || name === 'date') {
    const test = testOf(name, condition, input, `${path}.${name}`);
    return (shown) => isMembers(shown) && shown.type === name && test(shown[name] ?? null);
  }
  if (name !== 'any' && name !== 'every' && name !== 'none') return unknown(name, value, path);
  const [type, inner] = only(condition, `${path}.${name}`);
  const test = testOf(type, members(inner, `${path}.${name}.${type}`), input, `${path}.${name}.${type}`);
  const isMatch = (item: Members): boolean =>
    (item.type === type || (type === 'rich_text' && item.type === 'title')) && test(item[String(item.type)] ?? null);
  return (shown) => {
    if (!isMembers(shown) || shown.type !== 'array') return false;
    const items = shown.array as readonly Members[];
    return name === 'any' ? items.some(isMatch) : name === 'every' ? items.every(isMatch) : !items.some(isMatch);
  };
}

interface Span {
  fromUs: number;
  untilUs: number;
}

function dateTest(condition: Members, { nowUs }: FilterInput, path: string): Test {
  const [name, value] = only(condition, path);
  const within = spanNamed(name, nowUs);
  if (name === 'is_empty' || name === 'is_not_empty') return (shown) => (shown === null) === (name === 'is_empty');
  const wanted = within ?? spanOf(text(value, `${path}.${name}`), nowUs) ?? unfit(`${path}.${name}`, 'a valid ISO 8601 date string', value);
  const tests: { readonly [name: string]: (us: number) => boolean } = {
    equals: (us) => us >= wanted.fromUs && us < wanted.untilUs,
    before: (us) => us < wanted.fromUs,
    after: (us) => us >= wanted.untilUs,
    on_or_before: (us) => us < wanted.untilUs,
    on_or_after: (us) => us >= wanted.fromUs,
  };
  const test = within === undefined ? (tests[name] ?? unknown(name, value, path)) : tests.equals;
  return (shown) => {
    const start = isMembers(shown) ? shown.start : shown;
    const us = typeof start === 'string' ? timeOf(start) : undefined;
    return us !== undefined && test?.(us) === true;
  };
}

/** A date stands for its day, a time for its minute, as Notion shows times. */
function spanOf(value: string, nowUs: number): Span | undefined {
  const relative = relativeDay(value, nowUs);
  const us = relative ?? timeOf(value);
  if (us === undefined) return undefined;
  return { fromUs: us, untilUs: us + (relative === undefined && hasTime(value) ? 60_000_000 : dayUs) };
}

function relativeDay(value: string, nowUs: number): number | undefined {
  const today = Math.floor(nowUs / dayUs) * dayUs;
  const days: { readonly [name: string]: number } = { today: 0, tomorrow: 1, yesterday: -1, one_week_ago: -7, one_week_from_now: 7 };
  const months: { readonly [name: string]: number } = { one_month_ago: -1, one_month_from_now: 1 };
  const [byDays, byMonths] = [days[value], months[value]];
  if (byDays !== undefined) return today + byDays * dayUs;
  return byMonths === undefined ? undefined : addMonths(today, byMonths);
}

/** Today is in each of them. A week begins on a Monday here; Notion takes the reader's own beginning of a week. */
function spanNamed(name: string, nowUs: number): Span | undefined {
  const today = Math.floor(nowUs / dayUs) * dayUs;
  const tomorrow = today + dayUs;
  const monday = today - weekdayOf(today) * dayUs;
  const spans: { readonly [name: string]: Span } = {
    this_week: { fromUs: monday, untilUs: monday + 7 * dayUs },
    past_week: { fromUs: today - 7 * dayUs, untilUs: tomorrow },
    past_month: { fromUs: addMonths(today, -1), untilUs: tomorrow },
    past_year: { fromUs: addMonths(today, -12), untilUs: tomorrow },
    next_week: { fromUs: today, untilUs: tomorrow + 7 * dayUs },
    next_month: { fromUs: today, untilUs: addMonths(tomorrow, 1) },
    next_year: { fromUs: today, untilUs: addMonths(tomorrow, 12) },
  };
  return spans[name];
}
