// The two state machines of a hosted run (docs/hosted-api.md draws them), enforced here and nowhere else: the run, and who coordinates it.
//   created -> awaiting_agent (once an interaction) -> ready_to_seal -> sealed
// A coordination is `settled` when its run ended as runs end, `lost` when no coordinator could continue with it.
import { ServiceError } from '../../contract/errors.js';
import type { HostedRun, HostedRunState } from '../../contract/run/run.js';

export type CoordinationState = NonNullable<HostedRun['coordination']>['state'];

export const runMoves: { readonly [From in HostedRunState]: readonly HostedRunState[] } = {
  created: ['awaiting_agent', 'ready_to_seal', 'aborted_before_start', 'orchestration_failed'],
  awaiting_agent: ['awaiting_agent', 'ready_to_seal', 'orchestration_failed'],
  ready_to_seal: ['sealed', 'runner_failed', 'cancelled', 'orchestration_failed'],
  sealed: [],
  runner_failed: [],
  cancelled: [],
  aborted_before_start: [],
  orchestration_failed: [],
};
export const coordinationMoves: { readonly [From in CoordinationState]: readonly CoordinationState[] } = {
  // To `running` again: another incarnation took it over.
  pending: ['running', 'settled', 'lost'],
  running: ['running', 'settled', 'lost'],
  settled: [],
  lost: [],
};

export const isEnded = (state: HostedRunState): boolean => runMoves[state].length === 0;

export function requireRunMove(from: HostedRunState, to: HostedRunState): void {
  if (runMoves[from].includes(to)) return;
  throw new ServiceError('control.STATE_CONFLICT', { message: `A run that is ${from} does not become ${to}.`, details: { state: from } });
}

export function requireCoordinationMove(from: CoordinationState, to: CoordinationState): void {
  if (!coordinationMoves[from].includes(to)) throw new Error(`a coordination that is ${from} does not become ${to}`);
}
