// One setting of `drillyard serve`.
import type { ValueKind } from './setting-values.js';

export interface ServeSetting<Value = unknown> {
  /** Without its dashes. */
  flag: string;
  placeholder: string;
  text: string;
  /** As one would write it, or in words. */
  default: string;
  /** The default is a value. */
  isFixed: boolean;
  kind: ValueKind<Value>;
}
interface Words {
  words: string;
}

/** A default that is no one value. */
export function words(text: string): Words {
  return { words: text };
}

export function setting<Value>(
  flag: string,
  placeholder: string,
  byDefault: string | Words,
  text: string,
  kind: ValueKind<Value>,
): ServeSetting<Value> {
  const isFixed = typeof byDefault === 'string';
  return { flag, placeholder, default: isFixed ? byDefault : byDefault.words, isFixed, text, kind };
}
