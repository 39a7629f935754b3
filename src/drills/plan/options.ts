// What a caller of runDrills says.
import type { CallbackReceivers } from '../../callbacks/receivers.js';
import type { Provenance } from '../../contract/provenance.js';
import type { DrillInput } from '../../contract/run/drill.js';
import type { RunEvent } from '../../contract/run/run-events.js';
import type { TargetModule } from '../../contract/run/target-invocation.js';
import type { TranscriptLine } from '../../contract/run/transcript.js';
import type { ReportRetention } from '../../reports/retention.js';
import type { WorldRef } from '../../worlds/api.js';
import type { LocalIsolation } from '../../worlds/local-worlds.js';
import type { Shard } from './shard.js';

/** Which drills. Without `suite`, `drills`, `tags` and `filter`: the suite `default` where the repository has one, else every drill. */
export interface Selection {
  /** The drills of this suite; its trials, concurrency and retries hold where no option says otherwise. */
  suite?: string;
  /** By id. With `suite`: of its drills, these. */
  drills?: readonly string[];
  /** Of the drills so far, those that carry one of these. */
  tags?: readonly string[];
  /** Of the drills so far, those whose id or title contains this, upper or lower case; `*` stands for anything. */
  filter?: string;
  /** Of the drills so far, those that fall to one of several machines; it may be none. */
  shard?: Shard;
}

export interface RunDrillsOptions extends Selection {
  /** The repository. Every path below is relative to it. */
  root: string;
  /** The root file. Default drillyard.json. */
  config?: string;
  /**
   * Drills beside those of the repository's files, chosen as those are: by `drills`, `tags`, `filter`, or all. A path of theirs is relative
   * to the root.
   */
  inlineDrills?: readonly DrillInput[];
  /** Trials a drill, instead of its own count or the suite's. */
  trials?: number;
  /** Of every drill, this trial alone, with the seed that it has among all of them. The gate over trials is left out. */
  trial?: number;
  /**
   * Of the chosen drills these, and of each these trials alone, as `trial` says; the gate is asked where they are all there are.
   * `trialCount`: how many there are, by default as many as the drill has, or more where a trial is beyond them.
   */
  only?: readonly { drillId: string; trials: readonly number[]; trialCount?: number }[];
  /** Further attempts of a trial that did not pass, at most. Default: the suite's, else 0. */
  retries?: number;
  /** Instead of the world's seed. */
  seed?: string;
  /** Attempts at once, each with a host of its own for its world. Default: the suite's, else 1. It changes no result. */
  concurrency?: number;
  /**
   * Where tool code and module targets run: in threads, or in processes of their own; `box`: tool code inside bubblewrap, module targets in
   * processes. It changes no result. Default: threads, but a box for tool code where a tool package was installed and a box is available.
   */
  isolate?: LocalIsolation;
  /** A turn of tool code that takes longer is ended, and its caller gets world.HANDLER_TIMEOUT. Default limits.handlerTimeoutMs. */
  handlerTimeoutMs?: number;
  /** Once a drill has failed, start no further attempts; what did not run counts as inconclusive. */
  stopOnFailure?: boolean;
  /** The bundle of every tool is evaluated again before every turn, so that state kept in a module shows as a different hash. */
  freshModulePerTurn?: boolean;
  /** Where callbacks are delivered, by receiver id; addresses of this machine. Those of no entry wait, unless the agent receives them. */
  callbackReceivers?: CallbackReceivers;
  /** The agent of `external` targets: called in this process for each interaction. Without it such targets cannot run. */
  agent?: TargetModule;
  /** Agents of `http` targets may be on other machines; by default only on this one. */
  allowRemote?: boolean;
  /** Called with each attempt's world once it is made, for readers beside the run: queries only, and only until its `attempt` event. */
  onWorld?: (runId: string, world: Pick<WorldRef, 'query' | 'worldInstanceId'>) => void;
  /** Called with what each attempt's agent says, as it says it. */
  onSaid?: (runId: string, line: TranscriptLine) => void;
  /** How many of the repository's files have been read, before anything runs. */
  onCompiling?: (done: number, total: number) => void;
  /** Where each drill of the repository is declared, before anything runs. */
  onSources?: (sources: { [drillId: string]: Provenance }) => void;
  /** What the user should know before anything runs, such as that code from outside runs without a box. */
  onNotice?: (text: string) => void;
  /** Called in order; an exception of a listener ends the run. */
  onEvent?: (event: RunEvent) => void;
  /** Aborting cancels: access is revoked, targets are ended, what has run is sealed and reported. */
  signal?: AbortSignal;
  /** Default .service/reports. `false`: no reports. */
  reportDirectory?: string | false;
  /** The retained worlds. Default .service/runs. */
  runDirectory?: string;
  /**
   * Which earlier runs are kept when this one has ended; its own always are. `false`: all. Default: the newest 1,000, and for 30 days what
   * did not pass.
   */
  retention?: ReportRetention | false;
}
