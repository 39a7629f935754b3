// What the text of a record says. Many read the same value, so nobody changes it: it is frozen.

export function asRead(bytes: Uint8Array): unknown {
  return frozen(JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()));
}

function frozen(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) if (typeof member === 'object') frozen(member);
  return Object.freeze(value);
}
