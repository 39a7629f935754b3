// A well-formed request for each row of the endpoint table, about the resources that one names.
import { type EndpointRule, endpointTable } from '../../src/contract/hosted/endpoint-table.js';
import type { EndpointId } from '../../src/contract/hosted/endpoints.js';
import { fillPath, type Ids } from './tenants.js';
import { type Body, exchange, newKey, type Received, type Sent } from './wire.js';

export const endpointIds = Object.keys(endpointTable) as EndpointId[];
export const ruleOf = (id: EndpointId): EndpointRule => endpointTable[id];

export interface DocumentedResponse {
  $ref?: string;
  headers?: object;
  content?: { [type: string]: { schema?: object } };
}
/** What the served document says of an operation; only what these tests read. */
export interface DocumentedOperation {
  operationId: EndpointId;
  parameters?: { name?: string; in?: string; required?: boolean; schema?: object; $ref?: string }[];
  requestBody?: { required?: boolean; content: { [type: string]: { schema?: object; example?: Body } } };
  responses: { [status: string]: DocumentedResponse };
}
export interface Document {
  paths: { [path: string]: { [method: string]: DocumentedOperation } };
  components: { [section: string]: { [name: string]: unknown } };
}
export async function servedDocument(baseUrl: string): Promise<Document> {
  const { status, bytes } = await exchange(baseUrl, { method: 'GET', target: '/v1/openapi.json' });
  if (status !== 200) throw new Error(`the document is not served: ${status}`);
  return JSON.parse(bytes.toString()) as Document;
}
export function operationsOf(document: Document): Map<EndpointId, DocumentedOperation> {
  const all = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  return new Map(all.filter(({ operationId }) => operationId in endpointTable).map((operation) => [operation.operationId, operation]));
}

/** Of queries without which a request is not well-formed. */
const queries = (ids: Ids): { [Id in EndpointId]?: string } => ({
  listState: 'packageId=ticket-desk&namespace=tickets',
  compareRuns: `left=${ids.hostedRunId}&right=${ids.hostedRunId}`,
  getEvidenceArtifact: 'path=index.html',
});

export interface About {
  ids: Ids;
  /** Undefined: no Authorization header at all. */
  authorization?: string | undefined;
  body?: unknown;
  query?: string;
  key?: string;
  /** Whom it comes from, as a proxy that the service trusts says. */
  clientAddress?: string;
}
export class Requests {
  readonly #baseUrl: string;
  readonly #operations: ReadonlyMap<EndpointId, DocumentedOperation>;

  constructor(baseUrl: string, document: Document) {
    this.#baseUrl = baseUrl;
    this.#operations = operationsOf(document);
  }

  /** The body, unless one is given, is the example of the document. */
  of(id: EndpointId, { ids, authorization, body, query = queries(ids)[id], key = newKey(), clientAddress }: About): Sent {
    const { method, path, unsafe } = ruleOf(id);
    const content = this.#operations.get(id)?.requestBody?.content ?? {};
    const [type, media] = Object.entries(content)[0] ?? [];
    const given = body ?? media?.example;
    const bytes = type === 'application/octet-stream' ? new Uint8Array() : given === undefined ? undefined : JSON.stringify(given);
    return {
      method,
      target: fillPath(path, ids) + (query === undefined ? '' : `?${query}`),
      headers: {
        ...(authorization === undefined ? {} : { authorization }),
        ...(unsafe ? { 'idempotency-key': key } : {}),
        ...(clientAddress === undefined ? {} : { 'x-forwarded-for': clientAddress }),
        ...(type === undefined || bytes === undefined ? {} : { 'content-type': type }),
      },
      ...(bytes === undefined ? {} : { body: bytes }),
    };
  }

  send(id: EndpointId, about: About): Promise<Received> {
    return exchange(this.#baseUrl, this.of(id, about));
  }
}

/** What of a refusal a client could tell from another one: everything but its correlation id. */
export function faceOf({ status, headers, json }: Received): string {
  const { date: _, connection: __, 'keep-alive': ___, 'x-correlation-id': ____, 'content-length': _____, ...rest } = headers;
  // What is left of the rate is another number at each request.
  // And what is asked for says whether a credential came at all, which its sender knows.
  const { ratelimit: ______, 'www-authenticate': _______, ...reported } = rest;
  return JSON.stringify([status, { ...json, correlationId: '' }, reported]);
}
