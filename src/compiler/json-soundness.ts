// The fast way into a JSON file, fifty times as fast as the parser that knows places: JSON.parse, and proof that there is nothing to
// complain about.
import type { JsonValue } from '../contract/json.js';
import { limits } from '../contract/limits.js';

/**
 * The value; undefined when anything may be wrong: it does not parse, a key is given twice, a number loses digits, it is too large or too
 * deep.
 */
export function soundJson(text: string): { value: JsonValue } | undefined {
  let value: JsonValue;
  let bare: string;
  try {
    // Without its strings a text has a colon for each member, and every digit left is a number's. Of a string of many million characters
    // the pattern fills V8's stack.
    bare = text.replace(/"(?:[^"\\]|\\.)*"/g, '""');
    if (/\d{16}|[eE][+]?\d{3}|-0/.test(bare)) return undefined;
    value = JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
  const counted = { members: 0, nodes: 0 };
  if (!count(value, limits.documentDepthMax, counted)) return undefined;
  // JSON.parse keeps the last of two equal keys, so then there are more colons than members.
  return counted.members === bare.split(':').length - 1 ? { value } : undefined;
}

function count(value: JsonValue, levels: number, counted: { members: number; nodes: number }): boolean {
  if (++counted.nodes > limits.documentNodesMax) return false;
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  if (Array.isArray(value)) return value.every((item) => count(item, levels - 1, counted));
  const members = Object.values(value);
  counted.members += members.length;
  return members.every((member) => count(member, levels - 1, counted));
}
