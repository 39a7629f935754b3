// The door of this module: what drills, bindings, control and inspector hold. `worlds.ts` implements it.
import type { ActorLogEntry, SeenStep } from '../actors/options.js';
import type { PreparedHost } from '../actors/prepared-host.js';
import type { CompiledBuild } from '../contract/run/build.js';
import type { WorldSetup } from '../contract/world/scenario.js';
import type {
  AdvanceProgress,
  WorldAnswers,
  WorldBudgets,
  WorldCommand,
  WorldPosition,
  WorldQuery,
  WorldSeed,
} from '../contract/world/world-protocol.js';
import type { StreamPosition, StreamRecord } from './kv/stream-log.js';

/** The children of process hosts. */
export interface HostChildren {
  take(): PreparedHost;
  /** What they see the folder of their data files as. */
  directory: string;
  /**
   * A folder that the child can write to: as it sees it, and where that of the present child lies. Absent: it sees every folder as this
   * process does.
   */
  exchange?: { inside: string; outside(): string };
  /**
   * Of the layout `homes`: the present child is about to open the home of this name. Absent: it sees the files of all homes.
   */
  admitHome?(name: string): void;
  /** The child has released it. If its data file cannot be taken back, it is gone afterwards. */
  releaseHome?(name: string): Promise<void>;
}

export interface WorldHomes {
  /** How many there are, numbered from 1. All systems of a folder say the same. */
  count: number;
  /** Those that are open from the start. */
  open: readonly number[];
  /** Each data file writes to a stream of it, which is what makes a change durable. Absent: `durability` says. */
  log?: FolderLog;
}
/** The streams of one folder of data files: one for each home. */
export interface FolderLog {
  /** As in StreamLog. Rejects with WrongAsk for a record that does not follow: its host is ended. */
  append(home: number, record: StreamRecord): Promise<'appended' | 'lost'>;
  /** Of the newest record; number 0 where there is none. */
  endOf(home: number): Promise<StreamPosition | 'lost'>;
  /** Records in order that the data file may not have yet: those above what `written` has said. */
  unwritten(home: number): readonly StreamRecord[];
  /** As in StreamLog. */
  written(home: number, number: number): void;
}

export interface WorldsOptions {
  /** Everything lies below it. */
  directory: string;
  /**
   * `run`: each world has its own data file, `<directory>/<worldId>/` (local runs: the folder is the retained world).
   * `shared`: one data file a host, `<directory>/host-<n>/`, shared by its worlds (hosted).
   * `homes`: one data file a home, `<directory>/home-<n>/`, shared by its worlds (hosted, several machines).
   */
  layout: 'run' | 'shared' | 'homes';
  /** Of the layout `homes`, and only there. */
  homes?: WorldHomes;
  /** `committed` survives the death of the process, `flushed` the power cord. */
  durability: 'committed' | 'flushed';
  /** Threads or child processes; fixed. */
  hosts: number;
  /** How many of them start at once; each of the others does when it is first needed. Default all. */
  hostsAtStart?: number;
  isolation: 'thread' | 'process';
  /** Default: plain processes, which see `directory` as it is. */
  children?: HostChildren;
  /** A world whose host does not answer for this long is taken from it. Default limits.handlerTimeoutMs. */
  handlerTimeoutMs?: number;
  /**
   * How long a host that ended too often is left alone (limits.hostRestartsMax). Default limits.hostCoolDownMs; 0: until its next message.
   */
  hostCoolDownMs?: number;
  idlePassivationMs?: number;
  /** Every turn evaluates its tools' modules again, so that a tool that keeps state in variables shows (`tool test`). Default false. */
  freshModulePerTurn?: boolean;
  /** What tool code throws is written to standard error as well: for worlds without a report. Default false. */
  printThrows?: boolean;
  /** What one world may store; what would add to more is control.QUOTA_EXCEEDED. Default: as much as the disk takes. */
  storedBytesMax?: number;
  /** What happens to hosts and, with its stack, every bug. Default: bugs go to standard error. */
  log?: (entry: ActorLogEntry) => void;
  /** Heap of each host in MB of old space. Default: what Node.js gives a thread or process of this machine. */
  hostHeapMb?: number;
  /** Called, at equal intervals, with which world's step each host is in; `actorId` is its id. */
  onStepSeen?: (seen: SeenStep) => void;
}

