// The hosted endpoints on the wire: each row of the endpoint table becomes a route that reads text into values, asks the control room once
// and says how it went. No decision is made here.
import { type EndpointRule, endpointTable } from '../contract/endpoint-table.js';
import { type EndpointValidators, endpointValidators, shapeNameOf } from '../contract/endpoint-validators.js';
import type { EndpointId, EndpointInput } from '../contract/endpoints.js';
import type { JsonValue } from '../contract/json.js';
import { limits } from '../contract/limits.js';
import type { DispatchContext, Dispatched } from '../control/dispatch.js';
import type { Caller } from '../control/endpoint.js';
import { requireIdempotencyKey } from '../control/idempotency.js';
import { valuesReader } from './request-values.js';
import { requireValid } from './require-valid.js';
import type { BodyRule, Route, RouteReply } from './router.js';

/** What the routes need of the control room. */
export interface ControlPort {
  /** The holder of an identity provider's token. */
  authenticateIdentity(token: string): Promise<Caller>;
  /** The holder of the operator's token. */
  authenticateOperator(token: string): Caller;
  /** Refuses what can be refused before the body is read. */
  admit(id: EndpointId, path: { [name: string]: string | number } | undefined, context: DispatchContext): void;
  dispatch<Id extends EndpointId>(id: Id, input: EndpointInput<Id>, context: DispatchContext): Promise<Dispatched<Id>>;
}

export function controlRoutes(control: ControlPort): Route<Caller>[] {
  return (Object.keys(endpointTable) as EndpointId[]).map((id) => controlRoute(control, id));
}

function controlRoute(control: ControlPort, id: EndpointId): Route<Caller> {
  const rule = endpointTable[id];
  const { body: check } = endpointValidators[id];
  const readValues = valuesReader(id);
  const body = bodyRuleOf(id);
  return {
    id,
    method: rule.method,
    path: rule.path,
    auth: 'bearer',
    ...(rule.authority === 'identity' ? { authenticate: (token: string) => control.authenticateIdentity(token) } : {}),
    ...(rule.authority === 'operator' ? { authenticate: (token: string) => control.authenticateOperator(token) } : {}),
    ...(body === undefined ? {} : { body }),
    ...(largeReplies.has(id) ? { hasLargeReply: true } : {}),
    begin: ({ request, caller, path, correlationId }) => {
      const values = readValues(path, request.query);
      const idempotencyKey = requireIdempotencyKey(rule, request.headers.get('idempotency-key'));
      const context = {
        caller,
        correlationId,
        clientAddress: request.address,
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      };
      if (body !== undefined) control.admit(id, values.path as { [name: string]: string | number } | undefined, context);
      return async (sent) => {
        const input = { ...values, body: checkedBody(check, sent) };
        const answer = await control.dispatch(id, input as EndpointInput<typeof id>, context);
        return replyOf(id, rule, answer);
      };
    },
  };
}

/** Whose reply may be as large as a page, or a document: they share the room that there is for such. */
const largeReplies: ReadonlySet<EndpointId> = new Set<EndpointId>([
  'listState',
  'listEvidence',
  'getPending',
  'listStateNamespaces',
  'getBuildWorld',
  'getSourceArchive',
  'getSourceBaseline',
  'getSourceDatasets',
  'getDatasetRevision',
  'getEvidenceManifest',
  'getAuthoringProposal',
  'listAuthoringTurns',
  'listAuditEvents',
  'listOrganizationAuditEvents',
  'listOperations',
  'listRuns',
  'getRun',
  'listRunActivity',
  'listBuilds',
  'compareRuns',
]);

/** What the body of an endpoint may be; undefined where one is not even looked at. Also what the documentation tells. */
export function bodyRuleOf(id: EndpointId): BodyRule | undefined {
  const { body } = endpointValidators[id];
  if (body === 'bytes')
    return { kind: 'bytes', bytesMax: id === 'putDatasetUploadContent' ? limits.datasetUploadBytesMax : limits.attachmentBytesMax };
  // A change that needs no words may come without a body, or with an empty object.
  if (body === undefined) return endpointTable[id].method === 'GET' ? undefined : { optional: true };
  return shapeNameOf(id, 'body') === 'EmptyRequest' ? { optional: true } : {};
}

function checkedBody(check: EndpointValidators['body'], sent: JsonValue | Uint8Array | undefined): unknown {
  if (check === 'bytes') return sent;
  if (check !== undefined) return requireValid(check(sent ?? {}));
  if (sent !== undefined) requireValid(validateEmpty(sent));
  return undefined;
}
const validateEmpty = endpointValidators.revokeAuthSession.body as Exclude<EndpointValidators['body'], 'bytes' | undefined>;

/** Media types of the replies that are bytes. */
export const bytesReplies: { readonly [Id in EndpointId]?: string } = {
  getSourceArchive: 'application/gzip',
  getEvidenceArtifact: 'application/octet-stream',
};

function replyOf(id: EndpointId, { success }: EndpointRule, { reply, replayed }: Dispatched<EndpointId>): RouteReply {
  const mediaType = bytesReplies[id];
  if (mediaType !== undefined)
    return { status: success, body: reply, headers: { 'content-type': mediaType, 'content-disposition': 'attachment' } };
  return replayed ? { status: 200, body: reply, headers: { 'idempotent-replayed': 'true' } } : { status: success, body: reply };
}
