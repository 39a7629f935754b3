// Valid requests, made from the served OpenAPI document, made wrong in every way there is a mutation for. For all that is sent:
//   F1. There is an answer in time, and it is no 5xx but a documented 503.
//   F2. A refusal is the error envelope, with a documented code, that code's own status, and the correlation id of its header.
//   F3. An answer of a known operation is one that the document has for it, of the schema and with the headers that it has there.
//   F4. A refused request has changed nothing.
// DRILLYARD_FUZZ=10000 sends so many; DRILLYARD_SEED=any sends others; their title says how to repeat them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { type ErrorCode, errorTable } from '../../src/contract/errors.js';
import type { EndpointId } from '../../src/contract/hosted/endpoints.js';
import { issueCodes } from '../../src/contract/issue-codes.js';
import { validateErrorEnvelope } from '../../src/contract/validate/validators.js';
import fc, { seed } from '../fast-check.js';
import { engines } from '../http/fake-control.js';
import { assertHeaders } from '../http/openapi/judge.js';
import { Drafts } from './drafts.js';
import { type Mutation, mutated, mutation, written } from './mutations.js';
import { Possessions } from './possessions.js';
import { type Document, type DocumentedResponse, endpointIds, operationsOf, ruleOf, servedDocument } from './requests.js';
import { startTenants } from './tenants.js';
import { exchange, type Received, type Sent } from './wire.js';

const cases = Number(process.env.DRILLYARD_FUZZ ?? 250);

/** The document's word on what an operation may answer. */
class Answers {
  readonly #ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: false });
  readonly #document: Document;
  readonly #operations: ReturnType<typeof operationsOf>;
  readonly #checks = new Map<string, ValidateFunction | undefined>();

  constructor(document: Document) {
    this.#document = document;
    this.#operations = operationsOf(document);
    this.#ajv.addSchema({ ...document, $id: 'document' });
  }

  requireDocumented(id: EndpointId, { status, headers, json }: Received): void {
    const found = this.#operations.get(id)?.responses[status];
    assert.ok(found, `the document has no ${status} for ${id}: ${JSON.stringify(json)}`);
    const response = this.#resolved(found);
    assertHeaders(response, { status, headers }, `${id} ${status} ${json?.code ?? ''}`);
    const check = this.#checkOf(`${id} ${status}`, response);
    if (check !== undefined)
      assert.ok(check(json), `${id} ${status} breaks its schema: ${this.#ajv.errorsText(check.errors)}: ${JSON.stringify(json)}`);
  }

  #resolved(response: DocumentedResponse): DocumentedResponse {
    const { $ref } = response;
    return $ref === undefined ? response : (this.#document.components.responses?.[$ref.split('/')[3] as string] as DocumentedResponse);
  }

  #checkOf(name: string, response: DocumentedResponse): ValidateFunction | undefined {
    if (!this.#checks.has(name)) {
      const schema = response.content?.['application/json']?.schema;
      const text = JSON.stringify(schema)?.replaceAll('"#/', '"document#/');
      this.#checks.set(name, text === undefined ? undefined : this.#ajv.compile(JSON.parse(text) as object));
    }
    return this.#checks.get(name);
  }
}

/** By all that they read of a document: compiling its schemas takes as long as the requests. */
const known = new Map<string, Answers>();
function answersOf(document: Document): Answers {
  const name = JSON.stringify([document.paths, document.components]);
  const answers = known.get(name) ?? new Answers(document);
  known.set(name, answers);
  return answers;
}

const reads = endpointIds.filter((id) => ruleOf(id).method === 'GET');
const changes = endpointIds.filter((id) => ruleOf(id).method !== 'GET');
interface Case {
  id: EndpointId;
  mutations: Mutation[];
}
const anyCase: fc.Arbitrary<Case> = fc.record({
  // Reads have little that could be wrong.
  id: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...changes) }, { weight: 1, arbitrary: fc.constantFrom(...reads) }),
  mutations: fc.oneof(
    ...[1, 2, 3].map((count) => ({ weight: 4 - count, arbitrary: fc.array(mutation, { minLength: count, maxLength: count }) })),
  ),
});

