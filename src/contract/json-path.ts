// Places inside a JSON value, as authors name them.
import type { JsonValue } from './json.js';
import type { tags } from './tags.js';

/** Member names and list positions, from the value inwards; [] is the whole. */
export type JsonPath = (string | (number & tags.Type<'uint32'> & tags.Minimum<0> & tags.Maximum<1000000>))[] & tags.MaxItems<64>;

/** Undefined where the path leads nowhere. */
export function valueAt(value: JsonValue, path: readonly (string | number)[]): JsonValue | undefined {
  let found: JsonValue | undefined = value;
  for (const step of path) {
    if (typeof found !== 'object' || found === null) return undefined;
    if (Array.isArray(found)) found = isPosition(step) ? found[Number(step)] : undefined;
    else found = Object.hasOwn(found, String(step)) ? found[String(step)] : undefined;
  }
  return found;
}

function isPosition(step: string | number): boolean {
  return typeof step === 'number' || /^(0|[1-9]\d*)$/.test(step);
}
