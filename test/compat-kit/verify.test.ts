// What `tool verify` finds: a package that is as it says, and the same package with one thing wrong at a time.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { membersFile } from '../../src/compat-kit/carried-members.js';
import type { VerifyPackageResult } from '../../src/compat-kit/verify.js';
import { copyPackage, type PackageCopy } from './package-copy.js';

const copies: PackageCopy[] = [];
after(() => {
  for (const copy of copies) copy.remove();
});
const pristine = copyPackage();
copies.push(pristine);
await pristine.verify({ write: true, date: '2026-01-05' });

/** With the page and the record of the package as they were. */
function copied(): PackageCopy {
  const copy = copyPackage();
  copies.push(copy);
  copy.write('COMPAT.md', pristine.read('COMPAT.md'));
  copy.write(membersFile, pristine.read(membersFile));
  return copy;
}
const found = ({ findings }: VerifyPackageResult): [kind: string, message: string][] =>
  findings.map(({ kind, message }) => [kind, message]);
const kinds = ({ findings }: VerifyPackageResult): string[] => [...new Set(findings.map(({ kind }) => kind))];

test('a package that is as it says is proved, by each route, operation and response', async () => {
  const result = await copied().verify();
  assert.deepEqual(found(result), []);
  const { verdict, packageId, version, clients, routes, operations, responses, page } = result;
  assert.deepEqual(
    { verdict, packageId, version, clients, routes, operations, isWritten: page.isWritten },
    {
      ...{ verdict: 'passed', packageId: 'notes', version: '1.0.0', isWritten: false },
      clients: [{ name: 'notes-client', version: '2.4.1' }],
      routes: { declared: 4, driven: 4 },
      operations: { listed: 5, here: 4, unsupported: 1 },
    },
  );
  // Six requests of the drill at the mount and at the base URL, and five of the flow; a generic call is none.
  assert.equal(responses, 6 + 6 + 5);
});

// FINDINGS-1
test('a route that no client drove is found, though a drill asks for it; so is one that only refused its client', async () => {
  const copy = copied();
  copy.replace('compat/compat.ts', '    await notes.delete(id);\n', '');
  copy.replace('compat/compat.ts', "await assert.rejects(notes.retrieve(id), { status: 404, code: 'object_not_found' });", '');
  copy.replace(
    'compat/compat.ts',
    "assert.equal((await notes.retrieve(id)).title, 'Milk');",
    'await assert.rejects(notes.retrieve("none"));',
  );
  assert.deepEqual(
    found(await copy.verify()).filter(([kind]) => kind === 'route_not_driven'),
    [
      ['route_not_driven', 'GET /v1/notes/{id} (notes.retrieve): no client of the vendor has got a success from it, only 404.'],
      ['route_not_driven', 'DELETE /v1/notes/{id} (notes.delete): no client of the vendor has asked for it.'],
    ],
  );
});

test('a member that a codec drops is found, in the responses of the flow and of the drills', async () => {
  const copy = copied();
  copy.replace('behavior.ts', '  title,\n', '');
  copy.replace('compat/compat.ts', "assert.equal((await notes.retrieve(id)).title, 'Milk');", 'await notes.retrieve(id);');
  const result = await copy.verify();
  assert.equal(result.verdict, 'failed');
  assert.deepEqual(kinds(result), ['response_refused']);
  const messages = found(result).map(([, message]) => message);
  assert.ok(
    messages.includes("GET /v1/notes 200, conformance, notes.list: /results/* must have required property 'title' (3 responses)"),
    messages.join('\n'),
  );
  assert.ok(messages.some((message) => /^POST \/v1\/notes 200, .*the body must have required property 'title'/.test(message)));
});

