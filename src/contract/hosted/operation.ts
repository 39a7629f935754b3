// The control plane's operation resource.
import type { JsonValue } from '../json.js';
import type { EpochMs } from '../primitives.js';
import type { RunError } from '../run/run.js';
import type { AdvanceResult } from '../world/world-protocol.js';

export type OperationKind =
  | 'world.session.create'
  | 'world.time.advance'
  | 'world.fault.set'
  | 'world.session.reset'
  | 'world.session.snapshot'
  | 'world.snapshot.delete'
  | 'world.session.fork'
  | 'world.session.destroy'
  | 'project.delete'
  | 'drill.run'
  | 'authoring.turn'
  | 'build.compile';
export type OperationState = 'pending' | 'running' | 'succeeded' | 'failed' | 'cancelled';
export interface LongRunningOperation {
  schemaVersion: 1;
  operationId: string;
  organizationId: string;
  projectId: string;
  kind: OperationKind;
  state: OperationState;
  idempotencyKey: string;
  requestHash: string;
  resourceType: string;
  resourceId: string;
  createdAtMs: EpochMs;
  updatedAtMs: EpochMs;
  startedAtMs?: EpochMs;
  finishedAtMs?: EpochMs;
  cancelRequestedAtMs?: EpochMs;
  error?: RunError;
  result?: JsonValue;
}
export interface TimeAdvanceResult extends AdvanceResult {
  schemaVersion: 1;
  kind: 'world.time.advance';
  operationId: string;
  sessionId: string;
  leaseGeneration: number;
  buildHash: string;
  correlationId: string;
}
