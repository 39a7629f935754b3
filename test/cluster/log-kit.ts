// Entries of tests, and bodies as the stores take them.
import { createHash } from 'node:crypto';
import type { LogEntry, OwnState } from '../../src/cluster/log.js';

/** 16 bytes that follow from the text. */
export const nonceOf = (text: string): Buffer => createHash('sha256').update(text).digest().subarray(0, 16);

export function entryOf(
  home: number,
  sequence: number,
  epoch: number,
  { nonce = `${home}.${sequence}.${epoch}`, body = 'b' } = {},
): LogEntry {
  return { home, sequence, epoch, nonce: nonceOf(nonce), stream: 'p/home', number: sequence, body: Buffer.from(body), isLast: true };
}

export const stateOf = (node: string, more: Partial<OwnState> = {}): OwnState => ({
  node,
  address: `http://${node}`,
  state: 'ready',
  format: 1,
  followed: {},
  incarnation: `${node} now`,
  held: {},
  unreached: [],
  ...more,
});

export async function* eachOf(...pieces: (string | Buffer)[]): AsyncGenerator<Buffer> {
  for (const piece of pieces) yield Buffer.from(piece);
}

export async function joined(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces);
}
