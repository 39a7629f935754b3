// The syntax tree of a pattern as JavaScript reads it with the flag `u`. Only what decides whether a text matches is in it: no captures, no
// greediness. The text given is known to be a valid pattern, so nothing is checked twice.
import { limits } from '../../contract/limits.js';
import { anyButLineEnds, type CharSet, complementOf, digits, setOfProperty, spaces, unionOf, wordChars } from './char-set.js';

export type PatternNode =
  | { kind: 'set'; set: CharSet }
  | { kind: 'assertion'; what: '^' | '$' | '\\b' | '\\B' }
  | { kind: 'sequence'; items: readonly PatternNode[] }
  | { kind: 'choice'; items: readonly PatternNode[] }
  | { kind: 'repeat'; item: PatternNode; min: number; max: number };

/** What no pattern may have here. The message says what it is. */
export class PatternRefused extends Error {}

export function parsePattern(source: string): PatternNode {
  return new Reader(source).pattern();
}

class Reader {
  readonly #source: string;
  #at = 0;
  #depth = 0;

  constructor(source: string) {
    this.#source = source;
  }

  pattern(): PatternNode {
    if (++this.#depth > limits.patternDepthMax) throw new PatternRefused(`has more than ${limits.patternDepthMax} groups in each other`);
    const items = [this.#alternative()];
    while (this.#take('|')) items.push(this.#alternative());
    this.#depth -= 1;
    return items.length === 1 ? items[0]! : { kind: 'choice', items };
  }

  #alternative(): PatternNode {
    const items: PatternNode[] = [];
    while (this.#at < this.#source.length && !this.#isNext('|') && !this.#isNext(')')) items.push(this.#term());
    return items.length === 1 ? items[0]! : { kind: 'sequence', items };
  }

  #term(): PatternNode {
    for (const what of ['^', '$', '\\b', '\\B'] as const) if (this.#take(what)) return { kind: 'assertion', what };
    const item = this.#take('(') ? this.#group() : ({ kind: 'set', set: this.#atom() } as const);
    return this.#quantified(item);
  }

  #group(): PatternNode {
    if (this.#take('?=') || this.#take('?!')) throw new PatternRefused('has a lookahead');
    if (this.#take('?<=') || this.#take('?<!')) throw new PatternRefused('has a lookbehind');
    if (this.#take('?<')) this.#until('>');
    else if (!this.#take('?:') && this.#isNext('?')) throw new PatternRefused('has a group of a kind that is not known here');
    const inside = this.pattern();
    this.#at += 1;
    return inside;
  }

  #quantified(item: PatternNode): PatternNode {
    const bounds = this.#bounds();
    if (bounds === undefined) return item;
    this.#take('?');
    return { kind: 'repeat', item, ...bounds };
  }

  #bounds(): { min: number; max: number } | undefined {
    if (this.#take('*')) return { min: 0, max: Number.POSITIVE_INFINITY };
    if (this.#take('+')) return { min: 1, max: Number.POSITIVE_INFINITY };
    if (this.#take('?')) return { min: 0, max: 1 };
    if (!this.#take('{')) return undefined;
    const [min, max = min] = this.#until('}').split(',');
    return { min: Number(min), max: max === '' ? Number.POSITIVE_INFINITY : Number(max) };
  }

  #atom(): CharSet {
    if (this.#take('.')) return anyButLineEnds;
    if (this.#take('[')) return this.#class();
    if (this.#isNext('\\')) return this.#escape();
    return one(this.#codePoint());
  }

  #class(): CharSet {
    const isNegated = this.#take('^');
    const sets: CharSet[] = [];
    while (!this.#take(']')) {
      const from = this.#classAtom();
      // `-` is a range between two characters, and a character of its own at either end.
      if (this.#isNext('-') && this.#source[this.#at + 1] !== ']') {
        this.#at += 1;
        sets.push([from[0]!, this.#classAtom()[0]!]);
      } else sets.push(from);
    }
    const set = unionOf(sets);
    return isNegated ? complementOf(set) : set;
  }

  #classAtom(): CharSet {
    return this.#isNext('\\') ? this.#escape() : one(this.#codePoint());
  }

  #escape(): CharSet {
    this.#at += 1;
    const letter = String.fromCodePoint(this.#codePoint());
    const set = classes.get(letter);
    if (set !== undefined) return set;
    if (letter === 'p' || letter === 'P') return setOfProperty(`\\${letter}${this.#until('}')}}`);
    const control = controls.get(letter);
    if (control !== undefined) return one(control);
    if (letter === 'k' || /[1-9]/.test(letter)) throw new PatternRefused('refers back to a group');
    if (letter === 'c') return one(this.#codePoint() % 32);
    if (letter === 'x') return one(this.#hex(2));
    if (letter === 'u') return one(this.#unicode());
    return one(letter.codePointAt(0)!);
  }

  #unicode(): number {
    if (this.#take('{')) return Number.parseInt(this.#until('}'), 16);
    const high = this.#hex(4);
    const low = /^\\u([dD][c-fC-F][\da-fA-F]{2})/.exec(this.#source.slice(this.#at, this.#at + 6));
    if (high < 0xd800 || high > 0xdbff || low === null) return high;
    this.#at += 6;
    return (high - 0xd800) * 0x400 + (Number.parseInt(low[1]!, 16) - 0xdc00) + 0x10000;
  }

  #hex(length: number): number {
    this.#at += length;
    return Number.parseInt(this.#source.slice(this.#at - length, this.#at), 16);
  }

  #codePoint(): number {
    const point = this.#source.codePointAt(this.#at)!;
    this.#at += point > 0xffff ? 2 : 1;
    return point;
  }

  #isNext(text: string): boolean {
    return this.#source.startsWith(text, this.#at);
  }
  #take(text: string): boolean {
    const isNext = this.#isNext(text);
    if (isNext) this.#at += text.length;
    return isNext;
  }
  /** What stands before `end`, which is passed. */
  #until(end: string): string {
    const from = this.#at;
    this.#at = this.#source.indexOf(end, from) + end.length;
    return this.#source.slice(from, this.#at - end.length);
  }
}

const one = (point: number): CharSet => [point, point];

const classes: ReadonlyMap<string, CharSet> = new Map([
  ['d', digits],
  ['D', complementOf(digits)],
  ['s', spaces],
  ['S', complementOf(spaces)],
  ['w', wordChars],
  ['W', complementOf(wordChars)],
]);
/** `\b` is a backspace inside a class; elsewhere it was taken as an assertion. */
const controls: ReadonlyMap<string, number> = new Map([
  ['b', 0x08],
  ['t', 0x09],
  ['n', 0x0a],
  ['v', 0x0b],
  ['f', 0x0c],
  ['r', 0x0d],
  ['0', 0x00],
]);