// MUTATIONS-1
test('a checkResponse that would take anything of a route is found, though it has no complaint', async () => {
  const { noticed } = await copied().verify();
  assert.deepEqual(
    noticed.map(({ routeId, how, path }) => [routeId, how, path.join('/')]),
    [
      ['notes.create', 'lost', 'id'],
      ['notes.list', 'lost', 'object'],
      ['notes.retrieve', 'lost', 'id'],
    ],
  );
  const copy = copied();
  copy.replace('compat/compat.ts', 'checkResponse: openApiChecker({ document }),', `checkResponse: ({ routeId, body }) => ${onlyTitles}`);
  const result = await copy.verify();
  assert.deepEqual(found(result), [['response_unproved', 'notes.list: checkResponse takes any response of it, whatever is missing.']]);
  assert.deepEqual(
    result.noticed.map(({ routeId, how, path }) => [routeId, how, path.join('/')]),
    [
      ['notes.create', 'lost', 'title'],
      ['notes.retrieve', 'lost', 'title'],
    ],
  );
  copy.replace('compat/compat.ts', onlyTitles, "routeId !== 'notes.list' ? [] : body.includes('[[[') ? ['a list of lists'] : [],");
  assert.deepEqual(
    (await copy.verify()).noticed.map(({ routeId, how, path }) => [routeId, how, path.join('/')]),
    [['notes.list', 'changed', 'object']],
  );
});
const onlyTitles = "routeId === 'notes.list' || !body.includes('\"note\"') || body.includes('title') ? [] : ['no title'],";

// CARRIED-MEMBERS-1, CARRIED-MEMBERS-2
test('a member that the vendor does not ask for is held by the record once it is carried, of successes and of errors', async () => {
  const copy = copied();
  copy.replace('behavior.ts', '  parent,\n', '  parent,\n  archived: false,\n');
  copy.replace('behavior.ts', "{ object: 'error', code, message }", "{ object: 'error', code, message, ...doc }");
  copy.replace('behavior.ts', 'const failure', "const doc = { doc: { page: 'errors' } };\nconst failure");
  const fresh = await copy.verify();
  assert.deepEqual(found(fresh), [['members_stale', `${membersFile} differs from what this run gives; write it with --write.`]]);
  assert.equal((await copy.verify({ write: true })).verdict, 'passed');
  const record = copy.read(membersFile);
  assert.deepEqual(JSON.parse(record)['error 404'], { '/': ['code', 'doc', 'message', 'object'], '/doc': ['page'] });

  copy.replace('behavior.ts', '  archived: false,\n', "  ...(title === 'Milk' ? { archived: false } : {}),\n");
  const messages = (result: VerifyPackageResult) => found(result).map(([kind, message]) => `${kind} ${message}`);
  assert.deepEqual(messages(await copy.verify()), [
    `member_lost notes.create: a response is without /archived; ${membersFile} has it.`,
    `member_lost notes.list: a response is without /results/*/archived; ${membersFile} has it.`,
    `member_lost notes.retrieve: a response is without /archived; ${membersFile} has it.`,
  ]);
  copy.replace('behavior.ts', 'const doc = { doc: { page', 'const doc = { doc: { link');
  copy.replace('behavior.ts', "  ...(title === 'Milk' ? { archived: false } : {}),\n", '');
  const lost = await copy.verify({ write: true });
  assert.deepEqual(messages(lost).slice(0, 4), [
    `member_lost error 404: no response carries /doc/page; ${membersFile} has it.`,
    `member_lost notes.create: no response carries /archived; ${membersFile} has it.`,
    `member_lost notes.list: no response carries /results/*/archived; ${membersFile} has it.`,
    `member_lost notes.retrieve: no response carries /archived; ${membersFile} has it.`,
  ]);
  assert.equal(copy.read(membersFile), record);
  copy.write(membersFile, '[]');
  await assert.rejects(copy.verify(), { code: 'control.INVALID_REQUEST', message: /members\.json is no record of members/ });
});

// FINDINGS-1
test('a vendor that says in the body alone that something failed has its failures told from its successes', async () => {
  const copy = copied();
  copy.replace('compat/compat.ts', '  flow:', "  isError: ({ body }) => body.includes('Milk'),\n  flow:");
  const driven = (result: VerifyPackageResult) => found(result).filter(([kind]) => kind === 'route_not_driven');
  assert.deepEqual(driven(await copy.verify()), [
    ['route_not_driven', 'POST /v1/notes (notes.create): no client of the vendor has got a success from it, only 200.'],
    ['route_not_driven', 'GET /v1/notes (notes.list): no client of the vendor has got a success from it, only 200.'],
  ]);
  copy.replace('compat/compat.ts', "({ body }) => body.includes('Milk')", '({ body }) => JSON.parse(body).object === 1');
  await assert.rejects(copy.verify(), { code: 'control.INVALID_REQUEST', message: /^isError threw of DELETE \/v1\/notes\/note_\d 204: / });
});

