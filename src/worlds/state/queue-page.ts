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
/** An (event, actor); one object for each of its pages. */
interface PageRef {
  readonly text: string;
}
/** What a page is written from: columns by slot. */
export interface PageColumns {
  ordinals: readonly number[];
  payloads: readonly string[];
  refs: readonly PageRef[];
  causes: readonly number[];
  atUsOf(slot: number): number;
}
/** Bytes: u32 count, then per event f64 ordinal, f64 atUs, f64 cause, u32 ref; a table of payloads followed by the distinct refs. */
const eventBytes = 28;

export function encodePage(slots: readonly number[], { ordinals, payloads, refs, causes, atUsOf }: PageColumns): Buffer {
  const head = Buffer.allocUnsafe(4 + slots.length * eventBytes);
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const texts: string[] = [];
  const places = new Map<PageRef, number>();
  view.setUint32(0, slots.length, true);
  for (let index = 0, at = 4; index < slots.length; index++, at += eventBytes) {
    const slot = slots[index] as number;
    const ref = refs[slot] as PageRef;
    let place = places.get(ref);
    if (place === undefined) {
      place = places.size;
      places.set(ref, place);
    }
    view.setFloat64(at, ordinals[slot] as number, true);
    view.setFloat64(at + 8, atUsOf(slot), true);
    view.setFloat64(at + 16, causes[slot] as number, true);
    view.setUint32(at + 24, place, true);
    texts.push(payloads[slot] as string);
  }
  for (const ref of places.keys()) texts.push(ref.text);
  return Buffer.concat([head, encodeTexts(texts)]);
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
