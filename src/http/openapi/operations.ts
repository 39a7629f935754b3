// One row of the endpoint table as an operation of the document.
import { type EndpointRule, endpointTable } from '../../contract/endpoint-table.js';
import { endpointShapes, shapeNameOf } from '../../contract/endpoint-validators.js';
import type { EndpointId } from '../../contract/endpoints.js';
import { type ErrorCode, errorTable } from '../../contract/errors.js';
import type { JsonObject } from '../../contract/json.js';
import { limits } from '../../contract/limits.js';
import { refPrefix } from '../../contract/shape.js';
import { bodyRuleOf, bytesReplies } from '../control-routes.js';
import { documentSchemaOf } from './components.js';
import { errorCodesOf } from './error-codes.js';
import { requestExample, shapeExample } from './examples.js';

const correlation = { 'X-Correlation-Id': { $ref: '#/components/headers/XCorrelationId' } };
const replayedHeader = { 'Idempotent-Replayed': { $ref: '#/components/headers/IdempotentReplayed' } };
const retryAfter = { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } };

export function operationOf(id: EndpointId): JsonObject {
  const rule = endpointTable[id];
  const body = requestBodyOf(id);
  return {
    operationId: id,
    tags: [rule.area],
    summary: rule.summary,
    description: descriptionOf(rule),
    'x-authority': typeof rule.authority === 'string' ? [rule.authority] : [...rule.authority],
    ...(rule.authority === 'identity' ? { security: [{ identityToken: [] }] } : {}),
    ...(rule.authority === 'operator' ? { security: [{ operatorToken: [] }] } : {}),
    parameters: [
      ...parametersOf(id, 'path'),
      ...parametersOf(id, 'query'),
      ...(rule.unsafe ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ],
    ...(body === undefined ? {} : { requestBody: body }),
    responses: { ...successes(id, rule), ...refusals(errorCodesOf(id)) },
  };
}

function descriptionOf({ authority, unsafe, success }: EndpointRule): string {
  const list = typeof authority === 'string' ? [authority] : authority;
  const needs =
    authority === 'identity'
      ? 'The bearer is a token of the identity provider.'
      : authority === 'operator'
        ? "The bearer is the operator's token; no credential of an organization opens this."
        : authority === 'authenticated'
          ? 'Any valid credential will do.'
          : `Needs ${list.map((name) => `\`${name}\``).join(' and ')}.`;
  const long = success === 202 ? ' The work goes on after the reply: follow the operation.' : '';
  const again = unsafe ? ' A retry with the same Idempotency-Key gets the stored answer and has no second effect.' : '';
  return needs + long + again;
}

function parametersOf(id: EndpointId, part: 'path' | 'query'): JsonObject[] {
  const { properties = {}, required = [] } = endpointShapes[shapeNameOf(id, part) ?? ''] ?? {};
  const names =
    part === 'path' ? [...endpointTable[id].path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string) : Object.keys(properties);
  return names.map((name) => {
    const { description, ...schema } = documentSchemaOf(properties[name] ?? {});
    return { name, in: part, required: required.includes(name), ...(description === undefined ? {} : { description }), schema };
  });
}

function requestBodyOf(id: EndpointId): JsonObject | undefined {
  const rule = bodyRuleOf(id);
  if (rule === undefined) return undefined;
  if (rule.kind === 'bytes') {
    return {
      required: true,
      description: `At most ${rule.bytesMax ?? limits.attachmentBytesMax} bytes.`,
      content: { 'application/octet-stream': {} },
    };
  }
  const name = shapeNameOf(id, 'body') ?? 'EmptyRequest';
  const content = { 'application/json': { schema: { $ref: refPrefix + name }, example: requestExample(id, name) } };
  return { required: rule.optional !== true, content };
}

function successes(id: EndpointId, { success, unsafe }: EndpointRule): JsonObject {
  const name = shapeNameOf(id, 'reply') as string;
  const mediaType = bytesReplies[id];
  const disposition = { 'Content-Disposition': { $ref: '#/components/headers/ContentDisposition' } };
  if (mediaType !== undefined)
    return { 200: { description: 'The bytes.', headers: { ...correlation, ...disposition }, content: { [mediaType]: {} } } };
  const schema = { $ref: refPrefix + name };
  const headers: JsonObject = unsafe ? { ...correlation, ...replayedHeader } : correlation;
  const first = { description: words[success], headers, content: { 'application/json': { schema, example: shapeExample(name) } } };
  if (!unsafe || success === 200) return { [success]: first };
  return {
    [success]: { ...first, headers: correlation },
    200: { description: 'A replay: the stored answer of the first request.', headers, content: { 'application/json': { schema } } },
  };
}
const words = { 200: 'Done.', 201: 'Created.', 202: 'Accepted: the operation tells how it goes on.' };

function refusals(codes: readonly ErrorCode[]): JsonObject {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) byStatus.set(errorTable[code].status, [...(byStatus.get(errorTable[code].status) ?? []), code]);
  return Object.fromEntries([...byStatus].map(([status, those]) => [status, refusal(status, those)]));
}

function refusal(status: number, codes: readonly ErrorCode[]): JsonObject {
  const headers: JsonObject = status === 429 || status === 503 || status === 409 ? { ...correlation, ...retryAfter } : correlation;
  const examples = Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));
  const own = codes.filter((code) => code in ownBodies).map((code) => ({ $ref: refPrefix + ownBodies[code as keyof typeof ownBodies] }));
  const rest = codes.filter((code) => !(code in ownBodies));
  const plain = { allOf: [{ $ref: `${refPrefix}ErrorEnvelope` }, { properties: { code: { enum: [...rest] } } }] };
  const schema: JsonObject = own.length === 0 ? plain : { anyOf: [...own, ...(rest.length === 0 ? [] : [plain])] };
  return { description: codes.map((code) => `\`${code}\``).join(', '), headers, content: { 'application/json': { schema, examples } } };
}

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
