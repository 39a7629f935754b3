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
    const body = await answer.whole();
    return body === undefined ? undefined : { reply: { ...reply, body }, isWhole: true };
  }
  return { reply: { ...reply, stream: answer.pieces(), ...streamBytes, isSized: length !== undefined }, isWhole: false };
}

/** RFC 9110 6.4.1. */
function isBodiless(status: number): boolean {
  return status === 204 || status === 304;
}
