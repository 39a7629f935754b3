// The reply of an owner as this node's own: a short one as a whole, a long one, and one whose end is not known, as it comes.
import { limits } from '../contract/limits.js';
import type { OwnerReply } from './owner-connections.js';
import { passedReplyHeaders } from './passed-headers.js';
import type { HttpReply } from './server.js';

export interface PassedReply {
  reply: HttpReply;
  /** Nothing of it is to come. */
  isWhole: boolean;
}

/** Undefined where it broke off before anything of it was passed on. */
export async function passedReply(answer: OwnerReply, { isHead }: { isHead: boolean }): Promise<PassedReply | undefined> {
  const { status, length } = answer;
  const reply = { status, headers: passedReplyHeaders(answer.rawHeaders) };
  const streamBytes = length === undefined ? {} : { streamBytes: length };
  if (isHead) {
    answer.drop();
    return { reply: { ...reply, stream: answer.pieces(), ...streamBytes }, isWhole: true };
  }
  if (isBodiless(status) || (length !== undefined && length <= limits.forwardedWholeBytesMax)) {
    const body = await wholeOf(answer);
    return body === undefined ? undefined : { reply: { ...reply, body }, isWhole: true };
  }
  return { reply: { ...reply, stream: answer.pieces(), ...streamBytes, isSized: length !== undefined }, isWhole: false };
}

async function wholeOf(answer: OwnerReply): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = [];
  try {
    for await (const piece of answer.pieces()) pieces.push(piece);
  } catch {
    return undefined;
  }
  return pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces);
}

/** RFC 9110 6.4.1. */
function isBodiless(status: number): boolean {
  return status === 204 || status === 304;
}
