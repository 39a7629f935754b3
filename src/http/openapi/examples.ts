// Examples made from the schemas, with values a reader recognizes: by the name of the member first, by its schema otherwise. A test holds
// each of them against the check of its shape.
import { type ErrorCode, errorEnvelope, ServiceError } from '../../contract/errors.js';
import type { JsonObject, JsonValue } from '../../contract/json.js';
import { refPrefix, type Schema, type Shapes, shapeName } from '../../contract/shape.js';

/** The random part of every id in an example. */
export const ulid = '01jd2m8x4vq6t9c3n7k5hbw0ez';
const digest = `sha256:${'3f9a1c0e7b52d8461f'.repeat(3)}${'5c08e2b7a4'}`;
const atMs = 1767225600000;

/** By the name of the member; of several the first that fits. */
const known: { readonly [name: string]: JsonValue | readonly JsonValue[] } = {
  schemaVersion: 1,
  name: 'Support desk',
  title: 'Refund a late order',
  cursor: 'cnVuIDAwMDE.Jk3vQ0',
  to: '/var/backups/drillyard/monday',
  limit: 50,
  seed: '42',
  drillId: 'refund-late-order',
  scenarioId: 'rush-hour',
  targetId: 'support-agent',
  packageId: 'ticket-desk',
  libraryEntryId: 'ticket-desk',
  instanceId: 'ticket-desk',
  namespace: 'tickets',
  rowId: 'T-1001',
  actorId: 'ada',
  interactionId: 'main',
  faultId: 'slow-search',
  operationId: 'tickets.get',
  eventId: 'ticket.escalated',
  path: ['drillyard/world.yaml', '/tickets/{ticketId}'],
  content: 'schemaVersion: 1\nid: support-desk\n',
  prompt: 'Add a scenario in which the payment provider is slow.',
  origin: 'https://hooks.example.com',
  mediaType: 'text/plain',
  version: [1, '1.4.2'],
  engine: '^1.0.0',
  state: ['ready', 'available', 'pending', 'active', 'queued', 'sealed'],
  kind: ['world.session.create', 'state.value', 'bearer'],
  source: 'target',
  code: 'target.FAILED',
  role: 'builder',
  resourceType: 'session',
  action: ['createSession', 'put'],
  subject: ['state', 'auth0|5f2c'],
  fidelity: 'stateful',
  reason: 'The agent was stopped.',
  revision: 1,
  leaseGeneration: 1,
  expectedLeaseGeneration: 1,
  targetUs: 3600000000,
  maxEvents: 10000,
  ttlMs: 3600000,
  message: 'Done.',
  prefix: 'dyc_8Jm2',
  secret: 'dyc_8Jm2vX0qT5bN7rK1wZ4cY6dF9hL3sP0aQeRgUiOjMxA',
  worldHttpUrl: 'https://drillyard.example.com/world',
  worldMcpUrl: 'https://drillyard.example.com/world/mcp',
  worldCliUrl: 'https://drillyard.example.com/world',
  correlationId: `corr_${ulid}`,
  idempotencyKey: 'create-session-0001',
};
/** Ids whose schema does not say how they look. */
const prefixes: { readonly [name: string]: string } = {
  organizationId: 'org',
  projectId: 'prj',
  environmentId: 'env',
  sessionId: 'ses',
  credentialId: 'cred',
  userId: 'usr',
  createdBy: 'cred',
  setupId: 'setup',
  sourceDraftId: 'draft',
  authoringSessionId: 'authsess',
  turnId: 'aturn',
  proposalId: 'proposal',
  hostedSnapshotId: 'hsnap',
  hostedRunId: 'hrun',
  runId: 'run',
  evidenceBundleId: 'evidence',
  callbackReceiverBindingId: 'cbr',
  auditEventId: 'audit',
  grantId: 'grant',
  attachmentId: 'attachment',
  attemptId: 'attempt',
  resourceId: 'ses',
  worldInstanceId: 'world',
  buildOperationId: 'op',
};

export function shapeExample(shapes: Shapes, name: string): JsonValue {
  return sample(shapes, { schema: { $ref: refPrefix + name }, member: '' }, 0);
}

