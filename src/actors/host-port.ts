// The port between a supervisor and one incarnation of a host (a thread or a process): the same for both isolations.
import type { MessagePort } from 'node:worker_threads';
import { type ErrorFrame, errorFromFrame, errorToFrame, isErrorFrame, ServiceError } from '../contract/errors.js';
import type { ProcessorTime } from '../processes/processor-wait.js';
import type { BoardPage, BoardReader } from './board.js';
import type { Envelope } from './frames.js';
import type { Heartbeat } from './heartbeat.js';
import type { ActorSystemOptions } from './options.js';

/** What an incarnation is started with; structured-cloned. */
export interface HostSetup {
  index: number;
  isolation: 'thread' | 'process';
  moduleHref: string;
  hostOptions: unknown;
  idlePassivationMs: number;
  actorsInMemoryMax: number;
  /** Its system answers what its kind asks. */
  mayAsk: boolean;
}
export interface HostStart {
  setup: HostSetup;
  resourceLimits: NonNullable<ActorSystemOptions['resourceLimits']>;
  takeChild?: ActorSystemOptions['takeChild'];
  onEnvelope(envelope: Envelope): void;
}

/** The control path, called through Comlink. */
export interface HostControl {
  /** Loads the kind; the first thing asked of an incarnation. Answers with a `LoadedHost`. */
  load(): Promise<Answer>;
  control(request: unknown): Promise<Answer>;
  passivate(actorId: string): Promise<Answer>;
  figures(): Promise<HostFigures>;
  /**
   * Finishes what this incarnation was sent, `messages` in all (they come on another wire), then closes the kind. What is not finished
   * after `graceMs` is cancelled when it runs, and refused when it has not begun.
   */
  stop(graceMs: number, messages: number): Promise<Answer>;
}
export interface LoadedHost {
  /** The number that the system knows its thread by, where it says so. */
  thread?: number;
}
export interface HostFigures {
  actorsLive: number;
  commits: number;
  writeSets: number;
  activations: number;
  residentBytes: number;
}

export interface HostIncarnation {
  /** Throws when a value cannot be cloned. */
  post(envelope: Envelope): void;
  readonly control: HostControl;
  readonly board: BoardReader;
  /** Resolves, with what is known of the reason, once the thread or process is gone and all it had sent has been given to `onEnvelope`. */
  readonly ended: Promise<string>;
  /** Of a process; a thread runs while its own process does. */
  readonly heartbeat?: Heartbeat;
  /** Of a process and those below it; undefined where the system does not say. Of a thread it is known once it has loaded. */
  processorTime?(): ProcessorTime | undefined;
  /** Whether it leaves the processor to others that want it; a thread cannot. */
  setYielding?(yields: boolean): void;
  /** After its kind was closed: ends what is left of it. Its thread may serve a later host (workers/kept-threads.ts). */
  finish(): void;
  /** Ends it whatever it does. */
  terminate(): void;
  /** Ends it because of what it sent. */
  refuse(reason: string): void;
}

/** What a thread host is handed as its task. */
export interface ThreadTask {
  setup: HostSetup;
  page: BoardPage;
  mail: MessagePort;
  control: MessagePort;
}

/** Comlink keeps only an error's message; a refusal needs its code too. */
export type Answer = { ok: true; value: unknown } | { ok: false; error: ErrorFrame };
export async function answer(work: () => unknown, bug: (error: unknown) => ErrorFrame): Promise<Answer> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    return { ok: false, error: error instanceof ServiceError ? errorToFrame(error) : bug(error) };
  }
}
export function unwrap(answered: Answer): unknown {
  if (answered.ok) return answered.value;
  // A process of its own may have sent anything.
  throw isErrorFrame(answered.error) ? errorFromFrame(answered.error) : new Error('a host refused in a way that is none of its own');
}
