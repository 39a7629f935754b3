// The hot path's wire: a closed union of frames, many to an envelope, one envelope a tick each way.
// An envelope is one flat array, `[op, ...operands, op, ...operands]`: structured clone writes an object's keys again for every frame, and
// 64 pipelined calls measured 2.1 us each this way against 4.0 us as objects.
//   FRAMES-1. Frames of one actor are read in the order in which they were written.
//   FRAMES-2. A value that cannot be cloned costs its own message, never its neighbors' (`post`).
import { type ErrorFrame, isErrorFrame } from '../contract/errors.js';
import { limits } from '../contract/limits.js';

export type Envelope = unknown[];

/** To a host. `slot` names the call until it is answered, `stamp` is unique in a system and rises with every message sent. */
const hostOps = { command: 1, query: 2, cancel: 3 } as const;
/** To a host, with none but its like in its envelope: the answer to an ask. It may come before the host has loaded its kind. */
const answerOp = 4;
const answerFrameLengths: FrameLengths = { 4: 3 };
const hostFrameLengths: FrameLengths = { 1: 5, 2: 5, 3: 4 };
/** From a host. */
const callerOps = { reply: 1, refusal: 2, progress: 3, failure: 4, ask: 5 } as const;
const callerFrameLengths: FrameLengths = { 1: 3, 2: 3, 3: 3, 4: 2, 5: 3 };
type FrameLengths = { readonly [op: number]: number };

export interface HostFrames {
  command(slot: number, stamp: number, actorId: string, message: unknown): void;
  query(slot: number, stamp: number, actorId: string, message: unknown): void;
  cancel(slot: number, stamp: number, actorId: string): void;
}
/** A bug in the kind, for the log; its caller has a refusal with the same correlation id. */
export interface FailureNotice {
  actorId: string;
  correlationId: string;
  stack: string;
}
export interface CallerFrames {
  reply(slot: number, value: unknown): void;
  refusal(slot: number, error: ErrorFrame): void;
  progress(slot: number, value: unknown): void;
  failure(notice: FailureNotice): void;
  /** `number` names the ask until it is answered. */
  ask(number: number, request: unknown): void;
}

export const writeToHost = {
  command: (to: Envelope, slot: number, stamp: number, actorId: string, message: unknown) =>
    to.push(hostOps.command, slot, stamp, actorId, message),
  query: (to: Envelope, slot: number, stamp: number, actorId: string, message: unknown) =>
    to.push(hostOps.query, slot, stamp, actorId, message),
  cancel: (to: Envelope, slot: number, stamp: number, actorId: string) => to.push(hostOps.cancel, slot, stamp, actorId),
};
export const writeToCaller = {
  reply: (to: Envelope, slot: number, value: unknown) => to.push(callerOps.reply, slot, value),
  refusal: (to: Envelope, slot: number, error: ErrorFrame) => to.push(callerOps.refusal, slot, error),
  progress: (to: Envelope, slot: number, value: unknown) => to.push(callerOps.progress, slot, value),
  failure: (to: Envelope, notice: FailureNotice) => to.push(callerOps.failure, notice),
  ask: (to: Envelope, number: number, request: unknown) => to.push(callerOps.ask, number, request),
};

export function writeAnswer(to: Envelope, number: number, answer: unknown): void {
  to.push(answerOp, number, answer);
}
/** False for an envelope of other frames, of which nothing is read. */
export function readAnswers(from: Envelope, on: (number: number, answer: unknown) => void): boolean {
  if (from[0] !== answerOp) return false;
  for (let at = 0; at < from.length; at += answerFrameLengths[answerOp]!) on(from[at + 1] as number, from[at + 2]);
  return true;
}
/** As `postToHost`, of answers alone. */
export function postAnswers(envelope: Envelope, post: (envelope: Envelope) => void, refused: (number: number, error: Error) => void): void {
  postOrSplit(envelope, answerFrameLengths, post, (frame, error) => refused(frame[1] as number, error));
}

export function readAtHost(from: Envelope, on: HostFrames): void {
  for (let at = 0; at < from.length; ) {
    const op = from[at] as (typeof hostOps)[keyof typeof hostOps];
    const slot = from[at + 1] as number;
    const stamp = from[at + 2] as number;
    switch (op) {
      case hostOps.command:
        on.command(slot, stamp, from[at + 3] as string, from[at + 4]);
        break;
      case hostOps.query:
        on.query(slot, stamp, from[at + 3] as string, from[at + 4]);
        break;
      case hostOps.cancel:
        on.cancel(slot, stamp, from[at + 3] as string);
        break;
      default:
        throw unknownFrame(op);
    }
    at += hostFrameLengths[op]!;
  }
}