/** `worldId`: `^(run|world|ses)_[0-9a-z]{12,32}$`; it never enters the journal. */
export interface CreateWorld {
  worldId: string;
  build: CompiledBuild;
  setup: WorldSetup;
  setupHash: string;
  seed: WorldSeed;
  budgets?: WorldBudgets;
  recordRandom?: boolean;
  /** `shared`: the host its id says. `exclusive`: one of its own. `{ host }`: that one of the fixed ones. Default shared. */
  placement?: 'shared' | 'exclusive' | { host: number };
  /** Nobody can have made a world of this id yet, so no other host is asked for one. Default false. */
  isNew?: boolean;
  /** The compiler of this process has held the setup against its tools, so the host does not. Default false. */
  isChecked?: boolean;
}
export interface SendOptions<Progress = never> {
  /** Aborting cancels a long command between its slices; the command still answers. */
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
}
export interface ForkWorld {
  worldId: string;
  /** Default: now. A sequence inside a transaction means the last whole transaction before it. */
  atSequence?: number;
  snapshotId?: string;
  /** As in `CreateWorld`. */
  isNew?: boolean;
}

/** One world by id, whether active or not. Every promise may reject with a ServiceError. */
export interface WorldRef {
  readonly worldId: string;
  /** `world_...`, minted from the world's inputs; the identity that evidence knows. */
  readonly worldInstanceId: string;
  command<C extends WorldCommand>(command: C, options?: SendOptions<AdvanceProgress>): Promise<WorldAnswers[C['kind']]>;
  query<Q extends WorldQuery>(query: Q): Promise<WorldAnswers[Q['kind']]>;
  fork(request: ForkWorld): Promise<{ world: WorldRef; position: WorldPosition }>;
  passivate(): Promise<void>;
  /** Deletes everything the world owns. */
  destroy(): Promise<void>;
}

export interface WorldHostStats {
  index: number;
  worldsLive: number;
  /** Messages sent to it and not answered yet. */
  mailboxDepth: number;
  /** Of its present incarnation. */
  commits: number;
  residentBytes: number;
  /** Times it was replaced. */
  restarts: number;
}
export interface WorldsStats {
  hosts: WorldHostStats[];
  /** Processes that wait to become hosts. Absent: there are none to wait. */
  hostsReady?: number;
}

export interface Worlds {
  create(request: CreateWorld): Promise<WorldRef>;
  /** A world that exists; control.NOT_FOUND otherwise. */
  open(worldId: string): Promise<WorldRef>;
  /** Hosts that stand, or are started when they are needed. */
  readonly hostCount: number;
  /** The index of the host that a world lives on when it is in memory, whether there is such a world or not. */
  hostOf(worldId: string): number;
  /**
   * Ends a host at once, as a crash would, and resolves when another stands in its place. Its worlds continue from their last commit;
   * commands that had begun reject with world.ACTOR_RESTARTED. For operations and tests of recovery.
   */
  killHost(index: number): Promise<void>;
  stats(): Promise<WorldsStats>;
  /** Refuses new messages, finishes or persists what runs, leaves nothing unflushed. */
  close(): Promise<void>;
}

export interface WorldFiles {
  /**
   * Copies the data files of the `shared` layout, and those of open homes, to `into/<name>/data.mdb`, each as it is at one moment from now
   * on; worlds work on meanwhile, and those that are not named are left out. `into` is an empty folder. Rejects with what the disk says,
   * and as messages do where a host ends.
   */
  copyFiles(into: string, worldIds: readonly string[]): Promise<void>;
}

/**
 * Of the layout `homes`: a home is open here or not. Worlds of one that is not are refused with control.UNAVAILABLE, and nothing is made.
 */
export interface HomedWorlds {
  /** Its data files are read when they are first needed, so what is wrong with one is refused to its own worlds. */
  openHome(home: number): Promise<void>;
  /**
   * Resolves when no thread or process of this system has a data file of the home open any more. What is finished is committed and
   * answered, the rest refused with world.ACTOR_RESTARTED. `lost`: somebody else has the home; no command of it is answered any more.
   * Rejects with control.UNAVAILABLE where a host does not let go of them.
   */
  closeHome(home: number, how?: { lost?: boolean }): Promise<void>;
}
