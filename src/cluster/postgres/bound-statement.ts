// What asks PostgreSQL to carry out a prepared statement, as one piece of memory: Bind, Execute and Sync of its protocol (version 3). The
// client's own writer grows its memory by halves for each message, and copies what it has each time.

/** A text, or bytes in the binary form, which may lie in several pieces. */
export type BoundValue = string | Buffer | readonly Buffer[];

const code = { bind: 0x42, execute: 0x45, sync: 0x53 };
const binary = 1;
/** Of the unnamed portal; its length counts itself. */
const executeAll = [code.execute, 0, 0, 0, 9, 0, 0, 0, 0, 0];
const sync = [code.sync, 0, 0, 0, 4];

export function boundStatement(name: string, values: readonly BoundValue[]): Buffer {
  const lengths = values.map(lengthOf);
  const valuesBytes = lengths.reduce((sum, length) => sum + 4 + length, 0);
  // Length, portal, statement, the form of each value, values, the form of all results.
  const bindBytes = 4 + 1 + Buffer.byteLength(name) + 1 + 2 + 2 * values.length + 2 + valuesBytes + 4;
  const message = Buffer.allocUnsafe(1 + bindBytes + executeAll.length + sync.length);
  let at = message.writeUInt8(code.bind);
  at = message.writeUInt32BE(bindBytes, at);
  at = message.writeUInt8(0, at);
  at += message.write(name, at);
  at = message.writeUInt8(0, at);
  at = message.writeUInt16BE(values.length, at);
  for (const value of values) at = message.writeUInt16BE(typeof value === 'string' ? 0 : binary, at);
  at = message.writeUInt16BE(values.length, at);
  values.forEach((value, index) => {
    at = message.writeUInt32BE(lengths[index] as number, at);
    if (typeof value === 'string') at += message.write(value, at);
    else for (const piece of piecesOf(value)) at += piece.copy(message, at);
  });
  at = message.writeUInt16BE(1, at);
  at = message.writeUInt16BE(0, at);
  message.set(executeAll, at);
  message.set(sync, at + executeAll.length);
  return message;
}

const piecesOf = (value: Buffer | readonly Buffer[]): readonly Buffer[] => (Buffer.isBuffer(value) ? [value] : value);

function lengthOf(value: BoundValue): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  return piecesOf(value).reduce((sum, { length }) => sum + length, 0);
}
