// A page of scheduled events as stored: columns, then texts. Written once with what a commit scheduled, dropped when all of it is gone.
import { decodeTexts, encodeTexts } from '../kv/text-table.js';

export interface PageEvent {
  ordinal: number;
  atUs: number;
  /** JSON of the (event, actor) it stands for. */
  refText: string;
  payloadText: string;
  causeSequence: number;
}
/** Bytes: u32 count, then per event f64 ordinal, f64 atUs, f64 cause, u32 ref; a table of payloads followed by the distinct refs. */
const eventBytes = 28;

export function encodePage(events: readonly PageEvent[]): Buffer {
  const columns = Buffer.allocUnsafe(4 + events.length * eventBytes);
  columns.writeUInt32LE(events.length, 0);
  const refs = new Map<string, number>();
  let at = 4;
  for (const { ordinal, atUs, refText, causeSequence } of events) {
    let ref = refs.get(refText);
    if (ref === undefined) {
      ref = refs.size;
      refs.set(refText, ref);
    }
    at = columns.writeDoubleLE(ordinal, at);
    at = columns.writeDoubleLE(atUs, at);
    at = columns.writeDoubleLE(causeSequence, at);
    at = columns.writeUInt32LE(ref, at);
  }
  return Buffer.concat([columns, encodeTexts([...events.map((event) => event.payloadText), ...refs.keys()])]);
}

export function decodePage(bytes: Buffer): PageEvent[] {
  const count = bytes.readUInt32LE(0);
  const texts = decodeTexts(bytes.subarray(4 + count * eventBytes));
  const refs = Array.from({ length: texts.count - count }, (_, index) => texts.at(count + index));
  return Array.from({ length: count }, (_, index) => {
    const at = 4 + index * eventBytes;
    return {
      ordinal: bytes.readDoubleLE(at),
      atUs: bytes.readDoubleLE(at + 8),
      causeSequence: bytes.readDoubleLE(at + 16),
      refText: refs[bytes.readUInt32LE(at + 24)] as string,
      payloadText: texts.at(index),
    };
  });
}
