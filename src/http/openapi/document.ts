// The OpenAPI 3.1 document of the hosted interface, made from the endpoint table and the shapes: what the server does, derived from what it
// runs.
import { endpointTable } from '../../contract/endpoint-table.js';
import type { EndpointId } from '../../contract/endpoints.js';
import { type ErrorCode, errorTable } from '../../contract/errors.js';
import type { JsonObject, JsonValue } from '../../contract/json.js';
import { notReadyReasons } from '../../contract/readiness.js';
import { documentSchemas } from './components.js';
import { errorExample } from './examples.js';
import { operationOf, ownBodySchemas } from './operations.js';

const description = `Drillyard runs software agents against deterministic synthetic worlds and proves with evidence what they did.

Every request but those of the service itself carries \`Authorization: Bearer <credential>\`. Requests that change something carry an \`Idempotency-Key\`;
a retry with the same key gets the stored answer. Long work answers 202 with an operation. Every refusal has one body, the error envelope; \`retryable\`
and \`retryAfterMs\` say whether and when to try again. Lists are followed by \`nextCursor\` until it is absent. An unknown path is
\`control.ROUTE_NOT_FOUND\`, a known one asked in another way \`control.METHOD_NOT_ALLOWED\`. Unknown members, parameters and media types are refused.
Lengths of texts count UTF-16 code units.`;

const areas: { readonly [area: string]: string } = {
  auth: 'Who am I; from the identity provider to a credential.',
  organization: 'Credentials, members and the audit trail.',
  projects: 'Projects and the grants in them.',
  'tool library': 'Tool packages that ship with the service.',
  'tool setups': 'From library tools to a source draft and its build.',
  authoring: 'Conversations that author source.',
  source: 'Source drafts and their immutable revisions.',
  datasets: 'Immutable starting rows.',
  builds: 'What revisions compile to.',
  environments: 'Which build new sessions get.',
  sessions: 'Leases on worlds: access, time, faults, snapshots, forks.',
  snapshots: 'Worlds at one position.',
  runs: 'Drills run with an agent of your own.',
  evidence: 'Sealed bundles that prove what happened.',
  callbacks: 'Receivers of what worlds send out.',
  operations: 'Long work and how it goes.',
  operator: 'For who runs the service: organizations, their limits and members, the server key.',
  service: 'The service itself; no credential needed.',
};

/** Refusals that several endpoints have in common are written once. */
class SharedRefusals {
  readonly responses: JsonObject = {};
  readonly #names = new Map<string, string>();

  shareIn(operation: JsonObject): JsonObject {
    const responses = Object.entries(operation.responses as JsonObject).map(([status, response]) => [
      status,
      Number(status) < 400 ? response : { $ref: `#/components/responses/${this.#nameOf(status, response)}` },
    ]);
    return { ...operation, responses: Object.fromEntries(responses) as JsonObject };
  }

  #nameOf(status: string, response: JsonValue): string {
    const text = JSON.stringify(response);
    let name = this.#names.get(text);
    if (name === undefined) {
      const before = Object.keys(this.responses).filter((other) => other.startsWith(`Refused${status}`)).length;
      name = `Refused${status}${before === 0 ? '' : `_${before + 1}`}`;
      this.#names.set(text, name);
      this.responses[name] = response;
    }
    return name;
  }
}

let made: JsonObject | undefined;
export function openApiDocument(): JsonObject {
  made ??= makeDocument();
  return made;
}

function makeDocument(): JsonObject {
  const ids = Object.keys(endpointTable) as EndpointId[];
  const paths: { [path: string]: JsonObject } = {};
  const refusals = new SharedRefusals();
  for (const id of ids) {
    const { path, method } = endpointTable[id];
    paths[path] = { ...paths[path], [method.toLowerCase()]: refusals.shareIn(operationOf(id)) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Drillyard control API',
      version: '1.0.0',
      summary: 'Hosted worlds, drills and evidence.',
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The server that serves this document.' }],
    security: [{ controlCredential: [] }],
    tags: Object.entries(areas).map(([name, words]) => ({ name, description: words })),
    paths: { ...paths, ...servicePaths() },
    components: {
      securitySchemes: {
        controlCredential: { type: 'http', scheme: 'bearer', description: 'An opaque control credential.' },
        operatorToken: { type: 'http', scheme: 'bearer', description: "The operator's token, from the data directory of the service." },
        identityToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'An access token of the identity provider.' },
      },
      parameters: {
        IdempotencyKey: {
          name: 'Idempotency-Key',
          in: 'header',
          required: true,
          description: 'Chosen by the client, new for each thing it wants done, the same for every retry. Kept for 24 hours at least.',
          schema: { type: 'string', minLength: 8, maxLength: 128, pattern: '^[A-Za-z0-9._:-]+$' },
          example: 'create-session-0001',
        },
      },
      headers: {
        XCorrelationId: { description: 'Names this request in the log.', schema: { type: 'string' } },
        IdempotentReplayed: { description: 'Present in a replay.', schema: { const: 'true' } },
        RetryAfter: { description: 'Seconds, where the envelope has retryAfterMs.', schema: { type: 'integer', minimum: 1 } },
        ContentDisposition: { description: 'Always an attachment.', schema: { type: 'string' } },
      },
      responses: refusals.responses,
      examples: Object.fromEntries((Object.keys(errorTable) as ErrorCode[]).map((code) => [code, { value: errorExample(code) }])),
      schemas: { ...documentSchemas(ids), ...ownBodySchemas },
    },
  };
}

function servicePaths(): JsonObject {
  const get = (operationId: string, summary: string, mediaType: string, extra: JsonObject = {}): JsonObject => ({
    get: {
      operationId,
      tags: ['service'],
      summary,
      security: [],
      responses: { 200: { description: 'Fine.', content: { [mediaType]: {} } }, ...extra },
    },
  });
  const reasons = Object.entries(notReadyReasons)
    .map(([name, text]) => `\`${name}\` (${text})`)
    .join(', ');
  const notReady = {
    503: {
      description: `\`control.UNAVAILABLE\`; \`details.reasons\` names each reason: ${reasons}.`,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorEnvelope' } } },
    },
  };
  return {
    '/healthz': get('getHealth', 'Whether the process answers', 'application/json'),
    '/readyz': get('getReadiness', 'Whether it takes work', 'application/json', notReady),
    '/metrics': get('getMetrics', 'Figures for Prometheus', 'text/plain'),
    '/v1/openapi.json': get('getOpenApi', 'This document', 'application/json'),
    '/docs': get('getDocs', 'This document as a page', 'text/html'),
  };
}
