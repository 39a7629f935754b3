// One row of a route table as an operation of the document.
import { defined } from '../../contract/defined.js';
import { type ErrorCode, errorTable } from '../../contract/errors.js';
import type { JsonObject } from '../../contract/json.js';
import { limits } from '../../contract/limits.js';
import { pathNames, type RouteRule } from '../../contract/route-table.js';
import { refPrefix } from '../../contract/shape.js';
import { bodyRuleOf, type RouteApi } from '../table-routes.js';
import { DocumentSchemas } from './components.js';
import { shapeExample } from './examples.js';
import { rateHeaderNames, responseHeaders } from './response-headers.js';

/** What a document says of a row beyond what the table has. */
export interface RowWords {
  description: string;
  /** The schemes of the credential. Default: those of the document. */
  security?: JsonObject[];
  authority: readonly string[];
  /** It needs an Idempotency-Key, and its answer may be a replay. */
  needsKey: boolean;
  /** Its replies tell the rate of their caller. Default false. */
  tellsRate?: boolean;
  /** By status: what neither the reply's shape nor the error codes say. */
  otherResponses?: JsonObject;
}
/** An API as its document shows it. */
export interface DocumentedApi<Id extends string, Rule extends RouteRule = RouteRule> extends RouteApi<Id, Rule> {
  wordsOf(rule: Rule): RowWords;
  /** Of 202. */
  accepted: string;
  errorCodesOf(id: Id): ErrorCode[];
  /** Requests that would say little with their required members alone. */
  requestExamples: { readonly [_ in Id]?: JsonObject };
}

const correlation = responseHeaders('X-Correlation-Id');
const rate = responseHeaders(...rateHeaderNames);
/** Refusals before the caller is known, or its rate counted. */
const beforeRate: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'control.ORIGIN_REJECTED',
  'control.UNSUPPORTED_MEDIA_TYPE',
  'control.UNAUTHENTICATED',
  'control.ORGANIZATION_SUSPENDED',
]);

export function operationOf<Id extends string, Rule extends RouteRule>(api: DocumentedApi<Id, Rule>, id: Id): JsonObject {
  const rule = api.table[id];
  const { description, security, authority, needsKey, tellsRate = false, otherResponses = {} } = api.wordsOf(rule);
  const body = requestBodyOf(api, id);
  return {
    operationId: id,
    tags: [rule.area],
    summary: rule.summary,
    description,
    'x-authority': [...authority],
    ...defined({ security }),
    parameters: [
      ...parametersOf(api, id, 'path'),
      ...parametersOf(api, id, 'query'),
      ...(needsKey ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ],
    ...defined({ requestBody: body }),
    responses: {
      ...successes(api, id, { needsKey, tellsRate }),
      ...otherResponses,
      ...refusals(api.errorCodesOf(id), { tellsRate }),
    },
  };
}

function parametersOf<Id extends string>({ table, contract }: RouteApi<Id>, id: Id, part: 'path' | 'query'): JsonObject[] {
  const schemas = new DocumentSchemas(contract);
  const { properties = {}, required = [] } = contract.shapes[contract.shapeNameOf(id, part) ?? ''] ?? {};
  const names = part === 'path' ? pathNames(table[id].path) : Object.keys(properties);
  return names.map((name) => {
    const { description, ...schema } = schemas.of(properties[name] ?? {});
    return { name, in: part, required: required.includes(name), ...defined({ description }), schema };
  });
}

function requestBodyOf<Id extends string, Rule extends RouteRule>(api: DocumentedApi<Id, Rule>, id: Id): JsonObject | undefined {
  const { contract, requestExamples } = api;
  if (api.table[id].readsBody === true) return { required: true, content: { 'application/json': { schema: { type: 'object' } } } };
  const rule = bodyRuleOf(api, id);
  if (rule === undefined) return undefined;
  if (rule.kind === 'bytes') {
    return {
      required: true,
      description: `At most ${rule.bytesMax ?? limits.bodyBytesMax} bytes.`,
      content: { 'application/octet-stream': {} },
    };
  }
  const name = contract.shapeNameOf(id, 'body') as string;
  const example = requestExamples[id] ?? shapeExample(contract.shapes, name);
  const content = { 'application/json': { schema: { $ref: refPrefix + name }, example } };
  return { required: rule.optional !== true, content };
}

function successes<Id extends string, Rule extends RouteRule>(
  api: DocumentedApi<Id, Rule>,
  id: Id,
  { needsKey, tellsRate }: { needsKey: boolean; tellsRate: boolean },
): JsonObject {
  const { table, contract, accepted } = api;
  const { success, media, method } = table[id];
  const name = contract.shapeNameOf(id, 'reply');
  const always = tellsRate ? { ...correlation, ...rate } : correlation;
  if (name === undefined || name === 'bytes')
    return { [success]: rawSuccess(media ?? 'application/octet-stream', name === 'bytes', always) };
  const schema = { $ref: refPrefix + name };
  const headers = needsKey ? { ...always, ...responseHeaders('Idempotent-Replayed') } : always;
  const stream: JsonObject = media === undefined ? {} : { [media]: {} };
  const content = { 'application/json': { schema, example: shapeExample(contract.shapes, name) }, ...stream };
  const first = { description: { 200: 'Done.', 201: 'Created.', 202: accepted }[success], headers, content };
  if (!needsKey || success === 200) return { [success]: first };
  const again = `A replay: the stored answer of the first request${method === 'PUT' ? '. Or the same was there already' : ''}.`;
  return {
    [success]: { ...first, headers: always },
    200: { description: again, headers, content: { 'application/json': { schema } } },
  };
}

function rawSuccess(media: string, isSaved: boolean, always: JsonObject): JsonObject {
  const disposition = isSaved ? responseHeaders('Content-Disposition') : {};
  const description = isSaved ? 'The bytes.' : 'The text.';
  return { description, headers: { ...always, ...disposition }, content: { [media]: {} } };
}

/** By status. */
export function refusals(codes: readonly ErrorCode[], { tellsRate }: { tellsRate: boolean }): JsonObject {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) byStatus.set(errorTable[code].status, [...(byStatus.get(errorTable[code].status) ?? []), code]);
  return Object.fromEntries([...byStatus].map(([status, those]) => [status, refusal(status, those, { tellsRate })]));
}

