// The document of the inspector's API: valid, kept in docs/, served, and complete. That replies are as it says, the tests of the routes
// show: inspector-kit.ts holds each answer against it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspectorRoutes } from '../../src/contract/inspector/routes.js';
import { pathNames } from '../../src/contract/route-table.js';
import { inspectorDocument, inspectorDocumentPath } from '../../src/inspector/openapi.js';
import { assertKept, assertValid, DocumentJudge } from '../http/openapi/judge.js';
import { assertRefused, onEachEngine, startTestInspector } from './inspector-kit.js';

const document = inspectorDocument();
const paths = document.paths as unknown as {
  [path: string]: { [method: string]: { operationId: string; parameters?: { name: string; in: string }[]; security?: object[] } };
};

test('it is valid OpenAPI 3.1, and docs/openapi-inspector.json is this document', async () => {
  await assertValid(document);
  assertKept(document, 'openapi-inspector.json');
});

test('it has every route at its place, with its parameters; only the document itself needs no token', () => {
  for (const [id, { method, path }] of Object.entries(inspectorRoutes)) {
    const operation = paths[path]?.[method.toLowerCase()] ?? assert.fail(id);
    assert.equal(operation.operationId, id);
    assert.equal(operation.security, undefined);
    const names = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path').map(({ name }) => name);
    assert.deepEqual(names, pathNames(path));
  }
  const open = Object.values(paths).flatMap((methods) => Object.values(methods).filter(({ security }) => security?.length === 0));
  assert.deepEqual(
    open.map(({ operationId }) => operationId),
    ['getOpenApi'],
  );
});

test('its examples fit the schemas beside them', () => {
  assert.ok(new DocumentJudge(document).assertExamples() > 100);
});

onEachEngine('it is served without a token, the same to everybody, and to loopback alone', async (t, engine) => {
  const inspector = await startTestInspector(t, { engine });
  const answer = await inspector.askPlainly(inspectorDocumentPath);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
  assert.deepEqual(answer.json, JSON.parse(JSON.stringify(document)));
  assert.ok(!answer.text.includes(inspector.token) && !answer.text.includes(inspector.repository.root));
  const again = await inspector.askPlainly(inspectorDocumentPath, { headers: { 'if-none-match': String(answer.headers.etag) } });
  assert.equal(again.status, 304);
  const rebound = await inspector.askPlainly(inspectorDocumentPath, { headers: { host: 'rebound.example' } });
  assertRefused(rebound, 403, 'control.ORIGIN_REJECTED');
});
