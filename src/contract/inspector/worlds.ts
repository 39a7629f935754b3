// The local inspector's worlds to play with.
import type { RunComparison, RunDivergence } from '../hosted/runs.js';
import type { JsonValue } from '../json.js';
import type { DottedId, PositiveCount, Seed, Slug, Title, VirtualUs } from '../primitives.js';
import type { tags } from '../tags.js';
import type { ActorView, AdvanceResult, CallResult, ToolCatalogItem, WorldPosition } from '../world/world-protocol.js';
import type { RunId, WorldId } from './ids.js';

/** At most one of `scenarioId`, `drillId` and `runId`; without any, the world's own start. */
export interface CreateWorldRequest {
  /** A copy of the world of this run, as it stood after `atSequence`; the run is not touched. */
  runId?: RunId;
  /** With `runId`. Inside a transaction: after the one before it. */
  atSequence?: PositiveCount;
  scenarioId?: Slug;
  drillId?: Slug;
  /** Default: the world's. A run has its own. */
  seed?: Seed;
  title?: Title;
}
export interface PlayWorld {
  worldId: string;
  worldInstanceId: string;
  title?: string;
  start: { kind: 'baseline' | 'scenario' | 'drill'; id?: string };
  seed: string;
  buildHash: string;
  createdAtMs: number;
  /** What it was forked from. */
  parent?: { worldId: string; atSequence: number };
  /** The run that it was forked from, or that its parent was. */
  origin?: WorldOrigin;
  /** How often all of it was reset: its journal began again each time. Without a reset 0. */
  resets: number;
  position: WorldPosition;
  pendingEvents: number;
  /** When the next one is due. */
  nextEventUs?: number;
}
export interface WorldOrigin {
  runId: string;
  /** The last entry of the run that it stands after. */
  atSequence: number;
  /** What the agent of the run called next. */
  next?: WorldCallRequest & { sequence: number };
}
export interface WorldPath {
  worldId: WorldId;
}
export interface WorldEntryPath extends WorldPath {
  sequence: PositiveCount;
}
export interface WorldReply {
  schemaVersion: 1;
  world: PlayWorld;
}
export interface WorldsReply {
  schemaVersion: 1;
  worlds: PlayWorld[];
}
export interface WorldCallRequest {
  actorId: Slug;
  actorInstanceId?: Slug;
  packageId: Slug;
  instanceId?: Slug;
  operationId: DottedId;
  arguments: JsonValue;
  idempotencyKey?: string & tags.MinLength<1> & tags.MaxLength<256>;
}
export interface WorldCallReply {
  schemaVersion: 1;
  result: CallResult;
  world: PlayWorld;
}
export interface WorldAdvanceRequest {
  /** Absolute. */
  targetUs: VirtualUs;
  /** Default 1,000,000. */
  maxEvents?: number & tags.Type<'int32'> & tags.Minimum<0> & tags.Maximum<1000000>;
}
export interface WorldAdvanceReply {
  schemaVersion: 1;
  advance: AdvanceResult;
  world: PlayWorld;
}
export interface WorldFaultRequest {
  packageId: Slug;
  instanceId?: Slug;
  faultId: Slug;
  active: boolean;
}
export interface WorldFaultReply {
  schemaVersion: 1;
  changed: boolean;
  sequence: number;
  world: PlayWorld;
}
export interface WorldResetRequest {
  /** Absent: all of it. */
  packages?: Slug[] & tags.MinItems<1> & tags.MaxItems<256>;
}
export interface WorldForkRequest {
  /** Default: now. */
  atSequence?: PositiveCount;
  title?: Title;
}
export interface WorldToolsQuery {
  actorId: Slug;
  actorInstanceId?: Slug;
}
export interface WorldToolsReply {
  schemaVersion: 1;
  tools: ToolCatalogItem[];
}
export interface WorldActorsReply {
  schemaVersion: 1;
  actors: ActorView[];
}
/** Turn by turn, what the run did after the fork (left) and what was done in the world (right). */
export interface WorldComparisonReply extends Pick<RunComparison, 'differences'> {
  firstDivergence?: Pick<RunDivergence, 'leftSequence' | 'rightSequence' | 'summary'>;
  schemaVersion: 1;
  runId: string;
  atSequence: number;
}
export interface DeletedWorldReply {
  schemaVersion: 1;
  worldId: string;
}
