// The proof that the service is as GitHub's own client expects it: `drillyard tool verify library:github`.
import { defineCompat, openApiChecker, type RecordedExchange } from 'drillyard/compat';
import { document, operations } from './document.js';
import { flow } from './flow.js';
import { reasonFor } from './unsupported.js';

const served = new Set(Object.values(document.paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId)));
const unsupported = operations.filter(({ id }) => !served.has(id)).map(({ id }) => [id, reasonFor(id)] as const);

const checkDocument = openApiChecker({
  document,
  errors: {
    type: 'object',
    required: ['message', 'documentation_url', 'status'],
    properties: {
      message: { type: 'string', minLength: 1 },
      documentation_url: { type: 'string', format: 'uri' },
      status: { type: 'string', pattern: '^[45][0-9]{2}$' },
    },
  },
});
const contents = operations.find(({ id }) => id === 'repos/get-content');

const operationOfContents = contents === undefined ? {} : { operation: contents };
const isObject = ({ routeId = '', status, headers }: RecordedExchange): boolean =>
  routeId.startsWith('repos.getContent') && status === 200 && /param=object/.test(headers['x-github-media-type'] ?? '');

/** The root of a repository has a path of its own, which the document does not list beside that of a file. */
function described(exchange: RecordedExchange): RecordedExchange {
  // It is sent as plain JSON, and the document has its shape under the media type that was asked for.
  if (isObject(exchange)) return { ...exchange, headers: { 'content-type': 'application/vnd.github.object' }, ...operationOfContents };
  const isRoot = exchange.routeId === 'repos.getContent.root' || exchange.routeId === 'repos.getContent.slash';
  return isRoot && contents !== undefined ? { ...exchange, operation: contents } : exchange;
}

/**
 * The document says of a file that was not written that the body is exactly one of two shapes, and each of them takes any object, so no
 * body is exactly one. What all errors are is held against it instead, which wants more than either.
 */
const isUndecidable = ({ routeId, status }: RecordedExchange): boolean => routeId === 'repos.createOrUpdateFileContents' && status === 409;

/** What a client asked for in another form than JSON, of which the document says nothing. */
const isText = ({ headers }: RecordedExchange): boolean =>
  /^application\/vnd\.github\.(?:diff|raw|sha)\b/.test(headers['content-type'] ?? '');

function checkResponse(exchange: RecordedExchange): string[] {
  if (isText(exchange)) return exchange.body === '' ? ['there is nothing in it'] : [];
  if (isUndecidable(exchange)) return checkDocument({ ...exchange, operation: { id: 'an error', method: 'PUT', path: '/' } });
  return checkDocument(described(exchange));
}

export default defineCompat({
  clients: ['@octokit/rest'],
  operations: { list: operations },
  unsupported: Object.fromEntries(unsupported),
  checkResponse,
  flow,
});
