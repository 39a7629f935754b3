// What the control plane reports as it happens, for figures. It says of what kind something was, and never of whose.
import type { LongRunningOperation } from '../../contract/hosted/operation.js';
import type { HostedRunState, Verdict } from '../../contract/run/run.js';
import type { DeliveryPhase } from '../../contract/world/evidence.js';

/** Of one attempt: the class of the status, or why there was none. */
export type CallbackResult = '1xx' | '2xx' | '3xx' | '4xx' | '5xx' | 'timeout' | 'connection' | 'address_refused';
export type HostEnd = 'timeout' | 'silent' | 'killed' | 'crashed' | 'stuck';

export interface ControlMeter {
  operationEnded(operation: LongRunningOperation): void;
  /** `verdict`: undefined where there is no result. */
  runEnded(run: { state: HostedRunState; verdict: Verdict | undefined; seconds: number }): void;
  callbackAttempted(attempt: { result: CallbackResult; seconds: number }): void;
  callbackSettled(phase: DeliveryPhase): void;
  hostEnded(reason: HostEnd): void;
  /** A step of tool code, as a watchdog sees it: how long the look stands for. */
  stepSeen(seconds: number): void;
}

export const silentMeter: ControlMeter = {
  operationEnded: () => {},
  runEnded: () => {},
  callbackAttempted: () => {},
  callbackSettled: () => {},
  hostEnded: () => {},
  stepSeen: () => {},
};