export function readAtCaller(from: Envelope, on: CallerFrames): void {
  for (let at = 0; at < from.length; ) {
    const op = from[at] as (typeof callerOps)[keyof typeof callerOps];
    const operand = from[at + 1];
    switch (op) {
      case callerOps.reply:
        on.reply(operand as number, from[at + 2]);
        break;
      case callerOps.refusal:
        on.refusal(operand as number, from[at + 2] as ErrorFrame);
        break;
      case callerOps.progress:
        on.progress(operand as number, from[at + 2]);
        break;
      case callerOps.failure:
        on.failure(operand as FailureNotice);
        break;
      case callerOps.ask:
        on.ask(operand as number, from[at + 2]);
        break;
      default:
        throw unknownFrame(op);
    }
    at += callerFrameLengths[op]!;
  }
}

/**
 * Whether what a process sent may be read: whole frames of known operations, with slots that are numbers and refusals that are refusals.
 * What a reply says is for the caller. `notices.left`: how many more failures it may report to the log.
 */
export function isEnvelopeForCaller(envelope: readonly unknown[], notices: { left: number }): boolean {
  for (let at = 0; at < envelope.length; ) {
    const op = envelope[at];
    const length = typeof op === 'number' ? (callerFrameLengths[op] ?? 0) : 0;
    if (length === 0 || at + length > envelope.length) return false;
    const operand = envelope[at + 1];
    if (op === callerOps.failure) {
      if (!isNotice(operand) || --notices.left < 0) return false;
    } else if (!Number.isSafeInteger(operand)) return false;
    if (op === callerOps.refusal && !isErrorFrame(envelope[at + 2])) return false;
    at += length;
  }
  return true;
}

/** Of an envelope that may be read: whether anything in it answers a call, or asks. */
export function answersOrAsks(envelope: readonly unknown[]): boolean {
  for (let at = 0; at < envelope.length; at += callerFrameLengths[envelope[at] as number]!)
    if (envelope[at] !== callerOps.progress && envelope[at] !== callerOps.failure) return true;
  return false;
}

function isNotice(value: unknown): value is FailureNotice {
  const { actorId, correlationId, stack } = (value ?? {}) as { [member: string]: unknown };
  return [actorId, correlationId, stack].every((text) => typeof text === 'string' && text.length <= limits.childNoticeCharsMax);
}

/** Posts an envelope; should a value in it refuse to be cloned, frame by frame, and names the calls that could not be sent. */
export function postToHost(envelope: Envelope, post: (envelope: Envelope) => void, refused: (slot: number, error: Error) => void): void {
  postOrSplit(envelope, hostFrameLengths, post, (frame, error) => {
    if (frame[0] !== hostOps.cancel) refused(frame[1] as number, error);
  });
}
/** As `postToHost`; names the calls whose reply could not be sent, and such asks. A progress value that cannot be cloned is left out. */
export function postToCaller(
  envelope: Envelope,
  post: (envelope: Envelope) => void,
  refused: { reply(slot: number, error: Error): void; ask(number: number, error: Error): void },
): void {
  postOrSplit(envelope, callerFrameLengths, post, (frame, error) => {
    if (frame[0] === callerOps.reply) refused.reply(frame[1] as number, error);
    if (frame[0] === callerOps.ask) refused.ask(frame[1] as number, error);
  });
}
function postOrSplit(
  envelope: Envelope,
  lengths: FrameLengths,
  post: (envelope: Envelope) => void,
  refused: (frame: Envelope, error: Error) => void,
): void {
  try {
    post(envelope);
    return;
  } catch {
    // Which frame it was, the error does not tell.
  }
  for (let at = 0, end = 0; at < envelope.length; at = end) {
    end = at + lengths[envelope[at] as number]!;
    const frame = envelope.slice(at, end);
    try {
      post(frame);
    } catch (error) {
      refused(frame, error as Error);
    }
  }
}

function unknownFrame(op: never): Error {
  return new Error(`unknown frame ${String(op)}`);
}
