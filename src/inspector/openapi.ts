// The OpenAPI document of the inspector's API, and the route that serves it: the same for everybody, and nothing of the repository.
import type { ErrorCode } from '../contract/errors.js';
import type { InspectorRouteId } from '../contract/inspector/inspector.js';
import { inspectorPrefix, inspectorRoutes } from '../contract/inspector/routes.js';
import type { JsonObject } from '../contract/json.js';
import { inspectorContract } from '../contract/validate/inspector-validators.js';
import { makeDocument } from '../http/openapi/api-document.js';
import { openPath } from '../http/openapi/open-paths.js';
import type { OpenRoute } from '../http/router.js';
import type { OpenPathRule } from '../http/service-table.js';
import { once, stamped, unchanging } from '../http/unchanging.js';
import { localApi } from './api-routes.js';

export const inspectorDocumentPath = `${inspectorPrefix}/openapi.json`;

const description = `The local inspector serves one repository: what its source compiles to, the runs that were played and worlds to play
with.

It listens on loopback only. Every request but the one for this document carries \`Authorization: Bearer <token>\` with
the token that was returned at its start. Every refusal has one body, the error envelope; \`retryable\` and
\`retryAfterMs\` say whether and when to try again. An unknown path is \`control.ROUTE_NOT_FOUND\`, a known one asked in
another way \`control.METHOD_NOT_ALLOWED\`. Unknown members, parameters and media types are refused. Lengths of texts
count UTF-16 code units.`;

const areas: { readonly [area: string]: string } = {
  project: 'What the source compiles to.',
  runs: 'Saved runs, their journals and reports, and runs that are played now.',
  'run requests': 'Drills and suites played at request, one after another.',
  events: 'What happens, as it happens.',
  worlds: 'Worlds to play with; they end with the inspector.',
  service: 'The inspector itself; no token needed.',
};

const documentRule: OpenPathRule = {
  operationId: 'getOpenApi',
  summary: 'This document',
  media: 'application/json',
  isUnchanging: true,
};

export const inspectorDocument = once(() =>
  makeDocument({
    ...localApi,
    title: 'Drillyard inspector API',
    summary: 'Runs, evidence and worlds of one repository.',
    description,
    servers: [{ url: '/', description: 'The inspector that serves this document.' }],
    areas,
    security: [{ inspectorToken: [] }],
    securitySchemes: {
      inspectorToken: { type: 'http', scheme: 'bearer', description: 'Made at the start of the inspector, and returned once.' },
    },
    wordsOf: ({ authority }) => ({ description: 'Needs the token of the inspector.', authority: [authority], needsKey: false }),
    accepted: 'Accepted: the run request reports its progress.',
    errorCodesOf,
    requestExamples,
    otherPaths: { [inspectorDocumentPath]: { get: openPath(documentRule, ['control.ORIGIN_REJECTED']) } },
    otherSchemas: {},
  }),
);

const requestExamples: { readonly [Id in InspectorRouteId]?: JsonObject } = {
  startRun: { drillId: 'refund-late-order', seed: '42', trials: 3 },
  createWorld: { scenarioId: 'rush-hour', title: 'Rush hour' },
  recordRun: { as: 'drill', id: 'paid-twice' },
  recordWorld: { as: 'scenario', id: 'after-the-rush' },
};

export function documentRoute(): OpenRoute {
  const document = once(() => stamped(JSON.stringify(inspectorDocument())));
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  const run: OpenRoute['run'] = ({ request }) => unchanging(request, document(), headers);
  return { method: 'GET', path: inspectorDocumentPath, id: inspectorDocumentPath, auth: 'none', run };
}

/** Routes without ids in their path that name a thing which may not be there. */
const naming: ReadonlySet<InspectorRouteId> = new Set<InspectorRouteId>([
  'startRun',
  'compareRuns',
  'createWorld',
  'listEvents',
  'openEditor',
]);
/** Routes that need source without errors. */
const building: ReadonlySet<InspectorRouteId> = new Set<InspectorRouteId>(['startRun', 'createWorld', 'recordRun', 'recordWorld']);
/** Areas whose routes read runs. */
const reading = new Set(['runs', 'events']);

/** Which refusals a route may answer with, from what it is and takes; tests hold every reply of an inspector against them. */
function errorCodesOf(id: InspectorRouteId): ErrorCode[] {
  const { area, method } = inspectorRoutes[id];
  const { shapes, shapeNameOf } = inspectorContract;
  const takesBody = shapeNameOf(id, 'body') !== undefined;
  const hasCursor = shapes[shapeNameOf(id, 'query') ?? '']?.properties?.cursor !== undefined;
  const asksWorld = area === 'worlds' || reading.has(area);
  const codes: (ErrorCode | false)[] = [
    takesBody && 'control.INVALID_JSON',
    'control.INVALID_REQUEST',
    hasCursor && 'control.CURSOR_INVALID',
    'control.UNAUTHENTICATED',
    'control.ORIGIN_REJECTED',
    (shapeNameOf(id, 'path') !== undefined || naming.has(id)) && 'control.NOT_FOUND',
    (asksWorld || method !== 'GET') && 'control.STATE_CONFLICT',
    reading.has(area) && 'world.NOT_READY',
    takesBody && 'control.PAYLOAD_TOO_LARGE',
    takesBody && 'control.UNSUPPORTED_MEDIA_TYPE',
    building.has(id) && 'control.SOURCE_INVALID',
    takesBody && 'control.RATE_LIMITED',
    (area === 'worlds' || area === 'run requests') && 'control.QUOTA_EXCEEDED',
    'control.INTERNAL',
    'control.DATA_DAMAGED',
    'control.UNAVAILABLE',
    area === 'worlds' && 'world.HANDLER_FAILED',
    asksWorld && 'control.WORLD_BUSY',
    asksWorld && 'control.STORAGE_FULL',
    asksWorld && 'world.ACTOR_RESTARTED',
    asksWorld && 'world.HANDLER_TIMEOUT',
  ];
  return codes.filter((code) => code !== false);
}
