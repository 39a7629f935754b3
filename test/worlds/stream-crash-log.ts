// A log as a file: records one after another, each with its length before it. What was cut at the end was never written.
import { readFileSync } from 'node:fs';
import type { StreamRecord } from '../../src/worlds/kv/stream-log.js';

const headBytes = 4 + 6 + 16;

export function encodeLogged({ number, nonce, body }: StreamRecord): Buffer {
  const head = Buffer.alloc(10);
  head.writeUInt32BE(body.length, 0);
  head.writeUIntBE(number, 4, 6);
  return Buffer.concat([head, nonce, body]);
}

export function readLogged(file: string): StreamRecord[] {
  const bytes = readFileSync(file);
  const records: StreamRecord[] = [];
  for (let at = 0; at + headBytes <= bytes.length; ) {
    const end = at + headBytes + bytes.readUInt32BE(at);
    if (end > bytes.length) break;
    records.push({
      number: bytes.readUIntBE(at + 4, 6),
      nonce: bytes.subarray(at + 10, at + headBytes),
      body: bytes.subarray(at + headBytes, end),
    });
    at = end;
  }
  return records;
}
