// The first place where a text breaks the grammar of JSON (RFC 8259), in words of ours: those of JSON.parse differ between versions of
// Node, and some of them name no place. Iterative, so that no nesting is too deep for it.
import { defined } from '../contract/defined.js';
import { limits } from '../contract/limits.js';

export interface JsonSyntaxFault {
  /** In UTF-16 code units from the start of the text. */
  offset: number;
  message: string;
  suggestion?: string;
}

const space = /[ \t\n\r]*/y;
const text = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const scalar = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const word = /[^\s,:[\]{}"]+/y;

/** Undefined for a text that is JSON. */
export function jsonSyntaxFault(source: string): JsonSyntaxFault | undefined {
  return new Scan(source).document();
}

type Expectation = 'value' | 'value or end' | 'name' | 'name or end' | 'separator';

class Scan {
  readonly #source: string;
  /** The brackets that are open, innermost last. */
  readonly #open: ('[' | '{')[] = [];
  #at = 0;
  #expected: Expectation = 'value';
  /** Where the comma stands that promised another member or item. */
  #comma = 0;

  constructor(source: string) {
    this.#source = source;
  }

  document(): JsonSyntaxFault | undefined {
    for (;;) {
      this.#take(space);
      const char = this.#source[this.#at];
      const hasEnded = this.#expected === 'separator' && this.#open.length === 0;
      if (hasEnded && char === undefined) return undefined;
      const fault = hasEnded && char !== '/' ? this.#fault('the document has ended here; nothing may follow') : this.#step(char);
      if (fault !== undefined) return fault;
    }
  }

  #step(char: string | undefined): JsonSyntaxFault | undefined {
    if (char === undefined)
      return this.#fault(this.#open.length === 0 ? 'the file has no value' : `'${this.#closing()}' is missing at the end`);
    if (char === '/') return this.#fault('JSON has no comments', 'Take the comment out.');
    switch (this.#expected) {
      case 'separator':
        return this.#separator(char);
      case 'name':
      case 'name or end':
        return this.#name(char);
      case 'value':
      case 'value or end':
        return this.#value(char);
    }
  }

  #value(char: string): JsonSyntaxFault | undefined {
    if (char === '[' || char === '{') {
      this.#open.push(char);
      this.#at++;
      this.#expected = char === '[' ? 'value or end' : 'name or end';
      return undefined;
    }
    if (char === ']' && this.#open.at(-1) === '[') return this.#expected === 'value or end' ? this.#close() : this.#strayComma(char);
    if (!this.#take(scalar)) return this.#wrongValue(char);
    this.#expected = 'separator';
    return undefined;
  }

  #name(char: string): JsonSyntaxFault | undefined {
    if (char === '}') return this.#expected === 'name or end' ? this.#close() : this.#strayComma(char);
    const start = this.#at;
    if (!this.#take(text))
      return char === '"' ? this.#wrongValue(char) : this.#fault(`a name in double quotes is missing before '${char}'`);
    this.#take(space);
    if (this.#source[this.#at] !== ':')
      return this.#fault(`':' is missing after ${this.#source.slice(start, this.#at).trimEnd().slice(0, limits.quotedPieceCharsMax)}`);
    this.#at++;
    this.#expected = 'value';
    return undefined;
  }

  #separator(char: string): JsonSyntaxFault | undefined {
    const inList = this.#open.at(-1) === '[';
    if (char === this.#closing()) return this.#close();
    if (char !== ',') return this.#fault(`',' or '${this.#closing()}' is missing before '${char}'`);
    this.#comma = this.#at++;
    this.#expected = inList ? 'value' : 'name';
    return undefined;
  }

  #close(): undefined {
    this.#open.pop();
    this.#at++;
    this.#expected = 'separator';
  }

  #closing(): string {
    return this.#open.at(-1) === '[' ? ']' : '}';
  }

  #strayComma(char: string): JsonSyntaxFault {
    if (this.#source[this.#comma] !== ',') return this.#fault(`a value is missing before '${char}'`);
    return { offset: this.#comma, message: `there is nothing between this comma and '${char}'`, suggestion: 'Take the comma away.' };
  }

  #wrongValue(char: string): JsonSyntaxFault {
    if (char === '"') return this.#fault('the text has no end, or a character in it must be escaped');
    const start = this.#at;
    const shown = this.#take(word) ? this.#source.slice(start, this.#at).slice(0, limits.quotedPieceCharsMax) : `'${char}'`;
    this.#at = start;
    return this.#fault(`${shown} is not JSON`, /^[\w'`.-]/.test(shown) ? 'Text stands in double quotes.' : undefined);
  }

  #fault(message: string, suggestion?: string): JsonSyntaxFault {
    return { offset: this.#at, message, ...defined({ suggestion }) };
  }

  /** Moves behind what matches here. */
  #take(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const found = pattern.test(this.#source);
    if (found) this.#at = pattern.lastIndex;
    return found;
  }
}
