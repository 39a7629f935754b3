// A path that is in no table of an API as an operation of its document.
import { defined } from '../../contract/defined.js';
import type { ErrorCode } from '../../contract/errors.js';
import type { JsonObject } from '../../contract/json.js';
import type { OpenPathRule } from '../service-table.js';
import { refusals } from './operations.js';
import { responseHeaders } from './response-headers.js';

export function openPath(
  { operationId, summary, description, media, isUnchanging }: OpenPathRule,
  codes: readonly ErrorCode[],
): JsonObject {
  const headers = responseHeaders('X-Correlation-Id', ...(isUnchanging === true ? (['ETag'] as const) : []));
  return {
    operationId,
    tags: ['service'],
    summary,
    ...defined({ description }),
    security: [],
    ...(isUnchanging === true ? { parameters: [ifNoneMatch] } : {}),
    responses: {
      200: { description: 'Fine.', headers, content: { [media]: {} } },
      ...(isUnchanging === true ? { 304: { description: 'It is what `If-None-Match` names.', headers } } : {}),
      ...refusals(codes, { tellsRate: false }),
    },
  };
}

const ifNoneMatch: JsonObject = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The ETag of an earlier reply.',
  schema: { type: 'string' },
};
