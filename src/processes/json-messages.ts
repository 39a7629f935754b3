// Messages between a process and its parent, as JSON. The parent does not believe what it reads: how long a message takes to read, and to
// walk, is bounded by what honest ones need.
//   JSON-MESSAGES-1. A parent reads no message that is deeper than limits.childMessageDepthMax: who reads it may walk it by recursion.
//   JSON-MESSAGES-2. A parent reads no message with more than limits.childStructureCharsMax outside of its texts. A long text takes
//     milliseconds to read; as many empty objects take a minute. The child sends none either.
import { checkJsonDepth } from '../contract/json-check.js';
import { limits } from '../contract/limits.js';
import type { ChannelCodec } from './framed-channel.js';

/** At the parent. */
export const parentCodec: ChannelCodec = {
  encode: (value) => Buffer.from(JSON.stringify(value), 'utf8'),
  decode: (bytes) => {
    const text = bytes.toString('utf8');
    if (!structureFits(text)) throw new RangeError(tooMuchStructure);
    const value: unknown = JSON.parse(text);
    // Each level has two characters at least.
    if (text.length > 2 * limits.childMessageDepthMax && checkJsonDepth(value, limits.childMessageDepthMax) !== null)
      throw new RangeError('a message is too deep');
    return value;
  },
};
/** At the child, which believes its parent. */
export const childCodec: ChannelCodec = {
  encode: (value) => {
    const text = JSON.stringify(value);
    if (!structureFits(text)) throw new RangeError(tooMuchStructure);
    return Buffer.from(text, 'utf8');
  },
  decode: (bytes) => JSON.parse(bytes.toString('utf8')) as unknown,
};
const tooMuchStructure = 'a message has too much outside of its texts';

/**
 * Whether a JSON text has at most so many characters outside of its texts: brackets, names and values are counted by those, by the quotes
 * around them, and by the quotes inside of texts.
 */
export function structureFits(json: string, charsMax: number = limits.childStructureCharsMax): boolean {
  if (json.length <= charsMax) return true;
  let chars = 0;
  let isInside = false;
  for (let at = 0; at < json.length; ) {
    const quote = json.indexOf('"', at);
    if (quote === -1) return isInside || chars + json.length - at <= charsMax;
    chars += isInside ? 1 : quote - at + 1;
    if (chars > charsMax) return false;
    if (!isInside || !isEscaped(json, quote)) isInside = !isInside;
    at = quote + 1;
  }
  return true;
}

/** A backslash that is itself escaped escapes nothing. */
function isEscaped(json: string, quote: number): boolean {
  let start = quote;
  while (json[start - 1] === '\\') start--;
  return (quote - start) % 2 === 1;
}
