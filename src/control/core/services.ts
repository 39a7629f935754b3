// What the endpoints of the control plane stand on. `open-control.ts` makes one and hands it to every area.
import type { LruMap } from '../../collections/lru-map.js';
import type { DataChoices } from '../../compiler/data-choices.js';
import type { LibraryPackage } from '../../compiler/library.js';
import type { RowCollection } from '../../compiler/row-checks.js';
import type { Issue, ServiceError } from '../../contract/errors.js';
import type { Cluster, MoveHomesRequest } from '../../contract/hosted/cluster.js';
import type { Backup } from '../../contract/hosted/operator.js';
import type { DatasetRevisionView } from '../../contract/hosted/resources.js';
import type { EvidenceBundle } from '../../contract/hosted/runs.js';
import type { Build } from '../../contract/hosted/source.js';
import type { CompiledBuild, Diagnostic } from '../../contract/run/build.js';
import type { ProjectView } from '../../contract/run/project-view.js';
import type { StateNamespace } from '../../contract/world/tool-manifest.js';
import type { ExpressionJudge } from '../../drills/judge/evaluate-expression.js';
import type { BindingsPort } from '../../drills/ports/bindings-port.js';
import type { Tracing } from '../../tracing/tracing.js';
import type { HomedWorlds, Worlds } from '../../worlds/api.js';
import type { StreamPosition, StreamRecord } from '../../worlds/kv/stream-log.js';
import type { Catalog, CatalogReads } from '../catalog/catalog.js';
import type { Keyring } from '../catalog/keyring.js';
import type { ControlSettings } from '../catalog/settings.js';
import type { HostGuard } from '../guard/host-guard.js';
import type { WorldGuard } from '../guard/world-guard.js';
import type { ControlMeter } from '../memory/control-meter.js';
import type { DeliveryWatch } from '../memory/delivery-watch.js';
import type { LoadedCache } from '../memory/loaded-cache.js';
import type { OrganizationsNow } from '../memory/organization-now.js';
import type { Removals } from '../memory/removals.js';
import type { RunMemory } from '../memory/run-memory.js';
import type { SessionMemory } from '../memory/session-memory.js';
import type { StorageWatch } from '../memory/storage-watch.js';
import type { Operations } from './operations.js';

/** What a control plane is opened with. */
export interface ServicePorts {
  settings: ControlSettings;
  catalog: Catalog;
  keyring: Keyring;
  operations: Operations;
  worlds: ServiceWorlds;
  /** Absent: the service has all worlds of its folder. */
  homes?: ServiceHomes | undefined;
  /** Absent: the service is one machine. */
  cluster?: ClusterPort | undefined;
  guard: WorldGuard;
  compiler: CompilePort;
  judge: JudgePort;
  blobs: Blobs;
  /** Where several machines share them. Absent: evidence lies in the data directory alone. */
  bundles?: BundlePort | undefined;
  disk: Disk;
  meter: ControlMeter;
  /** Absent: no traces are wanted. */
  tracing?: Tracing | undefined;
  /** Where agents reach worlds: composed above this module, as drills are handed theirs. */
  bindings: BindingsPort;
  /** Epoch milliseconds. */
  nowMs(): number;
  log: ControlLog;
}
/** The ports, and what this incarnation of the service remembers beyond its catalog: `service-memory.ts` makes it, once. */
export interface ControlServices extends ServicePorts {
  sessionMemory: SessionMemory;
  runMemory: RunMemory;
  deliveryWatch: DeliveryWatch;
  storageWatch: StorageWatch;
  /** Ids of damaged records that the log has. */
  damageLogged: LruMap<string, true>;
  organizationsNow: OrganizationsNow;
  removals: Removals;
  backups: Backups;
  loadedBuilds: LoadedCache<CompiledBuild>;
  loadedViews: LoadedCache<ProjectView>;
}

