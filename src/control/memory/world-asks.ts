// What the control plane asks the machine that owns the home of a session, and what that answers: plain JSON, but for a command's signal
// and progress. The machine may be this one.
import type { UnansweredRequests } from '../../contract/run/run-events.js';
import type { AdvanceProgress, WorldAnswers, WorldCommand, WorldPosition, WorldQuery } from '../../contract/world/world-protocol.js';
import type { ForkWorld, SendOptions } from '../../worlds/api.js';

export type WorldAsk =
  /** The world of a session whose record is in the catalog. Found where it was made already. */
  | { kind: 'make'; isNew: boolean }
  | { kind: 'open' }
  | { kind: 'command'; command: WorldCommand }
  | { kind: 'query'; query: WorldQuery }
  | { kind: 'fork'; request: ForkWorld }
  | { kind: 'passivate' }
  | { kind: 'destroy' }
  /** The session has ended: no callback of it leaves any more. */
  | { kind: 'ended' }
  /** Whether a callback is in flight. */
  | { kind: 'delivering' }
  /** What no route answered of the session's accesses. */
  | { kind: 'unanswered' }
  /** Ends what is open for the run's interaction; answered when calls that had begun have been. */
  | { kind: 'closeRun'; hostedRunId: string };

export interface ClosedRun {
  /** An agent used an access of the interaction. */
  observed: boolean;
  unanswered?: UnansweredRequests;
}
interface MadeWorld {
  worldInstanceId: string;
}
export interface WorldAskAnswers {
  make: MadeWorld;
  open: MadeWorld;
  fork: MadeWorld & { position: WorldPosition };
  passivate: null;
  destroy: null;
  ended: null;
  delivering: boolean;
  unanswered: UnansweredRequests;
  closeRun: ClosedRun;
}
export type AnswerTo<A extends WorldAsk> = A extends { kind: 'command'; command: infer C extends WorldCommand }
  ? WorldAnswers[C['kind']]
  : A extends { kind: 'query'; query: infer Q extends WorldQuery }
    ? WorldAnswers[Q['kind']]
    : A extends { kind: infer K extends keyof WorldAskAnswers }
      ? WorldAskAnswers[K]
      : never;

export type AskOptions = SendOptions<AdvanceProgress>;

/** The way to the machines that own homes. */
export interface HomesPort {
  /**
   * Rejects as the world does. While no machine owns the home it waits for a while, then rejects with control.UNAVAILABLE: nothing was
   * done. Where the owner was lost while it worked, what only reads is asked again, and anything else rejects with world.ACTOR_RESTARTED.
   */
  ask<A extends WorldAsk>(sessionId: string, ask: A, options?: AskOptions): Promise<AnswerTo<A>>;
  /** The hosts of a project end on every machine, and its worlds are removed in every home. */
  removeProject(projectId: string): Promise<void>;
}

const changing = new Set<WorldAsk['kind']>(['make', 'command', 'fork', 'destroy']);
/** Asked twice, it is as asked once. */
export const isRepeatable = ({ kind }: WorldAsk): boolean => !changing.has(kind);
