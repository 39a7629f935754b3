// What the users of an actor system say and see: its options, where an actor may live, its figures and its log.
import type { PlacementPort } from './placement.js';
import type { PreparedHost } from './prepared-host.js';

export interface ActorSystemOptions {
  /** The module each host loads in its thread or process; it exports `createActorKind` (definition.ts). */
  hostModule: URL;
  /** Given to `createActorKind`, structured-cloned. */
  hostOptions: unknown;
  /** How many hosts stand until close; actors without a place of their own are spread over them. */
  hosts: number;
  /** How many of them start at once; each of the others does when it is first needed. Default all. */
  hostsAtStart?: number;
  isolation: 'thread' | 'process';
  /** The child of each process host. Default: a plain process, started when the host is. */
  takeChild?: (() => PreparedHost) | undefined;
  /**
   * Whether a value may answer a message. Asked of what processes send; a host whose answer has another shape is ended. Default: any may.
   */
  answerFits?: AnswerFits | undefined;
  /**
   * Answers what the kind of a host asks (HostFacts.ask). A host that asks beyond tuning.asksMax or askCharsMax is ended. Default:
   * nothing may be asked.
   */
  answer?: ((host: number, request: unknown) => Promise<unknown>) | undefined;
  /** Which of the hosts owns an actor. Default: LocalPlacement. */
  placement?: PlacementPort | undefined;
  /** A host that spends longer than this inside one step is ended and replaced. Default limits.handlerTimeoutMs. */
  handlerTimeoutMs?: number;
  /** An actor without a message for this long leaves the memory. Default limits.idlePassivationMs. */
  idlePassivationMs?: number;
  /** Actors that a host keeps in memory: beyond it, those without a message for longest leave. Default limits.hostActorsInMemoryMax. */
  actorsInMemoryMax?: number;
  /** Unanswered messages an actor may have; more are refused with control.WORLD_BUSY. Default limits.mailboxMessagesMax. */
  mailboxMessagesMax?: number;
  /** How long `close` lets running commands finish before it asks them to cancel. Default limits.closeGraceMs. */
  closeGraceMs?: number;
  /** Heap of one host, for both isolations. */
  resourceLimits?: { maxOldGenerationSizeMb?: number; maxYoungGenerationSizeMb?: number; stackSizeMb?: number };
  /** After `max` unasked-for ends of one host inside `windowMs`, it stays down for `coolDownMs` (control.UNAVAILABLE). */
  restarts?: { max: number; windowMs: number; coolDownMs: number };
  /**
   * A process that sends no heartbeat for longer, while nothing runs there, is ended and replaced; so long at least as a step may take.
   * Default limits.hostSilenceMsMax.
   */
  silenceMsMax?: number;
  log?: (entry: ActorLogEntry) => void;
  /** Called at each look of the watchdog, of each host whose present step is one of an actor. */
  onStepSeen?: (seen: SeenStep) => void;
}
/** Looks come at equal intervals, so the time that they stand for adds up to the time that an actor's steps take. */
export interface SeenStep {
  host: number;
  actorId: string;
  /** Of the message whose step it is. */
  kind: StepKind;
  runsForMs: number;
  standsForMs: number;
  /** What of the time since the last look it held the host (held-time.ts). */
  heldMs: number;
}

export type StepKind = 'command' | 'query';

export type AnswerFits = (message: unknown, answer: unknown, as: 'reply' | 'progress') => boolean;

/** `{ host }`: one of the standing hosts. `exclusive`: a host of its own, started for this actor and stopped when it is released. */
export type Placement = { host: number } | 'exclusive';

export interface CommandOptions {
  /**
   * Aborting tells a running command (CommandRun.cancelRequested), which still answers; a command that has not started is dropped and
   * rejects with control.STATE_CONFLICT, `details: { cancelled: true }`.
   */
  signal?: AbortSignal;
  /** The latest CommandRun.progress value after each commit; values in between may be skipped. */
  onProgress?: (value: unknown) => void;
}

export interface HostStats {
  index: number;
  exclusiveTo?: string;
  state: 'starting' | 'up' | 'down';
  /** Times this host was replaced. */
  restarts: number;
  actorsLive: number;
  /** Messages sent to the host and not answered yet. */
  mailboxDepth: number;
  commits: number;
  writeSets: number;
  activations: number;
  /** A process: its resident set. A thread: its own heap and buffers. */
  residentBytes: number;
}

export type ActorLogEntry =
  /** A bug in the kind (actorId '' when it was asked on the control path): the caller got control.INTERNAL with this correlation id. */
  | { event: 'actor_failed'; host: number; actorId: string; correlationId: string; stack: string }
  /** `actorId`, `kind`: of the message whose step was running. */
  | { event: 'host_ended'; host: number; reason: HostEndReason; actorId?: string; kind?: StepKind; isStarved?: true; detail: string }
  | { event: 'host_started'; host: number; restarts: number }
  | { event: 'host_down'; host: number; coolDownMs: number };
/**
 * `timeout`: the watchdog ended it. `silent`: the watchdog did, as its process sent no heartbeat while nothing ran. `killed`: killHost
 * did. `crashed`: it ended by itself. `stuck`: it was ended and is still there.
 */
export type HostEndReason = 'timeout' | 'silent' | 'killed' | 'crashed' | 'stuck';