/** What stands before the worlds of one machine: of the catalog it only reads. */
export interface WorldServices
  extends Pick<
    ControlServices,
    | 'settings'
    | 'keyring'
    | 'worlds'
    | 'homes'
    | 'blobs'
    | 'meter'
    | 'tracing'
    | 'bindings'
    | 'nowMs'
    | 'log'
    | 'sessionMemory'
    | 'runMemory'
    | 'deliveryWatch'
    | 'storageWatch'
    | 'organizationsNow'
    | 'loadedBuilds'
    | 'loadedViews'
  > {
  catalog: CatalogReads;
  guard: HostGuard;
}

/** Several machines, as their operator sees and steers them. Wishes are refused with control.STATE_CONFLICT where they cannot be met. */
export interface ClusterPort {
  overview(): Promise<Cluster>;
  /** Yields the homes that are wanted there. */
  moveHomes(wish: MoveHomesRequest): Promise<number[]>;
  drainNode(node: string): Promise<void>;
  undoDrainNode(node: string): Promise<void>;
}

/** Projects whose files of worlds are damaged, by the names of their folders: why. */
export type DamagedProjects = ReadonlyMap<string, ServiceError>;

/** Of a service that shares its worlds with others: how many homes there are, and which of them are its own at the moment. */
export interface ServiceHomes {
  readonly count: number;
  owned(): readonly number[];
  /** Handed over once, before a host starts: by this they are opened and closed for all projects. */
  use(worlds: HomedWorlds): void;
  /** What makes changes durable. Absent: the settings say. */
  readonly log?: HomesLog | undefined;
}
/** The log of all homes. A stream is named like the folder of a project, and has one data file in each home. */
export interface HomesLog {
  /** Rejects with WrongAsk for a record that does not follow. */
  append(home: number, stream: string, record: StreamRecord): Promise<'appended' | 'lost'>;
  /** Of the newest record; number 0 where there is none. */
  endOf(home: number, stream: string): Promise<StreamPosition | 'lost'>;
  /** As in FolderLog. */
  unwritten(home: number, stream: string): readonly StreamRecord[];
  written(home: number, stream: string, number: number): void;
  /** The folder goes for good: nothing is appended to the stream any more. Rejects with control.UNAVAILABLE where a home is another's. */
  removeStream(stream: string): Promise<void>;
}

/** The worlds of all projects. */
export interface ServiceWorlds extends Worlds {
  /** Ends the hosts of a project that is not open any more, and removes the worlds they had. Done twice it is done once. */
  removeProject(projectId: string): Promise<void>;
  /**
   * Copies the data files of a project to a folder that is empty, each as it is at one moment from now on, without worlds that are not
   * named. Its hosts are started for it if need be. Rejects as messages to them do.
   */
  copyProject(projectId: string, into: string, worldIds: readonly string[]): Promise<void>;
}

/**
 * The compiler, away from the event loop. It never runs what it reads, and reads nothing but the root and the library that ships. Projects
 * take turns; one of which too much waits is refused with control.RATE_LIMITED. Without a project it is the service's own turn.
 */
