// What is wrong with a response, by the vendor's OpenAPI document and by the types of the vendor's client.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { APIErrorCode } from '@notionhq/client';
import { openApiChecker, type RecordedExchange } from 'drillyard/compat';
import { openClientTypes } from './client-types.js';

export const document = '@notionhq/notion-mcp-server/scripts/notion-openapi.json';

/** By `object` of what is shown. Each has a partial form that would let nearly anything pass, so none of the unions with it is named. */
const types: Readonly<Record<string, string>> = {
  page: 'PageObjectResponse',
  block: 'BlockObjectResponse',
  database: 'DatabaseObjectResponse',
  data_source: 'DataSourceObjectResponse',
  comment: 'CommentObjectResponse',
  user: 'UserObjectResponse',
  page_markdown: 'GetPageMarkdownResponse',
  property_item: 'PropertyItemObjectResponse',
};

const errors = {
  type: 'object',
  required: ['object', 'status', 'code', 'message', 'request_id'],
  properties: {
    object: { const: 'error' },
    status: { type: 'integer' },
    code: { enum: Object.values(APIErrorCode) },
    message: { type: 'string', minLength: 1 },
    request_id: { type: 'string' },
  },
};

export function createChecker(): (exchange: RecordedExchange) => string[] {
  const path = createRequire(import.meta.url)
    .resolve('@notionhq/notion-mcp-server/package.json')
    .replace('package.json', 'scripts/notion-openapi.json');
  const ofDocument = openApiChecker({ document: JSON.parse(readFileSync(path, 'utf8')), errors });
  const ofClient = openClientTypes('@notionhq/client');
  const shown = (value: { object?: unknown }): string[] => {
    const type = types[String(value.object)];
    return type === undefined ? [`nothing is known of an object ${String(value.object)}`] : ofClient(value, type);
  };
  const listed = (body: { type?: unknown; results: { object?: unknown }[]; next_cursor?: unknown; has_more?: unknown }): string[] => {
    if (body.type === 'property_item') return ofClient(body, 'PropertyItemListResponse');
    const isPaged = typeof body.has_more === 'boolean' && (typeof body.next_cursor === 'string') === body.has_more;
    return [...(isPaged ? [] : ['has_more and next_cursor do not agree']), ...body.results.flatMap(shown)];
  };
  return (exchange) => {
    const found = ofDocument(exchange);
    const body = JSON.parse(exchange.body);
    if (exchange.status >= 400)
      return body.status === exchange.status ? found : [...found, `status is ${body.status}, not ${exchange.status}`];
    if (exchange.path.endsWith('/templates')) return [...found, ...ofClient(body, 'ListDataSourceTemplatesResponse')];
    return [...found, ...(body.object === 'list' ? listed(body) : shown(body))];
  };
}
