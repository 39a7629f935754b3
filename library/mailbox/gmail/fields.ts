// The parameter `fields` of Google's APIs: which members of a reply the caller wants, such as `messages(id,payload/headers),nextPageToken`.
import type { JsonValue } from 'drillyard/tool-sdk';
import { invalid } from './failures.js';

/** By name; undefined: all of it. `*` stands for every name. */
type Mask = Map<string, Mask | undefined>;

const depthMax = 20;

/** Throws for what is no mask. Names are not looked up: one that nothing has selects nothing. */
export function maskIn(fields: string): Mask {
  const tokens = fields.match(/[A-Za-z0-9_*-]+|[(),/]|./gs) ?? [];
  let at = 0;
  const wrong = (): never => {
    throw invalid(`Invalid field selection ${fields.slice(0, 100)}`);
  };
  const list = (depth: number): Mask => {
    if (depth > depthMax) wrong();
    const mask: Mask = new Map();
    do {
      const [name, inner] = path(depth);
      const known = mask.get(name);
      mask.set(name, mask.has(name) ? known && inner && merged(known, inner) : inner);
    } while (tokens[at] === ',' && at++ < tokens.length);
    return mask;
  };
  const path = (depth: number): [string, Mask | undefined] => {
    const name = tokens[at++] ?? '';
    if (!/^[A-Za-z0-9_*-]+$/.test(name)) wrong();
    if (tokens[at] === '/') {
      at += 1;
      if (depth > depthMax) wrong();
      return [name, new Map([path(depth + 1)])];
    }
    if (tokens[at] !== '(') return [name, undefined];
    at += 1;
    const inner = list(depth + 1);
    if (tokens[at++] !== ')') wrong();
    return [name, inner];
  };
  const mask = list(0);
  return at === tokens.length ? mask : wrong();
}

function merged(one: Mask, other: Mask): Mask {
  return new Map([...one, ...[...other].map(([name, inner]): [string, Mask | undefined] => [name, one.has(name) ? undefined : inner])]);
}

/** What the mask selects, of each item where a value is a list. */
export function selected(value: JsonValue, mask: Mask): JsonValue {
  if (Array.isArray(value)) return value.map((item: JsonValue) => selected(item, mask));
  if (typeof value !== 'object' || value === null) return value;
  const chosen: { [name: string]: JsonValue } = {};
  for (const [name, member] of Object.entries(value as { [name: string]: JsonValue })) {
    const key = mask.has(name) ? name : mask.has('*') ? '*' : undefined;
    if (key === undefined) continue;
    const inner = mask.get(key);
    chosen[name] = inner === undefined ? member : selected(member, inner);
  }
  return chosen;
}
