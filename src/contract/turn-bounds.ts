// Bounds of what tool code makes in one turn or one message; an outcome and a fault name the one that was crossed.
import type { limits } from './limits.js';

export const turnBounds = [
  'resultBytesMax',
  'failureDetailsBytesMax',
  'eventPayloadBytesMax',
  'rowBytesMax',
  'turnWriteBytesMax',
  'turnEntriesMax',
  'contextCallsMax',
  'decodedBytesMax',
  'encodedBodyBytesMax',
  'blobBytesEachMax',
  'turnBlobBytesMax',
  'worldBlobBytesMax',
] as const satisfies readonly (keyof typeof limits)[];
export type TurnBound = (typeof turnBounds)[number];