for (const [index, engine] of engines.entries()) {
  const runs = Math.ceil(cases / engines.length);
  test(`${runs} requests made wrong are refused by ${engine} in good order (DRILLYARD_SEED=${seed})`, async () => {
    const tenants = await startTenants({ flags: ['--server', engine === 'node:http' ? 'node' : 'uws'] });
    const { service } = tenants;
    const { baseUrl } = service.ready;
    const document = await servedDocument(baseUrl);
    const operations = operationsOf(document);
    const answers = answersOf(document);
    const possessions = new Possessions(tenants);
    const drafts = new Drafts(tenants, operations, possessions);
    await drafts.prepare();

    const tally = new Map<string, number>();
    let before = await possessions.look();
    const probe = async ({ id, mutations }: Case): Promise<void> => {
      const draft = mutated(drafts.of(id), mutations);
      const sent = written(draft);
      const reply = await exchange(baseUrl, sent).catch((error: Error) => {
        if (/hang up|ECONNRESET|EPIPE/.test(String(error)) && mayHangUp(engine, sent)) return undefined;
        throw new Error(`${JSON.stringify(reported(sent))}: ${error.message}`);
      });
      if (reply === undefined) return;
      const { status, json } = reply;
      const where = `${JSON.stringify(reported(sent))} answered ${status} ${reply.bytes.toString().slice(0, 1000)}`;
      tally.set(`${status} ${json?.code ?? ''}`, (tally.get(`${status} ${json?.code ?? ''}`) ?? 0) + 1);
      assert.ok(status < 500 || (status === 503 && json !== undefined), where);
      if (status >= 400 && draft.method !== 'HEAD') requireEnvelope(reply, where);
      const isKnown = draft.method === ruleOf(id).method && !mutations.some(({ kind }) => kind === 'path') && !isOfTheServer(reply);
      if (isKnown) answers.requireDocumented(id, reply);
      if (status < 400) await possessions.settle(reply);
      const now = await possessions.look();
      if (status >= 400)
        assert.deepEqual(
          now.filter((line, at) => line !== before[at]),
          [],
          `changed something: ${where}`,
        );
      before = now;
    };
    await fc.assert(fc.asyncProperty(anyCase, probe), {
      seed: seed + index,
      numRuns: runs,
      endOnFailure: true,
      includeErrorInReport: true,
    });
    if (process.env.DRILLYARD_FUZZ_TALLY)
      console.log(
        engine,
        [...tally].sort((a, b) => b[1] - a[1]),
      );
    assert.ok(
      [...tally.keys()].some((key) => key.startsWith('2')),
      'nothing was accepted: the requests are not as valid as they should be',
    );
    await service.stop();
    assert.doesNotMatch(service.logged(), /a bug met/);
  });
}

/** Ours, and the schema keywords by which rows fail the schema of a tool. */
const issues = new Set<string>([...issueCodes, 'type', 'required', 'additionalProperties', 'enum', 'pattern', 'minLength', 'minimum']);
const standardMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT']);

function mayHangUp(engine: string, { method, headers = {}, body }: Sent): boolean {
  // uWebSockets.js hangs up on a method that is not of RFC 9110 before we hear of it.
  if (engine === 'uWebSockets.js' && !standardMethods.has(method)) return true;
  // It also ends the connection after each HEAD, body or not.
  if (engine === 'uWebSockets.js' && method === 'HEAD' && body !== undefined) return true;
  // A refusal before the headers are read to their end closes the connection, and may be lost to a client that is still sending.
  return body !== undefined && JSON.stringify(headers).length > 2_000;
}

function requireEnvelope({ status, headers, json }: Received, where: string): void {
  assert.ok(validateErrorEnvelope(json).ok, where);
  const code = json?.code as ErrorCode;
  assert.ok(Object.hasOwn(errorTable, code), where);
  const { status: own, retryable, source } = errorTable[code];
  // docs/errors.md: a session that has ended, as one does whose time a request has cut short, will not be ready.
  const hasEnded = code === 'world.NOT_READY' && json?.retryAfterMs === undefined;
  assert.deepEqual([status, json?.retryable, json?.source], [own, retryable && !hasEnded, source], where);
  assert.equal(headers['x-correlation-id'], json?.correlationId, where);
  assert.equal(headers['retry-after'] !== undefined, json?.retryAfterMs !== undefined, where);
  assert.ok(((json?.issues ?? []) as unknown[]).length <= 100, where);
  const strange = ((json?.issues ?? []) as { code: string }[]).filter(({ code: issue }) => !issues.has(issue) && !/^DY\d{4}$/.test(issue));
  assert.deepEqual(strange, [], where);
  assert.doesNotMatch(JSON.stringify(json), /\/work\/|\/tmp\/|node_modules|\.js:\d+|Error:/, where);
}

/** Refusals that come before there is an operation. */
const isOfTheServer = ({ json }: Received): boolean =>
  ['control.ROUTE_NOT_FOUND', 'control.METHOD_NOT_ALLOWED'].includes(json?.code as string);

const reported = ({ body, ...sent }: Sent): object => ({
  ...sent,
  body: body === undefined ? undefined : body.length > 2000 ? `${body.length}: ${String(body.slice(0, 500))}` : String(body),
});
