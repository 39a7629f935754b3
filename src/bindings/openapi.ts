// The OpenAPI document of the routes that agents call. It is not served beside them: those paths are of the tools of a world.
import type { ErrorCode } from '../contract/errors.js';
import type { JsonObject } from '../contract/json.js';
import { agentContract } from '../contract/validate/agent-validators.js';
import { type AgentRouteId, type AgentRule, agentRoutes } from '../contract/world/agent-routes.js';
import { makeDocument } from '../http/openapi/api-document.js';
import type { RowWords } from '../http/openapi/operations.js';
import { agentApi } from './agent-routes.js';

const description = `What an agent calls below the base URL of its access (\`SERVICE_HTTP_URL\`, \`SERVICE_MCP_URL\`), in a local run and in
the hosted service. Every request but \`GET /health\` carries \`Authorization: Bearer <token>\` with the token of the
access. The wire routes of a world's tools lie beside these paths; their manifests say what they take. An outcome of a
tool, an error of it included, is a reply of 200. A refusal means that no tool was asked; its body is the error
envelope. Parameters of the query are not checked.`;

export function agentDocument(): JsonObject {
  return makeDocument({
    ...agentApi,
    title: 'Drillyard agent API',
    summary: 'How an agent reaches its world over HTTP.',
    description,
    servers: [
      {
        url: '{access}',
        description: 'The base URL of the access (`SERVICE_HTTP_URL`).',
        variables: { access: { default: 'http://127.0.0.1:4000' } },
      },
    ],
    areas: { agent: 'Tools, calls and waiting.' },
    security: [{ accessToken: [] }],
    securitySchemes: {
      accessToken: { type: 'http', scheme: 'bearer', description: 'Of one actor in one interaction; it ends with the interaction.' },
    },
    wordsOf,
    accepted: 'Accepted.',
    errorCodesOf,
    requestExamples,
    otherPaths: {},
    otherSchemas: {},
  });
}

const requestExamples: { readonly [_ in AgentRouteId]?: JsonObject } = {
  callOperation: { arguments: { ticketId: 'T-1001' }, idempotencyKey: 'reply-0001' },
  wait: { untilUs: 3600000000 },
};

function wordsOf({ authority, readsBody }: AgentRule): RowWords {
  const words = { description: 'Needs the token of an access.', authority: [authority], needsKey: false };
  if (readsBody === true) return { ...words, otherResponses: messageResponses };
  if (authority === 'none') return { description: 'Needs no token.', authority: [], needsKey: false, security: [] };
  return words;
}

/** Of a route whose messages are of a protocol of their own. */
const messageResponses: JsonObject = {
  202: { description: 'A notification: taken, and not answered.' },
  400: {
    description: 'The message is none of the protocol: an error message of the protocol, or the error envelope.',
    content: { 'application/json': { schema: { type: 'object' } } },
  },
};

/** Which refusals a route may answer with, from what it is and takes. */
function errorCodesOf(id: AgentRouteId): ErrorCode[] {
  const { authority, readsBody } = agentRoutes[id];
  const takesBody = readsBody === true || agentContract.shapeNameOf(id, 'body') !== undefined;
  const hasToken = authority === 'access';
  const codes: (ErrorCode | false)[] = [
    // A message of the protocol that is no JSON is answered in the protocol.
    takesBody && readsBody !== true && 'control.INVALID_JSON',
    takesBody && readsBody !== true && 'control.INVALID_REQUEST',
    hasToken && 'control.UNAUTHENTICATED',
    hasToken && 'control.ORGANIZATION_SUSPENDED',
    'control.ORIGIN_REJECTED',
    id === 'receiveCallbacks' && 'control.NOT_FOUND',
    hasToken && 'control.STATE_CONFLICT',
    hasToken && 'world.NOT_READY',
    hasToken && 'world.BUILD_QUARANTINED',
    takesBody && 'control.PAYLOAD_TOO_LARGE',
    takesBody && 'control.UNSUPPORTED_MEDIA_TYPE',
    hasToken && 'control.RATE_LIMITED',
    'control.INTERNAL',
    hasToken && 'control.DATA_DAMAGED',
    hasToken && 'world.HANDLER_FAILED',
    'control.UNAVAILABLE',
    hasToken && 'control.WORLD_BUSY',
    hasToken && 'control.STORAGE_FULL',
    hasToken && 'world.ACTOR_RESTARTED',
    hasToken && 'world.HANDLER_TIMEOUT',
  ];
  return codes.filter((code) => code !== false);
}
