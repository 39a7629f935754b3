// What an author may write for a value of the contract: a text for microseconds ("30s", "2026-01-05T09:00:00Z"), a number for a seed.
// The only place where one becomes the other, before a document is validated; from there on there is one form.
import { beginningOf } from '../../text/cut-text.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.js';
import { limits } from '../limits.js';
import { layShapes } from '../shape-refine.js';
import { parseDurationUs, parseVirtualUs } from '../virtual-time-text.js';
import { shapes } from './validators.js';

/** A text that stands for no value of its shape. */
export interface AuthoredFault {
  /** JSON Pointer. */
  path: string;
  message: string;
  suggestion: string;
}

type Conversion = JsonValue | { fault: Omit<AuthoredFault, 'path'> };
const lengthExample = 'Write a length of time such as "30s", "1h30m", "2d" or "PT5M", or a number of microseconds.';
const timeExample = 'Write a time such as "2026-01-05T09:00:00Z", a length of time such as "2d", or a number of microseconds.';
/** By the shapes of the contract that have a second form; a value that is already of the contract, or never will be, stays. */
const conversions: { readonly [shape: string]: (value: JsonValue) => Conversion } = {
  VirtualUs: (value) => microseconds(value, parseVirtualUs, 'a time', timeExample),
  DurationUs: (value) => microseconds(value, parseDurationUs, 'a length of time', lengthExample),
  PositiveDurationUs: (value) => microseconds(value, parseDurationUs, 'a length of time', lengthExample),
  Seed: (value) => (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? String(value) : value),
};
/** The shapes that an author may write in two ways. */
export const authoredShapes: readonly string[] = Object.keys(conversions);

const laid = layShapes(shapes, authoredShapes);

/** Converts `document`, a value that is to be of `shape`, in place where it can; gives the value, and what it cannot convert. */
export function convertAuthored(shape: string, document: JsonValue): { value: JsonValue; faults: AuthoredFault[] } {
  const faults: AuthoredFault[] = [];
  const root: { value: JsonValue } = { value: document };
  // Where an editor finds the JSON Schema of the file.
  if (isJsonObject(document) && typeof document.$schema === 'string') delete document.$schema;
  laid(shape)?.(document, '', (name, written, path) => {
    const converted = conversions[name]?.(written as JsonValue);
    if (converted === undefined || converted === written) return;
    if (isFault(converted)) faults.push({ path, ...converted.fault });
    else put(root, path, converted);
  });
  return { value: root.value, faults };
}

function isFault(converted: Conversion): converted is { fault: Omit<AuthoredFault, 'path'> } {
  return isJsonObject(converted as JsonValue) && Object.hasOwn(converted as JsonObject, 'fault');
}

function microseconds(value: JsonValue, parse: (text: string) => number | undefined, what: string, suggestion: string): Conversion {
  if (typeof value !== 'string') return value;
  const parsed = parse(value);
  return (
    parsed ?? {
      fault: { message: `expected ${what}, found ${JSON.stringify(beginningOf(value, limits.quotedPieceCharsMax))}`, suggestion },
    }
  );
}

function put(root: { value: JsonValue }, pointer: string, value: JsonValue): void {
  let holder = root as unknown as JsonObject;
  let name = 'value';
  for (const token of pointer.split('/').slice(1)) {
    holder = holder[name] as JsonObject;
    name = token.replaceAll('~1', '/').replaceAll('~0', '~');
  }
  holder[name] = value;
}
