// The OpenAPI 3.1 document of one API, made from its route table and the shapes of its routes: what the server does, derived from what it
// runs.
import type { ErrorCode } from '../../contract/errors.js';
import type { JsonObject, JsonValue } from '../../contract/json.js';
import type { RouteRule } from '../../contract/route-table.js';
import { DocumentSchemas } from './components.js';
import { errorExample } from './examples.js';
import { type DocumentedApi, operationOf, wrongMethodResponse } from './operations.js';
import { headerComponents } from './response-headers.js';

export interface ApiDocument<Id extends string, Rule extends RouteRule = RouteRule> extends DocumentedApi<Id, Rule> {
  title: string;
  summary: string;
  description: string;
  servers: JsonObject[];
  /** Sections by name, in order, with what is in them. */
  areas: { readonly [area: string]: string };
  /** The names of those that a request carries, where its row says nothing else. */
  security: JsonObject[];
  securitySchemes: JsonObject;
  /** Paths that are in no table. */
  otherPaths: JsonObject;
  /** Beside those of the routes. */
  otherSchemas: JsonObject;
  /** Those that it has examples of. Default: those of its routes. */
  errorCodes?: readonly ErrorCode[];
}

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

export function makeDocument<Id extends string, Rule extends RouteRule>(api: ApiDocument<Id, Rule>): JsonObject {
  const ids = Object.keys(api.table) as Id[];
  const paths: { [path: string]: JsonObject } = {};
  const refusals = new SharedRefusals();
  for (const id of ids) {
    const { path, method } = api.table[id];
    paths[path] = { ...paths[path], [method.toLowerCase()]: refusals.shareIn(operationOf(api, id)) };
  }
  const hasKeys = ids.some((id) => api.wordsOf(api.table[id]).needsKey);
  const allPaths = { ...paths, ...api.otherPaths };
  const responses = { ...refusals.responses, MethodNotAllowed: wrongMethodResponse };
  const codes = api.errorCodes ?? [...new Set(ids.flatMap((id) => api.errorCodesOf(id)))];
  return {
    openapi: '3.1.0',
    info: {
      title: api.title,
      version: '1.0.0',
      summary: api.summary,
      description: api.description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: api.servers,
    security: api.security,
    tags: Object.entries(api.areas).map(([name, words]) => ({ name, description: words })),
    paths: allPaths,
    components: {
      securitySchemes: api.securitySchemes,
      ...(hasKeys ? { parameters } : {}),
      headers: headerComponents({ allPaths, responses }),
      responses,
      examples: Object.fromEntries(codes.map((code) => [code, { value: errorExample(code) }])),
      schemas: { ...new DocumentSchemas(api.contract).all(ids), ...api.otherSchemas },
    },
  };
}

const parameters: JsonObject = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: true,
    description: 'Chosen by the client, new for each thing it wants done, the same for every retry. Kept for 24 hours at least.',
    schema: { type: 'string', minLength: 8, maxLength: 128, pattern: '^[A-Za-z0-9._:-]+$' },
    example: 'create-session-0001',
  },
};