export function errorExample(code: ErrorCode): JsonObject {
  const error = new ServiceError(code, errorExtras[code] ?? {});
  return JSON.parse(JSON.stringify(errorEnvelope(error, `corr_${ulid}`))) as JsonObject;
}
const errorExtras: { readonly [Code in ErrorCode]?: ConstructorParameters<typeof ServiceError>[1] } = {
  'control.INVALID_REQUEST': { issues: [{ path: '/seed', code: 'required', message: '"seed" is required' }] },
  'control.FORBIDDEN': { details: { required: 'session.create' } },
  'control.METHOD_NOT_ALLOWED': { details: { allow: ['GET', 'HEAD'] } },
  'control.VERSION_CONFLICT': { details: { expectedVersion: 3, version: 4 } },
  'control.LEASE_CONFLICT': { details: { leaseGeneration: 2 } },
  'control.IDEMPOTENCY_IN_PROGRESS': { retryAfterMs: 250 },
  'control.RATE_LIMITED': { retryAfterMs: 120 },
  'control.QUOTA_EXCEEDED': { retryAfterMs: 60000 },
  'control.UNAVAILABLE': { retryAfterMs: 2000 },
  'control.WORLD_BUSY': { retryAfterMs: 250 },
  'world.NOT_READY': { retryAfterMs: 250, details: { state: 'creating' } },
  'world.RUN_OWNS_LEASE': { details: { hostedRunId: `hrun_${ulid}` } },
};

interface Sampled {
  schema: Schema;
  /** The name under which the value stands. */
  member: string;
}
function sample(shapes: Shapes, { schema, member }: Sampled, depth: number): JsonValue {
  const ref = shapeName(schema);
  if (ref === 'JsonValue') return 'any JSON value';
  if (ref !== undefined) return sample(shapes, { schema: shapes[ref] as Schema, member }, depth);
  if ('const' in schema) return schema.const as JsonValue;
  if (schema.oneOf !== undefined) return sample(shapes, { schema: optionOf(schema.oneOf, member), member }, depth);
  switch (schema.type) {
    case 'null':
      return null;
    case 'boolean':
      return true;
    case 'string':
      return textSample(schema, member);
    case 'integer':
    case 'number':
      return numberSample(schema, member);
    case 'array':
      // Lists deep inside are empty: an example is read, not searched.
      return depth < 2 || (schema.minItems ?? 0) > 0 ? [sample(shapes, { schema: schema.items as Schema, member }, depth + 1)] : [];
    default:
      return objectSample(shapes, schema, depth);
  }
}

function knownFor(member: string): readonly JsonValue[] {
  const value = known[member];
  return value === undefined ? [] : Array.isArray(value) ? value : [value as JsonValue];
}

function optionOf(options: readonly Schema[], member: string): Schema {
  const fitting = knownFor(member).map((value) => options.find((option) => 'const' in option && option.const === value));
  return (fitting.find((option) => option !== undefined) ?? options.find(({ type }) => type !== 'null')) as Schema;
}

function objectSample(shapes: Shapes, { properties = {}, required = [] }: Schema, depth: number): JsonObject {
  // An operation of the service has another id than one of a tool.
  const own = 'requestHash' in properties ? { operationId: `op_${ulid}` } : {};
  const members = required.map((name) => [name, sample(shapes, { schema: properties[name] as Schema, member: name }, depth + 1)]);
  return { ...Object.fromEntries(members), ...own };
}

function textSample({ pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY }: Schema, member: string): string {
  const prefix = pattern === undefined ? prefixes[member] : /^\^([a-z]+)_\[0-9a-[zf]\]/.exec(pattern)?.[1];
  const options = [
    ...knownFor(member),
    prefix === undefined ? undefined : `${prefix}_${prefix === 'dataset' ? digest.slice(7, 39) : ulid}`,
    /hash$|digest$/i.test(member) || pattern?.startsWith('^sha256') ? digest : undefined,
    'support-desk',
    '1.0.0',
    'NOT_FOUND',
    'SERVICE_HTTP_URL',
    'text/plain',
  ];
  const fits = (text: JsonValue | undefined): text is string =>
    typeof text === 'string' &&
    text.length >= minLength &&
    text.length <= maxLength &&
    (pattern === undefined || new RegExp(pattern).test(text));
  return options.find(fits) ?? 'x'.repeat(Math.max(1, minLength));
}

function numberSample({ minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY }: Schema, member: string): number {
  const options = [...knownFor(member), member.endsWith('AtMs') ? atMs : undefined, 1, minimum];
  return options.find((value): value is number => typeof value === 'number' && value >= minimum && value <= maximum) ?? 0;
}
