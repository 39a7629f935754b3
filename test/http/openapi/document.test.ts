// The document tells what the server does: valid, complete, kept beside the code, its examples sound.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endpointTable } from '../../../src/contract/hosted/endpoint-table.js';
import type { EndpointId } from '../../../src/contract/hosted/endpoints.js';
import { shapeIssues } from '../../../src/contract/shape-issues.js';
import { endpointContract, endpointValidators } from '../../../src/contract/validate/endpoint-validators.js';
import { refinements } from '../../../src/contract/validate/refinements.js';
import { validateErrorEnvelope } from '../../../src/contract/validate/validators.js';
import { docsPage } from '../../../src/http/docs/docs-page.js';
import { openApiDocument } from '../../../src/http/openapi/document.js';
import { assertKept, assertValid, DocumentJudge } from './judge.js';

const { shapeNameOf, wordings } = endpointContract;

interface Media {
  schema?: object;
  example?: unknown;
  examples?: { [name: string]: { $ref: string } };
}
interface Reply {
  $ref?: string;
  headers?: object;
  content?: { [type: string]: Media };
}
interface DocumentedOperation {
  operationId: EndpointId;
  tags: string[];
  security?: object[];
  parameters?: { name?: string; in?: string; required?: boolean; $ref?: string; schema?: { $ref?: string } }[];
  requestBody?: { content: { [type: string]: Media } };
  responses: { [status: string]: Reply };
}
const document = JSON.parse(JSON.stringify(openApiDocument())) as {
  info: { version: string };
  tags: { name: string }[];
  paths: { [path: string]: { [method: string]: DocumentedOperation } };
  components: {
    responses: { [name: string]: Reply };
    securitySchemes: object;
    examples: { [code: string]: { value: unknown } };
    schemas: { [name: string]: { additionalProperties?: unknown } };
  };
};
const replyOf = (reply: Reply): Reply =>
  reply.$ref === undefined ? reply : (document.components.responses[reply.$ref.split('/')[3] as string] as Reply);
const hosted = Object.values(document.paths)
  .flatMap((methods) => Object.values(methods))
  .filter(({ tags }) => tags[0] !== 'service');

test('it is valid OpenAPI 3.1, version 1.0.0, and docs/openapi.json is this document', async () => {
  await assertValid(openApiDocument());
  assertKept(openApiDocument(), 'openapi.json');
  assert.equal(document.info.version, '1.0.0');
  assert.ok('controlCredential' in document.components.securitySchemes);
});

test('it has every endpoint at its place, with its parameters, key and credential', () => {
  assert.deepEqual(hosted.map(({ operationId }) => operationId).sort(), Object.keys(endpointTable).sort());
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { operationId, tags, parameters = [], security }] of Object.entries(methods)) {
      assert.ok(
        document.tags.some(({ name }) => name === tags[0]),
        tags[0],
      );
      const rule = endpointTable[operationId];
      if (rule === undefined) {
        assert.deepEqual(security, []);
        continue;
      }
      assert.equal(`${method.toUpperCase()} ${path}`, `${rule.method} ${rule.path}`);
      const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      assert.deepEqual(
        parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name),
        named,
      );
      assert.equal(
        parameters.some(({ $ref }) => $ref === '#/components/parameters/IdempotencyKey'),
        rule.unsafe,
        operationId,
      );
    }
  }
});

test('every list says in which order it is', () => {
  const lists = Object.entries(endpointTable).filter(([id]) => id.startsWith('list'));
  assert.ok(lists.length > 20);
  for (const [id, { summary }] of lists)
    assert.match(summary, /, the (newest|oldest|last closed) first|by their ids|in (its|the) order/, id);
});

test('its examples fit the schemas beside them and the checks of the server', () => {
  assert.ok(new DocumentJudge(openApiDocument()).assertExamples() > 1000);
  for (const { operationId, requestBody, responses } of hosted) {
    const request = requestBody?.content['application/json'];
    const check = endpointValidators[operationId].body;
    if (request !== undefined && typeof check === 'function')
      assert.deepEqual(check(request.example), { ok: true, value: request.example }, operationId);
    for (const response of Object.values(responses)) {
      const reply = replyOf(response).content?.['application/json'];
      if (reply?.example === undefined) continue;
      const name = shapeNameOf(operationId, 'reply') as string;
      assert.deepEqual(shapeIssues({ ...wordings, refinements }, name, reply.example), [], operationId);
    }
  }
  for (const { value } of Object.values(document.components.examples)) assert.ok(validateErrorEnvelope(value).ok);
});

test('what clients send is closed, what they read is open to more', () => {
  for (const id of Object.keys(endpointTable) as EndpointId[]) {
    const body = shapeNameOf(id, 'body');
    if (body === undefined || body === 'bytes') continue;
    assert.equal(document.components.schemas[body]?.additionalProperties, false, body);
  }
  assert.equal(document.components.schemas.ErrorEnvelope?.additionalProperties, undefined);
});

test('the start of a run documents its two conflicts apart', () => {
  const conflict = JSON.stringify(replyOf(hosted.find(({ operationId }) => operationId === 'startRun')?.responses['409'] ?? {}));
  assert.match(conflict, /LeaseConflict/);
  assert.match(conflict, /RunOwnsLease/);
});

test('the page shows every endpoint and every shape, links to what is there, and may load nothing', () => {
  const { html, policy } = docsPage();
  const anchors = new Set([...html.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]));
  for (const { operationId } of hosted) assert.ok(anchors.has(operationId), operationId);
  for (const name of Object.keys(document.components.schemas)) assert.ok(anchors.has(`shape-${name}`), name);
  const broken = [...html.matchAll(/href="#([^"]+)"/g)].map((match) => match[1]).filter((target) => !anchors.has(target));
  assert.deepEqual([...new Set(broken)], []);
  assert.match(policy, /^default-src 'none'; style-src 'sha256-[^']+'; /);
  assert.doesNotMatch(html, /<script|<link|<img|<iframe|\son\w+=|style="|https?:\/\/(?!drillyard\.example|hooks\.example)/i);
  assert.equal(html.split('<style>').length, 2);
});
