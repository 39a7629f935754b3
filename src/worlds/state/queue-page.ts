// A page of scheduled events as it is stored, and as a queue holds it: columns, then texts. Written once with what a commit scheduled,
// dropped when all of it is gone.
import { encodeTexts, StoredTexts } from '../kv/text-table.js';

export interface PageEvent {
  readonly ordinal: number;
  readonly atUs: number;
  /** Its text is JSON of the (event, actor) it stands for. */
  readonly ref: { readonly text: string };
  readonly payloadText: string;
  readonly causeSequence: number;
}
/** Bytes: u32 count, then per event f64 ordinal, f64 atUs, f64 cause, u32 ref; a table of payloads followed by the distinct refs. */
const headBytes = 4;
const eventBytes = 28;
const eventCell = { ordinal: 0, atUs: 8, cause: 16, ref: 24 };

export function encodePage(events: readonly PageEvent[]): Buffer {
  const columns = Buffer.allocUnsafe(headBytes + events.length * eventBytes);
  const view = viewOf(columns);
  const refs = new Map<string, number>();
  const texts: string[] = [];
  view.setUint32(0, events.length, true);
  let at = headBytes;
  for (const { ordinal, atUs, ref, payloadText, causeSequence } of events) {
    texts.push(payloadText);
    let place = refs.get(ref.text);
    if (place === undefined) {
      place = refs.size;
      refs.set(ref.text, place);
    }
    view.setFloat64(at + eventCell.ordinal, ordinal, true);
    view.setFloat64(at + eventCell.atUs, atUs, true);
    view.setFloat64(at + eventCell.cause, causeSequence, true);
    view.setUint32(at + eventCell.ref, place, true);
    at += eventBytes;
  }
  return Buffer.concat([columns, encodeTexts(texts.concat([...refs.keys()]))]);
}

/** Events by their place in the page, from 0. Payloads become texts when the first of them is asked for. */
export class StoredPage {
  readonly count: number;
  readonly #view: DataView;
  readonly #texts: StoredTexts;

  constructor(bytes: Buffer) {
    this.#view = viewOf(bytes);
    this.count = this.#view.getUint32(0, true);
    this.#texts = new StoredTexts(bytes.subarray(headBytes + this.count * eventBytes));
  }

  /** Distinct ones. */
  refTexts(): string[] {
    const { count } = this;
    return Array.from({ length: this.#texts.count - count }, (_, index) => this.#texts.one(count + index));
  }
  ordinal(place: number): number {
    return this.#view.getFloat64(headBytes + place * eventBytes + eventCell.ordinal, true);
  }
  atUs(place: number): number {
    return this.#view.getFloat64(headBytes + place * eventBytes + eventCell.atUs, true);
  }
  causeSequence(place: number): number {
    return this.#view.getFloat64(headBytes + place * eventBytes + eventCell.cause, true);
  }
  /** Its place in refTexts(). */
  refIndex(place: number): number {
    return this.#view.getUint32(headBytes + place * eventBytes + eventCell.ref, true);
  }
  payloadText(place: number): string {
    return this.#texts.at(place);
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
