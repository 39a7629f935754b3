// Routes and the vendor's operations side by side.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operationsOf } from '../../src/compat-kit/openapi-document.js';
import { VendorTable } from '../../src/compat-kit/vendor-operations.js';
import type { ToolHttpRoute } from '../../src/contract/world/tool-manifest.js';

const route = (method: ToolHttpRoute['method'], path: string): ToolHttpRoute => ({
  ...{ id: `${method} ${path}`, operationId: 'a.b', method, path, auth: { kind: 'bearer' }, requestBody: 'none' },
  response: { successStatus: 200, errors: [] },
});

// VENDOR-OPERATIONS-1
test('an operation is ours by method and template, whatever its parameters are called', () => {
  const operations = [
    { id: 'get', method: 'GET', path: '/v1/pages/{page_id}' },
    { id: 'head', method: 'HEAD', path: '/v1/pages/{page_id}' },
    { id: 'patch', method: 'patch', path: '/v1/pages/{page_id}' },
    { id: 'content', method: 'GET', path: '/repos/{owner}/contents/{path}' },
    { id: 'move', method: 'POST', path: '/v1/pages/{page_id}/move' },
    { id: 'account', method: 'GET', path: '/Accounts/{Sid}.json' },
    { id: 'other', method: 'GET', path: '/Accounts/{Sid}.xml' },
    { id: 'search', method: 'GET', path: '/v1/search?kind=a' },
    { id: 'search2', method: 'GET', path: '/v1/search?kind=b' },
  ];
  const table = new VendorTable(
    [
      route('GET', '/v1/pages/{id}'),
      route('PATCH', '/v1/pages/{page}'),
      route('GET', '/repos/{o}/contents/{path...}'),
      route('GET', '/Accounts/{sid}.json'),
      route('GET', '/v1/search'),
      route('GET', '/v1/beside'),
    ],
    operations,
  );
  assert.deepEqual(
    operations.filter((operation) => table.routeOf(operation) !== undefined).map(({ id }) => id),
    ['get', 'head', 'patch', 'content', 'account', 'search', 'search2'],
  );
  const idsAt = (method: string, path: string) => {
    const { route: found, operation } = table.find(method, path);
    return [found?.id, operation?.id];
  };
  assert.deepEqual(idsAt('GET', '/v1/pages/1'), ['GET /v1/pages/{id}', 'get']);
  assert.deepEqual(idsAt('HEAD', '/v1/pages/1'), ['GET /v1/pages/{id}', 'get']);
  assert.deepEqual(idsAt('GET', '/repos/o/contents/a/b/c'), ['GET /repos/{o}/contents/{path...}', 'content']);
  assert.deepEqual(idsAt('POST', '/v1/pages/1/move'), [undefined, 'move']);
  assert.deepEqual(idsAt('GET', '/v1/beside'), ['GET /v1/beside', undefined]);
  assert.deepEqual(idsAt('GET', '/v1/nowhere'), [undefined, undefined]);
});

test('the operations of a document lie below the path of its first server', () => {
  const paths = { '/a': { get: { operationId: 'getA', responses: {} }, parameters: [] }, '/b/{id}': { post: { responses: {} } } };
  const listed = (servers?: { url: string }[]) =>
    operationsOf({ openapi: '3.1.0', paths, ...(servers === undefined ? {} : { servers }) }).map(({ id, method, path }) => [
      id,
      method,
      path,
    ]);
  assert.deepEqual(listed([{ url: 'https://api.example/v2/' }, { url: 'https://other.example/v3' }]), [
    ['getA', 'GET', '/v2/a'],
    ['POST /b/{id}', 'POST', '/v2/b/{id}'],
  ]);
  assert.deepEqual(listed([{ url: 'https://{tenant}.api.example' }])[0], ['getA', 'GET', '/a']);
  assert.deepEqual(listed([{ url: '/api' }])[0], ['getA', 'GET', '/api/a']);
  assert.deepEqual(listed()[0], ['getA', 'GET', '/a']);
});