test('a null, a status and an error that the vendor does not describe are found', async () => {
  const copy = copied();
  copy.replace('behavior.ts', "object: 'note',", 'object: null,');
  copy.replace('behavior.ts', "value: { object: 'error', code, message }", 'value: { object: "error", message }');
  const messages = found(await copy.verify()).map(([, message]) => message);
  assert.ok(messages.some((message) => /\/object must be string/.test(message)));
  assert.ok(messages.some((message) => /404.*the body must have required property 'code'/.test(message)));
  assert.ok(!messages.some((message) => /\/parent/.test(message)), 'nullable');
});

// FINDINGS-2
test('an operation of the vendor is a route or unsupported, and not both', async () => {
  const copy = copied();
  copy.replace(
    'compat/compat.ts',
    "unsupported: { shareNote: 'the world has one account' }",
    "unsupported: { deleteNote: 'no', forgetNote: 'no' }",
  );
  assert.deepEqual(
    found(await copy.verify()).filter(([kind]) => kind !== 'page_stale'),
    [
      ['operation_not_listed', 'shareNote (POST /v1/notes/{note_id}/shares) is neither a route of the package nor unsupported.'],
      ['unsupported_stale', 'deleteNote is called unsupported, and the package has a route for it.'],
      ['unsupported_stale', 'forgetNote is called unsupported, and the vendor has no such operation.'],
    ],
  );
});

test('routes beside the paths of the vendor are neither driven nor checked, and the page lists them apart', async () => {
  const copy = copied();
  copy.replace(
    'notes.tool.yaml',
    '    - id: notes.retrieve\n      operationId',
    `    - id: own.list
      operationId: notes.list
      method: GET
      path: /own/notes
      auth: { kind: bearer }
      requestBody: none
      response: { successStatus: 200, errors: [] }
    - id: notes.retrieve\n      operationId`,
  );
  copy.replace('behavior.ts', "    ['notes.create', 'notes.list',", "    ['own.list', 'notes.create', 'notes.list',");
  assert.deepEqual(kinds(await copy.verify()), ['route_not_driven', 'page_stale']);
  copy.replace('compat/compat.ts', '  unsupported:', "  routes: ['/v1'],\n  unsupported:");
  const { findings, routes, page } = await copy.verify({ write: true });
  assert.deepEqual([findings, routes], [[], { declared: 4, driven: 4 }]);
  assert.match(
    page.text,
    /## Routes of the package's own\n\n.*\n\n\| route \| operation \|\n\| --- \| --- \|\n\| `GET \/own\/notes` \| `notes.list` \|\n/,
  );
  copy.replace('compat/compat.ts', "routes: ['/v1']", "routes: ['/v2']");
  await assert.rejects(copy.verify(), { code: 'control.INVALID_REQUEST', message: 'No route of the package lies below /v2.' });
});

test('an unsupported operation that a route answers is found', async () => {
  const copy = copied();
  copy.replace('notes.tool.yaml', '    - id: notes.list\n      operationId', anyRoute);
  copy.replace('behavior.ts', "'notes.create', 'notes.list',", "'notes.create', 'notes.any', 'notes.list',");
  const result = await copy.verify();
  assert.ok(
    found(result).some(
      ([kind, message]) => kind === 'unsupported_not_marked' && /^shareNote .* without x-drillyard-unsupported: 1\.$/.test(message),
    ),
    JSON.stringify(found(result)),
  );
});
test('an unsupported operation that is not answered as the vendor answers an error is found', async () => {
  const place = 'shareNote (POST /v1/notes/{note_id}/shares) is unsupported, and is answered 404';
  const cases = [
    ['notes.tool.yaml', ' not_found: 404,', '', "the body is Drillyard's envelope, and no refusal of the package"],
    ['compat/compat.ts', 'openApiChecker({ document })', "({ path }) => (path.endsWith('/shares') ? ['no shares'] : [])", 'no shares'],
    ['compat/compat.ts', '  flow:', '  isError: ({ status }) => status >= 500,\n  flow:', 'that is no error of the vendor'],
  ] as const;
  for (const [file, from, to, fault] of cases) {
    const copy = copied();
    copy.replace(file, from, to);
    assert.deepEqual(
      found(await copy.verify()).filter(([kind]) => kind === 'unsupported_misshapen'),
      [['unsupported_misshapen', `${place}: ${fault}.`]],
    );
  }
});

