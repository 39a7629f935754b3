// What a turn changed beside rows, queue, receipts and evidence.
import type { JsonValue } from '../../contract/json.js';

/** Clock, random streams, counters, outbox: the last value of each key counts. Not evidence. */
export type TurnSide = { readonly [key: string]: JsonValue };

export function writeSide(side: TurnSide | undefined): string | undefined {
  return side === undefined ? undefined : JSON.stringify(side);
}
export function readSide(text: string): TurnSide | undefined {
  return text === '' ? undefined : (JSON.parse(text) as TurnSide);
}
