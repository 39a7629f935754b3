// The search language: text in, a predicate out. README.md describes it for those who write it.
//   query = clause*                all of them
//   clause = unary (OR unary)*     any of them
//   unary = -unary | (query) | [field:]word | [field:]"several words"

import { textOf } from './addresses.js';
import { usOf } from './dates.js';
import { type Content, dayUs, type Person } from './model.js';

/** What can be searched: a message of a mailbox, or a mail on its way, which has no labels. */
export interface Searched extends Content {
  /** Ids and names, in lower case. */
  readonly labelNames: readonly string[];
  readonly read: boolean;
  readonly starred: boolean;
  readonly arrivedAtUs: number;
}
type Matcher = (searched: Searched) => boolean;
export interface CompiledQuery {
  readonly matches: Matcher;
  /** What `in:` and `label:` named: trash and spam are left out of a search that does not ask for them. */
  readonly places: ReadonlySet<string>;
}

/** A query that cannot be read; `at` is where in the text. */
export class QueryProblem extends Error {
  readonly at: number;
  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

export function compileQuery(text: string, nowUs: number): CompiledQuery {
  const places = new Set<string>();
  const parser = new Parser(tokensOf(text), { nowUs, places });
  return { matches: parser.whole(), places };
}

interface Token {
  readonly kind: 'open' | 'close' | 'minus' | 'or' | 'term';
  readonly at: number;
  readonly field?: string;
  readonly value: string;
}

const fields = ['from', 'to', 'cc', 'subject', 'filename', 'label', 'in', 'is', 'has', 'after', 'before', 'newer_than', 'older_than'];

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  const pattern = /\s+|(\()|(\))|(-)|(?:([A-Za-z_]+):)?(?:"([^"]*)"|([^\s()"]+))/y;
  while (pattern.lastIndex < text.length) {
    const at = pattern.lastIndex;
    const found = pattern.exec(text);
    if (found === null) throw new QueryProblem('A quotation mark is not closed.', at);
    const [whole, open, close, minus, field, quoted, word] = found;
    if (whole.trim() === '') continue;
    if (open || close || minus) tokens.push({ kind: open ? 'open' : close ? 'close' : 'minus', at, value: whole });
    else if (whole === 'OR') tokens.push({ kind: 'or', at, value: whole });
    else tokens.push(termToken({ at, field, value: quoted ?? word ?? '' }));
  }
  return tokens;
}

function termToken({ at, field, value }: { at: number; field: string | undefined; value: string }): Token {
  const term = { kind: 'term', at, value: value.toLowerCase() } as const;
  if (field !== undefined) return { ...term, field: field.toLowerCase() };
  const lone = term.value.endsWith(':') && fields.includes(term.value.slice(0, -1));
  if (lone) throw new QueryProblem(`${value} has no value; it follows the colon without a space.`, at);
  return term;
}

interface Surroundings {
  readonly nowUs: number;
  readonly places: Set<string>;
}

class Parser {
  readonly #tokens: readonly Token[];
  readonly #surroundings: Surroundings;
  #next = 0;

  constructor(tokens: readonly Token[], surroundings: Surroundings) {
    this.#tokens = tokens;
    this.#surroundings = surroundings;
  }

  whole(): Matcher {
    const matches = this.#query();
    const rest = this.#tokens[this.#next];
    if (rest) throw new QueryProblem('A parenthesis is closed that was not opened.', rest.at);
    return matches;
  }

  #query(): Matcher {
    const clauses: Matcher[] = [];
    while (this.#next < this.#tokens.length && this.#tokens[this.#next]?.kind !== 'close') clauses.push(this.#clause());
    return (searched) => clauses.every((matches) => matches(searched));
  }

  #clause(): Matcher {
    const choices = [this.#unary()];
    while (this.#tokens[this.#next]?.kind === 'or') {
      this.#next += 1;
      choices.push(this.#unary());
    }
    return (searched) => choices.some((matches) => matches(searched));
  }

  #unary(): Matcher {
    const token = this.#tokens[this.#next];
    this.#next += 1;
    if (token?.kind === 'term') return termOf(token, this.#surroundings);
    if (token?.kind === 'minus') {
      const negated = this.#unary();
      return (searched) => !negated(searched);
    }
    if (token?.kind !== 'open') throw new QueryProblem('A term is missing.', token?.at ?? 0);
    const inner = this.#query();
    if (this.#tokens[this.#next]?.kind !== 'close') throw new QueryProblem('A parenthesis is not closed.', token.at);
    this.#next += 1;
    return inner;
  }
}

function termOf({ field, value, at }: Token, { nowUs, places }: Surroundings): Matcher {
  switch (field) {
    case undefined:
      return (searched) => wordsOf(searched).some((text) => holds(text, value));
    case 'from':
      return ({ from }) => holds(textOf(from), value);
    case 'to':
      return ({ to, cc, bcc }) => anyOf([...to, ...cc, ...bcc], value);
    case 'cc':
      return ({ cc }) => anyOf(cc, value);
    case 'subject':
      return ({ subject }) => holds(subject, value);
    case 'filename':
      return ({ attachments }) => attachments.some(({ filename }) => holds(filename, value));
    case 'label':
    case 'in':
      places.add(value);
      return value === 'anywhere' ? () => true : ({ labelNames }) => labelNames.includes(value);
    case 'is':
      return flagOf(value, at);
    case 'has':
      if (value !== 'attachment') throw new QueryProblem('has: knows attachment.', at);
      return ({ attachments }) => attachments.length > 0;
    case 'after':
    case 'before':
      return timeOf(field, dateOf(value, at));
    case 'newer_than':
      return timeOf('after', nowUs - spanOf(value, at));
    case 'older_than':
      return timeOf('before', nowUs - spanOf(value, at));
    default:
      throw new QueryProblem(`There is no field ${field}:. Put words with a colon in quotation marks.`, at);
  }
}

function flagOf(value: string, at: number): Matcher {
  switch (value) {
    case 'read':
      return ({ read }) => read;
    case 'unread':
      return ({ read }) => !read;
    case 'starred':
      return ({ starred }) => starred;
    default:
      throw new QueryProblem('is: knows read, unread and starred.', at);
  }
}

function timeOf(side: 'after' | 'before', us: number): Matcher {
  return side === 'after' ? ({ arrivedAtUs }) => arrivedAtUs >= us : ({ arrivedAtUs }) => arrivedAtUs < us;
}

function dateOf(value: string, at: number): number {
  const us = usOf(value.toUpperCase());
  if (us === undefined) throw new QueryProblem(`${value} is no date, such as 2026-03-02 or "2026-03-02T09:00:00Z".`, at);
  return us;
}

function spanOf(value: string, at: number): number {
  const [, number, unit] = /^(\d{1,5})([dh])$/.exec(value) ?? [];
  if (number === undefined) throw new QueryProblem(`${value} is no span, such as 7d or 12h.`, at);
  return Number(number) * (unit === 'd' ? dayUs : dayUs / 24);
}

function wordsOf({ from, to, cc, bcc, subject, body, attachments }: Searched): string[] {
  return [subject, body, ...[from, ...to, ...cc, ...bcc].map(textOf), ...attachments.map(({ filename }) => filename)];
}

const anyOf = (people: readonly Person[], value: string): boolean => people.some((person) => holds(textOf(person), value));
const holds = (text: string, value: string): boolean => text.toLowerCase().includes(value);