function refusal(status: number, codes: readonly ErrorCode[], { tellsRate }: { tellsRate: boolean }): JsonObject {
  const headers = {
    ...correlation,
    ...(status === 429 || status === 503 || status === 409 ? responseHeaders('Retry-After') : {}),
    ...(status === 401 ? responseHeaders('WWW-Authenticate') : {}),
    // The refusal of a request that was one too many tells the rate to every caller.
    ...(status === 429 || (tellsRate && codes.some((code) => !beforeRate.has(code))) ? rate : {}),
  };
  const examples = Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));
  const own = codes.filter((code) => code in ownBodies).map((code) => ({ $ref: refPrefix + ownBodies[code as keyof typeof ownBodies] }));
  const rest = codes.filter((code) => !(code in ownBodies));
  const plain = { allOf: [{ $ref: `${refPrefix}ErrorEnvelope` }, { properties: { code: { enum: [...rest] } } }] };
  const schema: JsonObject = own.length === 0 ? plain : { anyOf: [...own, ...(rest.length === 0 ? [] : [plain])] };
  return { description: codes.map((code) => `\`${code}\``).join(', '), headers, content: { 'application/json': { schema, examples } } };
}

/** Of a path that has operations, asked with another method: of no operation. */
export const wrongMethodResponse: JsonObject = {
  description: '`control.METHOD_NOT_ALLOWED`',
  headers: { ...correlation, ...responseHeaders('Allow') },
  content: { 'application/json': { schema: { $ref: `${refPrefix}ErrorEnvelope` } } },
};

/** Refusals whose details are part of the promise. */
const ownBodies = { 'control.LEASE_CONFLICT': 'LeaseConflict', 'world.RUN_OWNS_LEASE': 'RunOwnsLease' } as const;
const withDetails = (code: ErrorCode, name: string, schema: JsonObject, description: string): JsonObject => ({
  description,
  allOf: [
    { $ref: `${refPrefix}ErrorEnvelope` },
    {
      type: 'object',
      required: ['details'],
      properties: { code: { const: code }, details: { type: 'object', required: [name], properties: { [name]: schema } } },
    },
  ],
});
export const ownBodySchemas: { [name: string]: JsonObject } = {
  LeaseConflict: withDetails(
    'control.LEASE_CONFLICT',
    'leaseGeneration',
    { type: 'integer', minimum: 1 },
    'The lease has another generation, named in the details.',
  ),
  RunOwnsLease: withDetails(
    'world.RUN_OWNS_LEASE',
    'hostedRunId',
    { $ref: `${refPrefix}HostedRunId` },
    'A hosted run owns the world; the details name it.',
  ),
};