export interface CompilePort {
  /** control.SOURCE_INVALID for source that takes too long or too much memory; rejects with the signal's reason when it aborts. */
  compile(request: CompileRequest): Promise<CompileReply>;
  /** Whether packed bytes are the build that the summary is of, and sound (compiler/build-soundness.ts): everything is hashed again. */
  verify(summary: BuildSummary, build: Uint8Array, projectId?: string): Promise<boolean>;
  /** Rows against a tool's state schemas; paths begin with `/collections`. Refuses as `compile` does. */
  checkRows(state: StateNamespace[], collections: RowCollection[], projectId?: string): Promise<Issue[]>;
  /** Rows as they were sent: read, checked for their shape and as `checkRows` does, and put in order. */
  readUpload(request: { tool: DatasetTool; state: StateNamespace[]; content: Uint8Array; projectId: string }): Promise<UploadedRows>;
  /** The tool packages that ship with Drillyard. */
  library(): Promise<readonly LibraryPackage[]>;
  close(): Promise<void>;
}
/** Judges expressions of hosted runs, away from the event loop. Projects take turns. */
export interface JudgePort {
  /** For one run. */
  judgeFor(projectId: string): ExpressionJudge;
  close(): Promise<void>;
}
export type DatasetTool = DatasetRevisionView['revision']['tool'];
/** With issues there is nothing else. `content`: what the dataset's revision is, as canonical JSON. */
export type UploadedRows = { issues: Issue[] } | { issues: []; content: Uint8Array; collections: { namespace: string; records: number }[] };
export interface CompileRequest {
  /** The repository root, or what writes it to the disk: called when its turn has come, so not for what waits or is refused. */
  root: string | (() => Promise<string>);
  config?: string;
  /** Rows from outside of the source, read when its turn has come. */
  choices?: () => Promise<ChosenContent>;
  /** Whose turn it takes. */
  projectId?: string;
  signal?: AbortSignal;
}
/** Which instance has which rows, and these once, as they are stored. */
export interface ChosenContent extends Pick<DataChoices, 'target'> {
  selections: { packageId: string; instanceId: string; digest: string }[];
  contents: { [digest: string]: Uint8Array };
}
export interface CompileReply {
  /** Absent when any diagnostic is an error. Content as bytes: the event loop never walks a build that it does not need. */
  compiled?: {
    summary: BuildSummary;
    /** As build-pack.ts writes it. */
    build: Uint8Array;
    /** The project view as JSON. */
    view: Uint8Array;
  };
  /** Ordered by file, line, column, code. */
  diagnostics: Diagnostic[];
}
export type BuildSummary = Pick<
  Build,
  'buildHash' | 'packageLockHash' | 'worldId' | 'tools' | 'scenarioIds' | 'drillIds' | 'targetIds' | 'suiteIds'
>;

/** Bytes by their sha256, on disk. A blob is durable when `put` resolves, before anything in the catalog names it. */
export interface Blobs {
  put(bytes: Uint8Array): Promise<string>;
  /** Rejects when there is none, or when its bytes are no longer those of its digest. */
  get(digest: string): Promise<Uint8Array>;
  digests(): AsyncIterable<string>;
  /** Unless it was put, for the first time or again, after `beforeMs` (of the machine's clock). Yields whether it went. */
  removeOld(digest: string, beforeMs: number): Promise<boolean>;
}

/** Evidence bundles of several machines. */
export interface BundlePort {
  /** Shares a report folder; yields what its record is to name. */
  keep(sealed: { folder: string; manifestDigest: string }): Promise<string>;
  /** The folder of a sealed bundle is on this machine when this resolves. */
  bring(record: { bundle: EvidenceBundle; runId: string; archive?: string }): Promise<void>;
  /** Removes folders of bundles that are no more. Yields how many. */
  sweep(isThere: (evidenceBundleId: string) => boolean): Promise<number>;
}

/** Copies of the data directory, made while the service works. They end with the incarnation. */
export interface Backups {
  /**
   * Begins one. The same request again gets the same one. control.STATE_CONFLICT while another is made; control.INVALID_REQUEST or
   * control.STORAGE_FULL for a folder that cannot be its place.
   */
  begin(request: { to: string; requestId: string }): Promise<Backup>;
  /** The one that is being made, or the last that was. */
  readonly latest: Backup | undefined;
  /** Ends the one that is being made, and removes what it has written. */
  stop(): Promise<void>;
}

/** The disk of the data directory. */
export interface Disk {
  /** Why new work is refused; undefined while it is not. */
  refusal(): ServiceError | undefined;
  /** Gives up what was kept for this; whether there was something. */
  release(): boolean;
  /** Keeps it again, where there is space. */
  restore(): void;
  figures(): DiskFigures;
}

export interface DiskFigures {
  freeBytes: number;
  /** Of these, what new work may not use. */
  keptBytes: number;
  /** What is held for what frees space; 0 where it was released. */
  reserveBytes: number;
}

export interface ControlLog {
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
}
