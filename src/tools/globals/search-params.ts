// `URLSearchParams` as tool code has it. Evaluated inside the realm (realm-script.ts).
import { encodeSets, percentDecode, percentEncode } from './url-record.js';

export type Pair = [name: string, value: string];
export function pairsOf(query: string): Pair[] {
  const parts = query.split('&').filter((part) => part !== '');
  return parts.map((part): Pair => {
    const at = part.indexOf('=');
    const [name, value] = at < 0 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)];
    const decode = (text: string) => percentDecode(text.replaceAll('+', ' '));
    return [decode(name), decode(value)];
  });
}

export function queryOf(pairs: readonly Pair[]): string {
  const encode = (text: string) => percentEncode(text, isEncoded).replaceAll(' ', '+');
  return pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
}
const isEncoded = (point: number): boolean => point !== 0x20 && encodeSets.form(point);

function pairsGiven(init: unknown): Pair[] {
  if (init === undefined || init === null) return [];
  if (typeof init !== 'object' && typeof init !== 'function') return pairsOf(String(init).replace(/^\?/, ''));
  const iterate = (init as { [Symbol.iterator]?: unknown })[Symbol.iterator];
  if (iterate === undefined || iterate === null)
    return Reflect.ownKeys(init)
      .filter((key) => Object.getOwnPropertyDescriptor(init, key)?.enumerable === true)
      .map((key): Pair => [String(key as string), String((init as { [key: PropertyKey]: unknown })[key])]);
  return [...(init as Iterable<unknown>)].map((item): Pair => {
    const pair = typeof item === 'object' && item !== null ? [...(item as Iterable<unknown>)] : [];
    if (pair.length !== 2) throw new TypeError('each item of the list for URLSearchParams is a pair of name and value');
    return [String(pair[0]), String(pair[1])];
  });
}

/** The parameters of a URL, which hears of each change. */
export let linkedParams: (query: string, changed: (query: string) => void) => URLSearchParams;
export let replacePairs: (params: URLSearchParams, query: string) => void;

export class URLSearchParams {
  #pairs: Pair[];
  #changed: ((query: string) => void) | undefined;

  static {
    linkedParams = (query, changed) => {
      const params = new URLSearchParams();
      params.#pairs = pairsOf(query);
      params.#changed = changed;
      return params;
    };
    replacePairs = (params, query) => {
      params.#pairs = pairsOf(query);
    };
  }
  constructor(init?: unknown) {
    this.#pairs = pairsGiven(init);
  }
  #change(pairs: Pair[]): void {
    this.#pairs = pairs;
    this.#changed?.(queryOf(pairs));
  }
  get size(): number {
    return this.#pairs.length;
  }
  get [Symbol.toStringTag](): string {
    return 'URLSearchParams';
  }
  append(name: unknown, value: unknown): void {
    this.#change([...this.#pairs, [String(name), String(value)]]);
  }
  delete(name: unknown, value?: unknown): void {
    this.#change(this.#pairs.filter((pair) => !isPair(pair, name, value)));
  }
  get(name: unknown): string | null {
    return this.#pairs.find((pair) => isPair(pair, name))?.[1] ?? null;
  }
  getAll(name: unknown): string[] {
    return this.#pairs.filter((pair) => isPair(pair, name)).map(([, value]) => value);
  }
  has(name: unknown, value?: unknown): boolean {
    return this.#pairs.some((pair) => isPair(pair, name, value));
  }
  set(name: unknown, value: unknown): void {
    const pairs = this.#pairs;
    const at = pairs.findIndex((pair) => isPair(pair, name));
    const own: Pair = [String(name), String(value)];
    if (at < 0) this.#change([...pairs, own]);
    else this.#change(pairs.flatMap((pair, index) => (index === at ? [own] : isPair(pair, name) ? [] : [pair])));
  }
  sort(): void {
    this.#change([...this.#pairs].sort(([a], [b]) => (a < b ? -1 : Number(a > b))));
  }
  toString(): string {
    return queryOf(this.#pairs);
  }
  forEach(use: (value: string, name: string, params: URLSearchParams) => void, self?: unknown): void {
    for (const [name, value] of this.entries()) Reflect.apply(use, self, [value, name, this]);
  }
  *entries(): Generator<Pair> {
    for (let index = 0; index < this.#pairs.length; index++) yield [...(this.#pairs[index] as Pair)];
  }
  *keys(): Generator<string> {
    for (const [name] of this.entries()) yield name;
  }
  *values(): Generator<string> {
    for (const [, value] of this.entries()) yield value;
  }
  [Symbol.iterator](): Generator<Pair> {
    return this.entries();
  }
}

function isPair([name, value]: Pair, wanted: unknown, wantedValue?: unknown): boolean {
  return name === String(wanted) && (wantedValue === undefined || value === String(wantedValue));
}