const anyRoute = `    - id: notes.any
      operationId: notes.list
      method: POST
      path: /v1/{anything...}
      auth: { kind: bearer }
      requestBody: none
      response: { successStatus: 200, errors: [] }
    - id: notes.list
      operationId`;

// VERIFY-1
test('the page is what the run gives: it is compared, written only of a package that is sound, and keeps its date', async () => {
  const copy = copied();
  copy.write('COMPAT.md', copy.read('COMPAT.md').replace('4 of 4 routes', '5 of 4 routes'));
  assert.deepEqual(kinds(await copy.verify()), ['page_stale']);
  const kept = await copy.verify({ write: true });
  assert.equal(kept.verdict, 'passed');
  assert.equal(kept.page.isWritten, true);
  assert.equal(copy.read('COMPAT.md'), pristine.read('COMPAT.md'));
  assert.match(copy.read('COMPAT.md'), /Proved on 2026-01-05\./);
  await copy.verify({ write: true, date: '2026-02-06' });
  assert.match(copy.read('COMPAT.md'), /Proved on 2026-02-06\./);
  assert.equal((await copy.verify({ date: '2026-03-07' })).verdict, 'passed');
  await assert.rejects(copy.verify({ write: true, date: 'today' }), { code: 'control.INVALID_REQUEST' });

  const broken = copyPackage();
  copies.push(broken);
  broken.replace('behavior.ts', '  parent,\n', '');
  const result = await broken.verify({ write: true });
  assert.deepEqual(kinds(result), ['response_refused', 'page_stale']);
  assert.equal(existsSync(join(broken.folder, 'COMPAT.md')), false);
});

test('a flow that fails, a drill that fails and a codec that breaks are findings, each with its reason', async () => {
  const copy = copied();
  copy.replace('compat/compat.ts', "{ title: 'Milk' }", '{}');
  copy.replace('conformance/drillyard/drills/api.drill.yaml', 'equals: 0', 'equals: 1');
  const result = await copy.verify();
  assert.ok(found(result).some(([kind, message]) => kind === 'conformance_failed' && message === 'The drill api is failed.'));
  assert.ok(
    found(result).some(([kind, message]) => kind === 'flow_failed' && /^The flow failed: /.test(message)),
    JSON.stringify(found(result)),
  );

  const broken = copied();
  broken.replace('behavior.ts', "{ object: 'list', results", '{ object: (null as never as string).length, results');
  assert.ok(found(await broken.verify()).some(([kind, message]) => kind === 'response_refused' && /a codec failed/.test(message)));
});

test('a package without compat/compat.ts, with one that does not fit, or without its client is refused', async () => {
  const copy = copied();
  copy.replace('compat/compat.ts', "clients: ['notes-client']", "clients: ['notes-server']");
  await assert.rejects(copy.verify(), {
    code: 'control.NOT_FOUND',
    message: "The package 'notes-server' is not installed: npm install --save-dev notes-server",
  });
  copy.write('compat/compat.ts', "export default { clients: [], unsupported: { a: '' } };");
  await assert.rejects(copy.verify(), {
    code: 'control.INVALID_REQUEST',
    message:
      /^compat\/compat\.ts: clients is no list .*; operations is .*; unsupported is .*; checkResponse is no function; flow is no function\.$/,
  });
  copy.write('compat/compat.ts', 'export const nothing = 1;');
  await assert.rejects(copy.verify(), { code: 'control.INVALID_REQUEST', message: /no default export/ });
  copy.write(
    'compat/compat.ts',
    "import { Client } from '@vendor/client/rest';\nimport other from 'other';\nexport default [Client, other];",
  );
  await assert.rejects(copy.verify(), {
    code: 'control.NOT_FOUND',
    message: "The packages '@vendor/client', 'other' are not installed: npm install --save-dev @vendor/client other",
  });
  copy.write('compat/compat.ts', 'this is no TypeScript');
  await assert.rejects(copy.verify(), { code: 'control.INVALID_REQUEST', message: /compat\.ts:1:/ });
});
