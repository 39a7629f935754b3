import assert from 'node:assert/strict';
import { realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { compileProject } from '../../src/compiler/compile.js';
import { loadConformance } from '../../src/compiler/conformance.js';
import { compileWith, folder, lines } from './repository.js';

const toolFile = (id: string, rest = '') =>
  `schemaVersion: 1\nmanifest: { schemaVersion: 1, id: ${id}, version: 1.0.0, engine: "*", state: [{ namespace: rows, schema: { type: object } }]${rest} }\n`;
const field =
  '"drillyard": { "layer": "tool-pack", "tool": "a.tool.yaml", "lifecycle": "active", "conformance": { "project": "conformance", "suite": "all" } }';

test('packages come from node_modules upward, from folders, linked or not, and from a folder with one tool file', async (t) => {
  const root = folder(t, {
    'node_modules/@scope/hoisted/package.json': `{ "name": "@scope/hoisted", ${field} }`,
    'node_modules/@scope/hoisted/a.tool.yaml': toolFile('hoisted'),
    'linked/package.json': `{ ${field} }`,
    'linked/a.tool.yaml': toolFile('linked'),
    'linked/conformance/keep': '',
    'repo/drillyard.json': '{ "schemaVersion": 1, "toolPackages": ["@scope/hoisted", "by-link", "./tools/plain"] }',
    'repo/drillyard/world.yaml': 'schemaVersion: 1\nid: w\n',
    'repo/tools/plain/x.tool.json': JSON.stringify({
      schemaVersion: 1,
      manifest: {
        schemaVersion: 1,
        id: 'plain',
        version: '1.0.0',
        engine: '*',
        state: [{ namespace: 'rows', schema: { type: 'object' } }],
      },
    }),
    'repo/node_modules/keep': '',
  });
  symlinkSync(join(root, 'linked'), join(root, 'repo/node_modules/by-link'));
  const { build, view, diagnostics } = await compileProject({ root: join(root, 'repo') });
  assert.deepEqual(lines(diagnostics), []);
  assert.deepEqual(
    build?.tools.map(({ packageId }) => packageId),
    ['hoisted', 'linked', 'plain'],
  );
  assert.deepEqual(
    view.tools.map(({ provenance }) => provenance.file),
    ['node_modules/@scope/hoisted/a.tool.yaml', 'node_modules/by-link/a.tool.yaml', 'tools/plain/x.tool.json'],
  );
  assert.ok(view.tools.every(({ declarative }) => declarative));
  assert.deepEqual(build?.tools[0]?.artifactHash, build?.tools[0]?.manifestHash, 'the artifact of a declarative tool is its manifest');
});

test('what cannot be a package is refused where it is named', async (t) => {
  for (const [specifier, message] of [
    ['not-installed', /is not installed/],
    ['./nowhere', /no folder/],
    ['/etc', /no package name/],
    ['a/b/c', /no package name/],
    ['../../../../..//..', /./],
    ['library:../ticket-desk', /library has no package/],
  ] as const) {
    const { diagnostics, build } = await compileWith(t, {
      'drillyard.json': JSON.stringify({ schemaVersion: 1, toolPackages: [specifier] }),
    });
    assert.equal(build, undefined, specifier);
    assert.match(diagnostics[0]?.message ?? '', message);
  }
});

test('tools meet: ids, routes and connections across packages', async (t) => {
  const route = ', operations: [{ id: rows.get, inputSchema: true, outputSchema: true, idempotency: none, fidelity: f }]';
  const { diagnostics } = await compileWith(t, {
    'drillyard/a.tool.yaml': toolFile('notes', route),
    'drillyard/c.tool.yaml': toolFile('c', ', connections: [{ id: to, packageId: nowhere }]'),
  });
  assert.deepEqual(
    lines(diagnostics).filter((line) => !line.includes('notes.tool.yaml')),
    ["DY3005 drillyard/c.tool.yaml:2:158 /manifest/connections/0/packageId there is no tool package 'nowhere'"],
  );
  assert.ok(diagnostics.some(({ code, message }) => code === 'DY3001' && message.startsWith("tool package 'notes' is defined in")));
});

test('only mounts answer a route of two packages, whatever they call its parameters', async (t) => {
  const withRoute = (id: string, path: string): { [path: string]: string } => ({
    [`drillyard/${id}.tool.json`]: JSON.stringify({
      schemaVersion: 1,
      module: `${id}.ts`,
      manifest: {
        schemaVersion: 1,
        id,
        version: '1.0.0',
        engine: '*',
        operations: [{ id: 'get', inputSchema: true, outputSchema: true, idempotency: 'none', fidelity: 'f' }],
        http: [
          {
            id: 'get',
            operationId: 'get',
            method: 'GET',
            path,
            auth: { kind: 'none' },
            requestBody: 'none',
            response: { successStatus: 200, errors: [] },
          },
        ],
      },
    }),
    [`drillyard/${id}.ts`]:
      'export default { operations: { get: () => null }, http: { get: { decode: () => ({}), encode: () => ({}) } } };\n',
  });
  const { diagnostics } = await compileWith(t, { ...withRoute('left', '/rows/{id}'), ...withRoute('right', '/rows/{key}') });
  assert.deepEqual(
    diagnostics.map(({ code, path, message }) => [code, path, message]),
    [['DY5022', '/manifest/http/0/path', "GET /rows/{key} is a route of 'left', too: only mounts answer it"]],
  );
  assert.deepEqual((await compileWith(t, { ...withRoute('left', '/rows/{id}'), ...withRoute('right', '/rows/new') })).diagnostics, []);
});

test('a starter is checked with its package', async (t) => {
  const { diagnostics } = await compileWith(t, {
    'drillyard.json': '{ "schemaVersion": 1, "toolPackages": ["./p"] }',
    'p/package.json': `{ ${field.replace('"lifecycle"', '"starter": "starter.yaml", "lifecycle"')} }`,
    'p/a.tool.yaml': toolFile('a'),
    'p/conformance/keep': '',
    'p/starter.yaml': 'schemaVersion: 1\nstate:\n  - { action: upsert, packageId: a, namespace: rose, rowId: r, value: {} }\n',
  });
  assert.deepEqual(lines(diagnostics), ["DY3009 p/starter.yaml:3:48 /state/0/namespace package 'a' declares no namespace 'rose'"]);
});

test('a tool file or a starter that is not there is reported where package.json names it', async (t) => {
  for (const [member, path, why] of [
    ['starter', 'gone.yaml', ''],
    ['starter', '../x.yaml', ': it leads out of its root'],
    ['starter', 'conformance', ': it is not a regular file'],
    ['tool', '../x.tool.yaml', ': it leads out of its root'],
  ] as const) {
    const described = { layer: 'tool-pack', tool: 'a.tool.yaml', lifecycle: 'active', [member]: path };
    const { diagnostics } = await compileWith(t, {
      'drillyard.json': '{ "schemaVersion": 1, "toolPackages": ["./p"] }',
      'p/package.json': JSON.stringify({ name: 'p', drillyard: described }, null, 2),
      'p/a.tool.yaml': toolFile('a'),
      'p/conformance/keep': '',
    });
    const place = member === 'starter' ? '7:16' : '5:13';
    assert.deepEqual(lines(diagnostics), [
      `DY5005 p/package.json:${place} /drillyard/${member} the package has no ${member} file '${path}'${why}`,
    ]);
  }
});

test('a conformance project is found from its package', (t) => {
  const root = folder(t, {
    'package.json': `{ ${field} }`,
    'a.tool.yaml': toolFile('a'),
    'conformance/drillyard.json': '{ "schemaVersion": 1, "toolPackages": [".."] }',
  });
  const { conformance, diagnostics } = loadConformance(root);
  assert.deepEqual(diagnostics, []);
  const packageRoot = realpathSync(root);
  assert.deepEqual(conformance, { root: join(packageRoot, 'conformance'), suite: 'all', packageRoot, packageField: 'drillyard' });
  assert.match(loadConformance(join(root, 'none')).diagnostics[0]?.message ?? '', /no folder/);
  const without = folder(t, {
    'package.json': '{ "drillyard": { "tool": "a.tool.yaml", "lifecycle": "active" } }',
    'a.tool.yaml': toolFile('a'),
  });
  assert.match(loadConformance(without).diagnostics[0]?.message ?? '', /names no conformance project/);
  const gone = folder(t, { 'package.json': `{ ${field} }`, 'a.tool.yaml': toolFile('a') });
  assert.deepEqual(lines(loadConformance(gone).diagnostics), [
    `DY5002 package.json:1:${`{ ${field} }`.indexOf('"conformance", "suite"') + 1} /drillyard/conformance/project the conformance project 'conformance' is no folder of the package`,
  ]);
  const bare = loadConformance(folder(t, { 'a.tool.yaml': toolFile('a') })).diagnostics;
  assert.deepEqual(lines(bare), ['DY5002 a.tool.yaml:1:1  the package is a tool file alone: it has no conformance project to run']);
  assert.match(bare[0]?.suggestion ?? '', /"tool": "a\.tool\.yaml", .*"conformance": .* in a package\.json beside it/);
});

test('a project may use the package it lies in', async (t) => {
  const root = folder(t, {
    'package.json': `{ ${field} }`,
    'a.tool.yaml': toolFile('a'),
    'conformance/drillyard.json': '{ "schemaVersion": 1, "toolPackages": [".."] }',
    'conformance/drillyard/world.yaml':
      'schemaVersion: 1\nid: w\nactors: [{ id: ann, grants: [{ packageId: a, operationId: rows.create }] }]\n',
  });
  const { build, view, diagnostics } = await compileProject({ root: join(root, 'conformance') });
  assert.deepEqual(lines(diagnostics), []);
  assert.deepEqual(
    build?.tools[0]?.manifest.operations.map(({ id }) => id),
    ['rows.create', 'rows.get', 'rows.list', 'rows.update', 'rows.delete'],
  );
  assert.equal(view.tools[0]?.provenance.file, '../a.tool.yaml');
});
