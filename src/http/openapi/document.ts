// The OpenAPI document of the hosted interface.
import { type ErrorCode, errorTable } from '../../contract/errors.js';
import type { EndpointRule } from '../../contract/hosted/endpoint-table.js';
import type { EndpointId } from '../../contract/hosted/endpoints.js';
import { notReadyReasons } from '../../contract/hosted/readiness.js';
import type { JsonObject } from '../../contract/json.js';
import { hostedApi } from '../control-routes.js';
import { type ServiceRule, serviceTable } from '../service-table.js';
import { once } from '../unchanging.js';
import { makeDocument } from './api-document.js';
import { errorCodesOf } from './error-codes.js';
import { ulid } from './examples.js';
import { openPath } from './open-paths.js';
import { ownBodySchemas, type RowWords } from './operations.js';

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
  operator: 'For who runs the service: organizations, their limits and members, the server key, backups.',
  service: 'The service itself; no credential needed.',
};

/** Requests that would say little with their required members alone. */
const requestExamples: { readonly [Id in EndpointId]?: JsonObject } = {
  createCredential: { name: 'CI', role: 'builder', ttlMs: 2592000000 },
  createSession: { seed: '42', drillId: 'refund-late-order', ttlMs: 3600000 },
  createSessionAccess: { actorId: 'ada', ttlMs: 600000 },
  forkSession: { environmentId: `env_${ulid}`, expectedLeaseGeneration: 1, atSequence: 128 },
  startRun: { expectedLeaseGeneration: 1, trial: 1, trialCount: 3, timeoutMs: 600000 },
  createSourceRevision: {
    expectedVersion: 1,
    changes: [{ action: 'put', path: 'drillyard/world.yaml', content: 'schemaVersion: 1\nid: support-desk\n' }],
  },
  createAuthoringTurn: {
    expectedVersion: 1,
    prompt: 'Add a scenario in which the payment provider is slow.',
    changes: [{ action: 'put', path: 'drillyard/slow.scenario.yaml', content: 'schemaVersion: 1\nid: slow\n' }],
  },
  completeInteraction: {
    interactionId: 'main',
    expectedRevision: 3,
    targetResult: { status: 'completed', output: { answer: 'Refunded.' }, attachments: [] },
  },
};

export const openApiDocument = once(() =>
  makeDocument({
    ...hostedApi,
    title: 'Drillyard control API',
    summary: 'Hosted worlds, drills and evidence.',
    description,
    servers: [{ url: '/', description: 'The server that serves this document.' }],
    areas,
    security: [{ controlCredential: [] }],
    securitySchemes: {
      controlCredential: { type: 'http', scheme: 'bearer', description: 'An opaque control credential.' },
      operatorToken: { type: 'http', scheme: 'bearer', description: "The operator's token, from the data directory of the service." },
      identityToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'An access token of the identity provider.' },
    },
    wordsOf,
    accepted: 'Accepted: the operation reports its progress.',
    errorCodesOf,
    errorCodes: Object.keys(errorTable) as ErrorCode[],
    requestExamples,
    otherPaths: servicePaths(),
    otherSchemas: ownBodySchemas,
  }),
);

function wordsOf(rule: EndpointRule): RowWords {
  const { authority, unsafe } = rule;
  const words = { description: descriptionOf(rule), authority: typeof authority === 'string' ? [authority] : authority, needsKey: unsafe };
  if (authority === 'identity') return { ...words, security: [{ identityToken: [] }] };
  return authority === 'operator' ? { ...words, security: [{ operatorToken: [] }] } : { ...words, tellsRate: true };
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
  const long = success === 202 ? ' The work continues after the reply: follow the operation.' : '';
  const again = unsafe ? ' A retry with the same Idempotency-Key gets the stored answer and has no second effect.' : '';
  return needs + long + again;
}

function servicePaths(): JsonObject {
  const paths = Object.entries(serviceTable).map(([path, rule]) => {
    const said = path === '/readyz' ? { ...rule, description: readiness } : rule;
    return [path, { get: openPath(said, serviceCodesOf(rule)) }];
  });
  return Object.fromEntries(paths) as JsonObject;
}

/** Every path is unavailable while the service starts. */
function serviceCodesOf({ isCounted, isOperators }: ServiceRule): ErrorCode[] {
  const codes: (ErrorCode | false)[] = [
    isOperators === true && 'control.UNAUTHENTICATED',
    'control.ORIGIN_REJECTED',
    isCounted === true && 'control.RATE_LIMITED',
    'control.UNAVAILABLE',
  ];
  return codes.filter((code) => code !== false);
}

const reasons = Object.entries(notReadyReasons).map(([name, text]) => `\`${name}\` (${text})`);
const readiness = `Where it takes none: \`control.UNAVAILABLE\`, whose \`details.reasons\` names each reason: ${reasons.join(', ')}.`;
