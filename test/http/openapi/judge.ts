// What an OpenAPI document says, held against itself and against what a server answers.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ErrorEnvelope } from '../../../src/contract/errors.js';
import type { JsonObject } from '../../../src/contract/json.js';

interface Media {
  schema?: object;
  example?: unknown;
  examples?: { [code: string]: object };
}
interface Reply {
  $ref?: string;
  headers?: object;
  content?: { [type: string]: Media };
}
interface Documented {
  operationId: string;
  requestBody?: { content: { [type: string]: Media } };
  responses: { [status: string]: Reply };
}
interface Paths {
  [path: string]: { [method: string]: Documented };
}
interface Components {
  responses: { [name: string]: Reply };
  examples: { [code: string]: { value: unknown } };
}
/** As node:http has them. */
export type ReceivedHeaders = { readonly [name: string]: string | string[] | undefined };
export interface Answered {
  method: string;
  /** Without the query. */
  path: string;
  status: number;
  headers: ReceivedHeaders;
  text: string;
}

/** By a validator of the format that is not ours. */
export async function assertValid(document: JsonObject): Promise<void> {
  const { valid, errors } = await new Validator().validate(structuredClone(document) as never);
  assert.ok(valid, JSON.stringify(errors));
}

/** `name`: of the file in docs/, which `npm run openapi` writes. */
export function assertKept(document: JsonObject, name: string): void {
  const kept = JSON.parse(readFileSync(new URL(`../../../../docs/${name}`, import.meta.url), 'utf8')) as object;
  assert.deepEqual(kept, JSON.parse(JSON.stringify(document)));
}

/** What clients go by beside the body. */
const promised = ['RateLimit', 'RateLimit-Policy', 'WWW-Authenticate', 'ETag', 'Allow'];
export function promisedHeaders(headers: ReceivedHeaders): string[] {
  return promised.filter((name) => headers[name.toLowerCase()] !== undefined);
}
/** Those that a response has at times only: which refusals come before a rate is counted, no response says. */
const isAtTimes = (name: string, status: number): boolean => status >= 400 && name.startsWith('RateLimit');

/** The response declares each of these headers that the reply has, and the reply has each that it declares. */
export function assertHeaders(
  response: { headers?: object },
  { status, headers }: Pick<Answered, 'status' | 'headers'>,
  where: string,
): void {
  const declared = promised.filter((name) => Object.hasOwn(response.headers ?? {}, name));
  const had = promisedHeaders(headers);
  assert.deepEqual(
    had.filter((name) => !declared.includes(name)),
    [],
    `${where} declares no such header`,
  );
  assert.deepEqual(
    declared.filter((name) => !had.includes(name) && !isAtTimes(name, status)),
    [],
    `${where} has no such header`,
  );
}

/** Refusals of requests that reach no operation. */
const ofNoOperation = new Set(['control.ROUTE_NOT_FOUND', 'control.METHOD_NOT_ALLOWED', 'control.ORIGIN_REJECTED']);

export class DocumentJudge {
  readonly #paths: Paths;
  readonly #components: Components;
  readonly #templates: { pattern: RegExp; template: string; names: number }[];
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  readonly #compiled = new Map<string, ReturnType<Ajv2020['compile']>>();

  constructor(document: JsonObject) {
    this.#paths = document.paths as unknown as Paths;
    this.#components = document.components as unknown as Components;
    this.#ajv.addSchema({ ...document, $id: 'document' });
    const templates = Object.keys(this.#paths).map((template) => ({
      template,
      pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`),
      names: template.split('{').length,
    }));
    this.#templates = templates.sort((left, right) => left.names - right.names);
  }

  /** The examples of requests, replies and refusals fit the schemas beside them; returns how many there are. */
  assertExamples(): number {
    let count = 0;
    for (const { operationId, requestBody, responses } of Object.values(this.#paths).flatMap((methods) => Object.values(methods))) {
      const media = [requestBody, ...Object.values(responses).map((reply) => this.#resolved(reply))].map(
        (part) => part?.content?.['application/json'],
      );
      for (const { schema, example, examples = {} } of media.filter((found) => found !== undefined)) {
        const values = [
          ...(example === undefined ? [] : [example]),
          ...Object.keys(examples).map((code) => this.#components.examples[code]?.value),
        ];
        for (const value of values) this.#assertFits(schema, value, operationId);
        count += values.length;
      }
    }
    return count;
  }

  /** The answer is one that the document announces. */
  assertAnswer({ method, path, status, headers, text }: Answered): void {
    const where = `${method} ${path} ${status}`;
    const code = status >= 400 ? (JSON.parse(text) as ErrorEnvelope).code : undefined;
    if (method === 'HEAD') return;
    if (status === 405) assertHeaders(this.#components.responses.MethodNotAllowed ?? assert.fail(where), { status, headers }, where);
    if (code !== undefined && ofNoOperation.has(code)) return;
    const template = this.#templates.find(({ pattern }) => pattern.test(path))?.template;
    const operation = this.#paths[template ?? '']?.[method.toLowerCase()] ?? assert.fail(`${where} is in no document`);
    const reply = this.#resolved(operation.responses[status] ?? assert.fail(`${operation.operationId} ${status} ${code ?? ''}`));
    assertHeaders(reply, { status, headers }, where);
    if (status === 304) {
      assert.equal(text, '', where);
      return;
    }
    const type = String(headers['content-type']).split(';')[0] as string;
    const media = reply.content?.[type] ?? assert.fail(`${where}: ${type}`);
    if (code !== undefined) assert.ok(Object.hasOwn(media.examples ?? {}, code), `${operation.operationId} ${status} ${code}`);
    if (media.schema !== undefined && type === 'application/json') this.#assertFits(media.schema, JSON.parse(text), where);
  }

  #resolved(reply: Reply): Reply {
    return reply.$ref === undefined ? reply : (this.#components.responses[reply.$ref.split('/')[3] as string] as Reply);
  }

  #assertFits(schema: object | undefined, value: unknown, where: string): void {
    const text = JSON.stringify(schema).replaceAll('"#/', '"document#/');
    const fits = this.#compiled.get(text) ?? this.#ajv.compile(JSON.parse(text) as object);
    this.#compiled.set(text, fits);
    assert.ok(fits(value), `${where}: ${JSON.stringify(fits.errors)}`);
  }
}
