// A pattern run by RE2, in time linear in the text whatever the pattern. It is written again from its syntax tree with nothing in it that
// RE2 and JavaScript read differently: every set of characters is spelled out.
import { createRequire } from 'node:module';
import type { RE2JS } from '@bufbuild/re2';
import { limits } from '../../contract/limits.js';
import type { CharSet } from './char-set.js';
import { type PatternNode, PatternRefused } from './syntax.js';

export interface Re2Pattern {
  /** How many instructions each character of a text may meet. */
  instructions: number;
  test(text: string): boolean;
}

export function re2Pattern(pattern: PatternNode): Re2Pattern {
  if (sizeOf(pattern) > limits.patternSizeMax)
    throw new PatternRefused(`is larger than ${limits.patternSizeMax} with its repetitions written out`);
  const compiled = engine().compile(written(pattern));
  return { instructions: compiled.re2().prog.numInst(), test: (text) => compiled.test(text) };
}

// Loaded at the first need, as it takes some 20 ms: most tools have no pattern that needs it.
const require = createRequire(import.meta.url);
let loaded: typeof RE2JS | undefined;
function engine(): typeof RE2JS {
  loaded ??= (require('@bufbuild/re2') as { RE2JS: typeof RE2JS }).RE2JS;
  return loaded;
}

const assertions = { '^': '\\A', $: '\\z', '\\b': '\\b', '\\B': '\\B' } as const;

function written(node: PatternNode): string {
  switch (node.kind) {
    case 'set':
      return setText(node.set);
    case 'assertion':
      return assertions[node.what];
    case 'sequence':
      return node.items.map(written).join('');
    case 'choice':
      return `(?:${node.items.map(written).join('|')})`;
    case 'repeat': {
      const { item, min, max } = node;
      return `(?:${written(item)}){${min === max ? min : `${min},${max === Number.POSITIVE_INFINITY ? '' : max}`}}`;
    }
    default:
      return node satisfies never;
  }
}

function setText(set: CharSet): string {
  const point = (at: number) => `\\x{${set[at]!.toString(16)}}`;
  if (set.length === 0) return '[^\\x{0}-\\x{10ffff}]';
  if (set.length === 2 && set[0] === set[1]) return point(0);
  let text = '';
  for (let at = 0; at < set.length; at += 2) text += set[at] === set[at + 1] ? point(at) : `${point(at)}-${point(at + 1)}`;
  return `[${text}]`;
}

/** With its repetitions written out, as RE2 does. */
function sizeOf(node: PatternNode): number {
  switch (node.kind) {
    case 'set':
    case 'assertion':
      return 1;
    case 'sequence':
    case 'choice':
      return node.items.reduce((size, item) => size + sizeOf(item), 1);
    case 'repeat':
      return 1 + sizeOf(node.item) * Math.max(1, node.max === Number.POSITIVE_INFINITY ? node.min : node.max);
    default:
      return node satisfies never;
  }
}
