// Lines of a byte stream, each bounded: what is longer is reported as too long and passed over. Blank lines are no lines.
import type { Readable } from 'node:stream';
import { limits } from '../contract/limits.js';

export type Line = { kind: 'line'; bytes: Buffer } | { kind: 'too_long' };

const lineFeed = 0x0a;

const isBlank = (bytes: Buffer): boolean => bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);

/** A last line without its end counts. */
export async function* readLines(input: Readable): AsyncGenerator<Line> {
  let held: Buffer[] = [];
  let bytes = 0;
  const take = (): Line | undefined => {
    const line: Line = bytes > limits.bodyBytesMax ? { kind: 'too_long' } : { kind: 'line', bytes: Buffer.concat(held) };
    held = [];
    bytes = 0;
    return line.kind === 'line' && isBlank(line.bytes) ? undefined : line;
  };
  const hold = (part: Buffer): void => {
    bytes += part.length;
    if (bytes > limits.bodyBytesMax) held = [];
    else held.push(part);
  };
  for await (const chunk of input as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, from)) {
      hold(chunk.subarray(from, end));
      from = end + 1;
      const line = take();
      if (line !== undefined) yield line;
    }
    hold(chunk.subarray(from));
  }
  const last = take();
  if (last !== undefined) yield last;
}
