// What the text of a record says. Many read the same value, so nobody changes it: it is frozen.
import { isUtf8 } from 'node:buffer';

export function asRead(bytes: Uint8Array): unknown {
  return frozen(JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()));
}

/** Of bytes of the disk. Throws for what no record is. */
export function asStored(bytes: Uint8Array): unknown {
  if (!isUtf8(bytes)) throw new Error('it is no UTF-8');
  const record = asRead(bytes);
  if (typeof record !== 'object' || record === null) throw new Error('it is no record');
  return record;
}

function frozen(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) if (typeof member === 'object') frozen(member);
  return Object.freeze(value);
}
