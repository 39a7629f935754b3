// What becomes of the calls of a host that has ended: which are refused, with which code, and which are sent again.
import { type ErrorCode, ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import type { BoardReader } from './board.js';
import { type Call, type CallTable, cancelledBeforeStart } from './calls.js';
import type { HostEndReason } from './options.js';

export interface HostEnding {
  reason: HostEndReason;
  /** The message whose step was running. */
  running: Call | undefined;
  begun(call: Call): boolean;
}

/** Settles the calls that cannot be sent again; gives those that can (`left`), in order. */
export function settleCalls(calls: CallTable, board: BoardReader, reason: HostEndReason): { left: Call[]; running: Call | undefined } {
  board.refresh(calls.slotsUsed);
  const step = board.running(calls.slotsUsed);
  const candidate = step && calls.at(step.slot);
  const running = candidate?.stamp === step?.stamp ? candidate : undefined;
  const left: Call[] = [];
  for (const call of calls.inOrder()) {
    const refusal = aftermath(call, { reason, running, begun: ({ slot, stamp }) => board.begun(slot, stamp) });
    if (refusal === undefined) left.push(call);
    else calls.close(call.slot)!.reject(refusal);
  }
  return { left, running };
}

/**
 * What one call comes to: undefined means that it is sent again.
 * A begun command may or may not be in the last commit, so it is for its caller to say whether it may run twice. A message that was running
 * when the host went down by itself is not tried again, or it might take the next incarnation down too, and with it goes what its actor
 * still had queued.
 */
export function aftermath(call: Call, { reason, running, begun }: HostEnding): ServiceError | undefined {
  if (reason === 'timeout' && call === running) return refusal('world.HANDLER_TIMEOUT');
  if (reason !== 'killed' && call.actorId === running?.actorId) return refusal('world.ACTOR_RESTARTED');
  if (call.kind === 'command' && begun(call)) return refusal('world.ACTOR_RESTARTED');
  if (call.cancelled) return cancelledBeforeStart();
  return call.sends > limits.resendsMax ? refusal('world.ACTOR_RESTARTED') : undefined;
}

function refusal(code: ErrorCode): ServiceError {
  return new ServiceError(code);
}
