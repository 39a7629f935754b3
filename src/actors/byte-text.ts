// Plain data with bytes in it as one JSON text: what asks and their answers are between a process host and its parent, so that the parent
// knows how large an ask is before it reads it.
//   BYTE-TEXT-1. What was written is read again: JSON as it is, each Uint8Array as a Buffer with its bytes. Undefined alone is undefined.
import { ServiceError } from '../contract/errors.js';

/** The one member of an object that stands for bytes. */
const bytesMember = '$bytes';

/** Throws where the value is no plain data, or has a member that stands for bytes. */
export function textOfPlain(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(withTexts(value));
}
/** Throws where the text is none of `textOfPlain`. */
export function plainOfText(text: string): unknown {
  return text === '' ? undefined : JSON.parse(text, (_name, value: unknown) => (isBytes(value) ? bytesOf(value) : value));
}

function withTexts(value: unknown): unknown {
  if (value instanceof Uint8Array) {
    return { [bytesMember]: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64') };
  }
  if (Array.isArray(value)) return value.map(withTexts);
  if (typeof value !== 'object' || value === null) return value;
  if (isBytes(value)) throw new ServiceError('control.INVALID_REQUEST', { message: `A member '${bytesMember}' stands for bytes.` });
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withTexts(member)]));
}

const isBytes = (value: unknown): value is { [bytesMember]: unknown } =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, bytesMember);

function bytesOf({ [bytesMember]: text }: { [bytesMember]: unknown }): Buffer {
  if (typeof text !== 'string') throw new TypeError('bytes are a text');
  return Buffer.from(text, 'base64');
}
