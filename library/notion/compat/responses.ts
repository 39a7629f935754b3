// What is wrong with a response, by the vendor's OpenAPI document and by the types of the vendor's client.
import { APIErrorCode } from '@notionhq/client';
import { installedJson, openApiChecker, type RecordedExchange, typeChecker } from 'drillyard/compat';

export const document = '@notionhq/notion-mcp-server/scripts/notion-openapi.json';

/** The client's own unions have partial forms too, which would let nearly anything pass, so the whole ones are named here. */
const type = (name: string): string => `import('@notionhq/client/build/src/api-endpoints').${name}`;
const list = (item: string, kind: string): string =>
  `{ object: 'list'; results: Array<${item}>; next_cursor: string | null; has_more: boolean; type: '${kind}'; ${kind}: Record<string, never> }`;

const [user, page, block, comment] = ['User', 'Page', 'Block', 'Comment'].map((name) => type(`${name}ObjectResponse`)) as [
  string,
  string,
  string,
  string,
];
const [database, source] = [type('DatabaseObjectResponse'), type('DataSourceObjectResponse')];
const markdown = type('GetPageMarkdownResponse');

const checkTypes = typeChecker({
  from: import.meta.url,
  types: {
    'get-self': user,
    'get-user': user,
    'get-users': list(user, 'user'),
    'post-search': list(`${page} | ${source}`, 'page_or_data_source'),
    'post-page': page,
    'retrieve-a-page': page,
    'patch-page': page,
    'move-page': page,
    'retrieve-a-page-property': `${type('PropertyItemObjectResponse')} | ${type('PropertyItemListResponse')}`,
    'retrieve-page-markdown': markdown,
    'update-page-markdown': markdown,
    'retrieve-a-block': block,
    'update-a-block': block,
    'delete-a-block': block,
    'get-block-children': list(block, 'block'),
    'patch-block-children': list(block, 'block'),
    'databases.create': database,
    'retrieve-a-database': database,
    'databases.update': database,
    'create-a-data-source': source,
    'retrieve-a-data-source': source,
    'update-a-data-source': source,
    'query-data-source': list(page, 'page_or_data_source'),
    'list-data-source-templates': type('ListDataSourceTemplatesResponse'),
    'create-a-comment': comment,
    'retrieve-a-comment': list(comment, 'comment'),
    'comments.retrieve': comment,
  },
});

const checkDocument = openApiChecker({
  document: installedJson(document, import.meta.url),
  errors: {
    type: 'object',
    required: ['object', 'status', 'code', 'message', 'request_id'],
    properties: {
      object: { const: 'error' },
      status: { type: 'integer' },
      code: { enum: Object.values(APIErrorCode) },
      message: { type: 'string', minLength: 1 },
      request_id: { type: 'string' },
    },
  },
});

export function checkResponse(exchange: RecordedExchange): string[] {
  const found = [...checkDocument(exchange), ...checkTypes(exchange)];
  if (exchange.status < 400) return found;
  const { status } = JSON.parse(exchange.body);
  return status === exchange.status ? found : [...found, `the body says ${status}`];
}
