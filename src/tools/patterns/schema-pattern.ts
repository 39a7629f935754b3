// Patterns of JSON Schemas, which come from anybody: none takes more than time linear in the text. Its meaning is that of JavaScript with
// the flag `u`. V8 runs what is proven to be linear in it, some thirty times as fast as RE2 does; RE2 runs the rest.
import { LruMap } from '../../collections/lru-map.js';
import { limits } from '../../contract/limits.js';
import { spendSteps } from '../validation-steps.js';
import { isProvenLinear } from './proof.js';
import { re2Pattern } from './re2-pattern.js';
import { PatternRefused, parsePattern } from './syntax.js';

export interface SchemaPattern {
  test(text: string): boolean;
  /** Different for different patterns. */
  toString(): string;
}

/** By source. */
const compiled = new LruMap<string, SchemaPattern>({ entriesMax: limits.compiledPatternsMax });

/** Throws PatternRefused, and SyntaxError for what is no pattern. */
export function schemaPattern(source: string): SchemaPattern {
  return compiled.getOrMake(source, () => compile(source));
}

/** Why a pattern is not available; undefined when it is. */
export function patternFault(source: string): string | undefined {
  try {
    schemaPattern(source);
    return undefined;
  } catch (error) {
    return error instanceof PatternRefused ? error.message : 'is no regular expression';
  }
}

function compile(source: string): SchemaPattern {
  const native = new RegExp(source, 'u');
  if (source.length > limits.patternCharsMax) throw new PatternRefused(`has more than ${limits.patternCharsMax} characters`);
  const syntax = parsePattern(source);
  if (isProvenLinear(syntax)) return native;
  const { instructions, test } = re2Pattern(syntax);
  return {
    test: (text) => {
      spendSteps(instructions * text.length);
      return test(text);
    },
    toString: () => `re2 ${native}`,
  };
}
