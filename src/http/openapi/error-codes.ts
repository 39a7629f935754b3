// Which refusals an endpoint may answer with, derived from what it is and takes: the documentation tells them, and a test holds every
// reply of the service against them.
import type { ErrorCode } from '../../contract/errors.js';
import { endpointTable } from '../../contract/hosted/endpoint-table.js';
import type { EndpointId } from '../../contract/hosted/endpoints.js';
import { endpointContract } from '../../contract/validate/endpoint-validators.js';

const { shapes, shapeNameOf } = endpointContract;

/** Areas whose endpoints ask a world. */
const worldAreas = new Set(['sessions', 'runs']);
/** Endpoints that compile what they are given before they answer. */
const compiling: ReadonlySet<EndpointId> = new Set<EndpointId>([
  'createToolSetup',
  'validateToolSetup',
  'publishAuthoringProposal',
  'createBuild',
  'getSourceBaseline',
]);

/** A service on one machine refuses them. */
const ofCluster: ReadonlySet<EndpointId> = new Set<EndpointId>(['getCluster', 'moveHomes', 'drainNode', 'undoDrainNode']);

/** Members that say which state of a resource the caller has seen. */
const versionNames = ['expectedVersion', 'expectedRevision', 'expectedPreviousBuildHash', 'sourceDigest', 'interactionId'];

export function errorCodesOf(id: EndpointId): ErrorCode[] {
  const { authority, unsafe, area, success } = endpointTable[id];
  const has = (member: string): boolean => Object.hasOwn(membersOf(id), member);
  const body = shapeNameOf(id, 'body');
  const inWorld = worldAreas.has(area);
  const codes: (ErrorCode | false)[] = [
    (body !== undefined || unsafe) && body !== 'bytes' && 'control.INVALID_JSON',
    'control.INVALID_REQUEST',
    unsafe && 'control.IDEMPOTENCY_KEY_REQUIRED',
    unsafe && 'control.IDEMPOTENCY_KEY_INVALID',
    has('cursor') && 'control.CURSOR_INVALID',
    'control.UNAUTHENTICATED',
    authority !== 'authenticated' && authority !== 'operator' && (authority !== 'identity' || unsafe) && 'control.FORBIDDEN',
    authority !== 'operator' && (authority !== 'identity' || unsafe) && 'control.ORGANIZATION_SUSPENDED',
    'control.ORIGIN_REJECTED',
    (shapeNameOf(id, 'path') !== undefined || unsafe) && 'control.NOT_FOUND',
    versionNames.some(has) && 'control.VERSION_CONFLICT',
    has('expectedLeaseGeneration') && 'control.LEASE_CONFLICT',
    (unsafe || inWorld || area === 'evidence' || area === 'source') && 'control.STATE_CONFLICT',
    ofCluster.has(id) && 'cluster.NOT_A_CLUSTER',
    unsafe && 'control.IDEMPOTENCY_IN_PROGRESS',
    inWorld && 'world.NOT_READY',
    inWorld && unsafe && 'world.RUN_OWNS_LEASE',
    inWorld && 'world.BUILD_QUARANTINED',
    (body !== undefined || unsafe) && 'control.PAYLOAD_TOO_LARGE',
    (body !== undefined || unsafe) && 'control.UNSUPPORTED_MEDIA_TYPE',
    unsafe && 'control.IDEMPOTENCY_KEY_REUSED',
    has('confirm') && 'control.CONFIRMATION_MISMATCH',
    compiling.has(id) && 'control.SOURCE_INVALID',
    'control.RATE_LIMITED',
    (success !== 200 || id === 'validateToolSetup') && 'control.QUOTA_EXCEEDED',
    'control.INTERNAL',
    'control.DATA_DAMAGED',
    'control.UNAVAILABLE',
    inWorld && 'control.WORLD_BUSY',
    unsafe && 'control.STORAGE_FULL',
    inWorld && 'world.ACTOR_RESTARTED',
    inWorld && 'world.HANDLER_TIMEOUT',
  ];
  return codes.filter((code) => code !== false);
}

function membersOf(id: EndpointId): object {
  const names = (['query', 'body'] as const).map((part) => shapeNameOf(id, part) ?? '');
  return Object.assign({}, ...names.map((name) => shapes[name]?.properties));
}
