// Responses against documents of OpenAPI 3.0 and 3.1.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RecordedExchange } from '../../src/compat-kit/definition.js';
import { openApiChecker } from '../../src/compat-kit/openapi-checker.js';

const json = (schema: object) => ({ description: '', content: { 'application/json': { schema } } });
const documentOf = (openapi: string, responses: object, schemas: object = {}) => ({
  ...{ openapi, info: { title: 't', version: '1' }, components: { schemas } },
  paths: { '/v1/things/{id}': { get: { operationId: 'thing', responses } } },
});
const answer = (status: number, body: unknown, more: Partial<RecordedExchange> = {}): RecordedExchange => ({
  ...{ method: 'GET', path: '/v1/things/a%2Fb', query: '', requestBody: '', status },
  ...{ headers: { 'content-type': 'application/json; charset=utf-8' }, body: typeof body === 'string' ? body : JSON.stringify(body) },
  ...more,
});

// OPENAPI-CHECKER-1
test('the status is found exactly, by its class or by default; a success that is not there is a finding, an error is not', () => {
  const of = (name: string) => json({ type: 'object', required: [name] });
  const check = openApiChecker({ document: documentOf('3.1.0', { 200: of('exact'), '4XX': of('class'), default: of('rest') }) });
  assert.deepEqual(check(answer(200, { exact: 1 })), []);
  assert.deepEqual(check(answer(200, {})), ["the body must have required property 'exact'"]);
  assert.deepEqual(check(answer(404, {})), ["the body must have required property 'class'"]);
  assert.deepEqual(check(answer(500, {})), ["the body must have required property 'rest'"]);
  assert.deepEqual(check(answer(201, {})), ["the body must have required property 'rest'"]);
  const bare = { document: documentOf('3.1.0', { 200: of('exact') }) };
  assert.deepEqual(openApiChecker(bare)(answer(201, {})), ['the document has no response 201 of thing']);
  assert.deepEqual(openApiChecker(bare)(answer(409, 'not even JSON')), []);
  const strict = openApiChecker({ ...bare, errors: { type: 'object', required: ['code'] } });
  assert.deepEqual(strict(answer(409, {})), ["the body must have required property 'code'"]);
  assert.deepEqual(strict(answer(409, 'no JSON')), ['the body is no JSON']);
  assert.deepEqual(strict(answer(404, {}, { path: '/v1/nowhere' })), ["the body must have required property 'code'"]);
  assert.deepEqual(strict(answer(200, {}, { path: '/v1/nowhere' })), []);
});

// OPENAPI-CHECKER-2
test('OpenAPI 3.0: nullable beside types, enums and references, and flags of bounds', () => {
  const schemas = {
    Owner: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
    Thing: {
      type: 'object',
      required: ['owner', 'state', 'share', 'nullable'],
      properties: {
        owner: { nullable: true, allOf: [{ $ref: '#/components/schemas/Owner' }] },
        state: { type: 'string', nullable: true, enum: ['open', 'closed'] },
        share: { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: false },
        nullable: { type: 'boolean' },
        secret: { type: 'string', writeOnly: true },
        properties: { type: 'object', properties: { required: { type: 'string' } } },
      },
    },
  };
  const check = openApiChecker({ document: documentOf('3.0.3', { 200: json({ $ref: '#/components/schemas/Thing' }) }, schemas) });
  const thing = { owner: { id: 'o' }, state: 'open', share: 0.5, nullable: true };
  assert.deepEqual(check(answer(200, thing)), []);
  assert.deepEqual(check(answer(200, { ...thing, owner: null, state: null, share: 1 })), []);
  assert.deepEqual(check(answer(200, { ...thing, share: 0 })), ['/share must be > 0']);
  assert.deepEqual(check(answer(200, { ...thing, nullable: null })), ['/nullable must be boolean']);
  assert.ok(check(answer(200, { ...thing, state: 'lost' })).some((fault) => fault.startsWith('/state must be equal to one of')));
  assert.ok(check(answer(200, { ...thing, owner: {} })).includes("/owner must have required property 'id'"));
});

test('members that the document only lists are wanted where the author says so, however they are called', () => {
  const schema = {
    type: 'object',
    properties: {
      id: { type: 'string', format: 'uuid' },
      properties: { type: 'object', properties: { required: { type: 'string' }, type: { type: 'string' } } },
      password: { type: 'string', writeOnly: true },
    },
  };
  const document = documentOf('3.1.0', { 200: json(schema) });
  assert.deepEqual(openApiChecker({ document })(answer(200, {})), []);
  const check = openApiChecker({ document, presence: 'declared' });
  const thing = { id: '6f7a2a0e-3b1f-4a5e-9d6e-0f1c2b3a4d5e', properties: { required: 'r', type: 't' } };
  assert.deepEqual(check(answer(200, thing)), []);
  assert.deepEqual(check(answer(200, { ...thing, properties: { type: 't' } })), ["/properties must have required property 'required'"]);
  assert.deepEqual(check(answer(200, { properties: thing.properties })), ["the body must have required property 'id'"]);
  assert.deepEqual(check(answer(200, { ...thing, id: 'x' })), ['/id must match format "uuid"']);
});

test('the content type is one that the document names; what is no JSON has no schema', () => {
  const content = {
    'application/vnd.thing+json': { schema: { type: 'array', items: { type: 'object', required: ['id'] } } },
    'image/*': {},
  };
  const check = openApiChecker({ document: documentOf('3.1.0', { 200: { description: '', content }, 204: { description: '' } }) });
  const typed = (type: string) => ({ headers: { 'content-type': type } });
  assert.deepEqual(check(answer(200, [{}, {}, { id: 1 }], typed('application/vnd.thing+json'))), ["/* must have required property 'id'"]);
  assert.deepEqual(check(answer(200, 'PNG', typed('image/png'))), []);
  assert.deepEqual(check(answer(200, 'x', typed('text/html'))), [
    'the content type is text/html, not application/vnd.thing+json or image/*',
  ]);
  assert.deepEqual(check(answer(204, '', { headers: {} })), []);
});
