// How large one value may be that files bring into a world: as large as one that tool code puts there (tools/realm-context.ts).
import type { JsonValue } from '../contract/json.js';
import { utf8Bytes } from '../contract/json-check.js';
import { limits } from '../contract/limits.js';
import { grouped } from '../text/counted.js';

/** What is wrong with a value that passes its bound, in bytes of UTF-8 as JSON; undefined for one that does not. */
export function tooManyBytes(value: JsonValue, bound: 'rowBytesMax' | 'eventPayloadBytesMax'): string | undefined {
  const max = limits[bound];
  const text = JSON.stringify(value);
  // A code unit has at most three bytes.
  if (text.length * 3 <= max) return undefined;
  const bytes = utf8Bytes(text);
  return bytes <= max ? undefined : `has ${grouped(bytes)} bytes as JSON; at most ${grouped(max)} are taken`;
}
