// GraphQL of a tool, over a real socket: @linear/sdk as it is, and graphql's own executor over the same data as the other opinion.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runInThisContext } from 'node:vm';
import { LinearClient } from '@linear/sdk';
import { buildClientSchema, buildSchema, type ExecutionResult, getIntrospectionQuery, graphqlSync, printSchema } from 'graphql';
import { createBindings } from '../../src/bindings/create-bindings.js';
import { createHostedBindings, type HostedBindings, hostedPrefix } from '../../src/bindings/hosted-bindings.js';
import { compileProject } from '../../src/compiler/compile.js';
import { newId } from '../../src/contract/ids.js';
import type { EvidenceEntry } from '../../src/contract/world/evidence.js';
import type { BindingsPort } from '../../src/drills/ports/bindings-port.js';
import { mountAt } from '../../src/http/mount.js';
import { startHttpServer } from '../../src/http/start-server.js';
import type { Worlds } from '../../src/worlds/api.js';
import { openWorlds } from '../../src/worlds/worlds.js';
import { createRepository } from '../drills/repository.js';
import fc from '../fast-check.js';

const schema = `
type Query { issue(id: ID!): Issue issues(first: Int = 2, kind: Kind, where: Where): [Issue!]! strict(id: ID!): Issue! rateLimitStatus: RateLimitPayload! broken: Int }
type Mutation { issueCreate(input: IssueCreateInput!): IssuePayload! issueFail(code: String!): Issue issueDelete(id: ID!): Boolean }
interface Node { id: ID! }
enum Kind { BUG TASK }
scalar JSON
input Where { kind: Kind, not: Where, ids: [ID!] }
type Issue implements Node { id: ID! title: String! kind: Kind! parent: Issue children(first: Int = 5, kind: Kind): [Issue!]! secret: String must: Int! echo(value: JSON, ids: [ID!], where: Where): String }
input IssueCreateInput { id: String, title: String, teamId: String!, priority: Int, meta: JSON }
type IssuePayload { lastSyncId: Float! success: Boolean! issue: Issue }
type RateLimitPayload { identifier: String kind: String! limits: [RateLimitResultPayload!]! }
type RateLimitResultPayload { reset: Float! period: Float! remainingAmount: Float! requestedAmount: Float! type: String! allowedAmount: Float! }
`;
/** The same text is the tool's code and, below, the reference's. \`state\` is a tool's state; \`fail\` ends a resolver. */
const resolvers = `({
  Query: {
    issue: (_, { id }, { state }) => state.get('issues', id),
    issues: (_, { first, kind, where }, { state }) => {
      const rows = state.scan('issues').map(({ value }) => value);
      const wanted = (value) => (kind == null || value.kind === kind) && (where?.kind == null || value.kind === where.kind) && (where?.ids == null || where.ids.includes(value.id));
      return rows.filter(wanted).slice(0, first ?? 2);
    },
    strict: (_, { id }, { state }) => state.get('issues', id),
    rateLimitStatus: () => ({ identifier: 'me', kind: 'api', limits: [{ reset: 1, period: 2, remainingAmount: 3, requestedAmount: 4, type: 'x', allowedAmount: 5 }] }),
  },
  Mutation: {
    issueCreate: (_, { input }, { state, fail }) => {
      if (input.title === '') fail({ code: 'INVALID_INPUT', message: 'A title is needed.', details: { type: 'invalid input', userError: true } });
      const id = input.id ?? 'new';
      state.put('issues', id, { id, title: input.title ?? '', kind: 'TASK' });
      return { lastSyncId: 7, success: true, issue: state.get('issues', id) };
    },
    issueFail: (_, { code }, { fail }) => fail({ code, message: 'failed', details: { code: 'other', retryable: 'other', more: 1 } }),
    issueDelete: (_, { id }, { state }) => { state.delete('issues', id); return state.get('issues', id) === undefined; },
  },
  Issue: {
    parent: ({ parent }, _, { state }) => parent === undefined ? null : state.get('issues', parent),
    children: ({ id }, { first, kind }, { state }) => state.scan('issues').map(({ value }) => value).filter((value) => value.parent === id && (kind == null || value.kind === kind)).slice(0, first),
    secret: ({ id }, _, { fail }) => fail({ code: 'FORBIDDEN', message: 'not yours: ' + id, details: { code: 'other' } }),
    must: ({ id }) => id === 'a' ? 1 : null,
    echo: (_, args) => JSON.stringify(args),
  },
})`;
const rows = [
  { id: 'a', title: 'First', kind: 'BUG' },
  { id: 'b', title: 'Second', kind: 'TASK', parent: 'a' },
  { id: 'c', title: 'Third', kind: 'BUG', parent: 'a' },
];
const operation = (id: string, more: object = {}): object => ({
  ...{ id, inputSchema: true, outputSchema: true, idempotency: 'none', fidelity: 'test' },
  ...more,
});
const granted = ['issue', 'issues', 'strict', 'rate_limit_status', 'issue_create', 'issue_fail', 'gone'];
const repository = createRepository({
  'notes/notes.tool.json': {
    schemaVersion: 1,
    module: 'behavior.ts',
    manifest: {
      ...{ schemaVersion: 1, id: 'notes', version: '1.0.0', engine: '>=0.1.0', capabilities: ['state.read', 'state.write'] },
      state: [{ namespace: 'issues', schema: { type: 'object' } }],
      operations: [
        operation('issue_create', { idempotency: 'optional', declaredErrors: ['INVALID_INPUT'] }),
        operation('issue_fail', { declaredErrors: ['GONE'] }),
      ],
      faults: [{ id: 'down', appliesTo: ['issues'], timing: 'before', error: { code: 'DOWN', message: 'down', retryable: true } }],
      graphql: {
        ...{ schema, path: '/graphql', auth: { kind: 'header', name: 'authorization' }, depthMax: 6, costMax: 200 },
        operations: { 'Mutation.issueDelete': 'gone', 'Query.broken': 'out_of_order' },
      },
    },
  },
  'notes/behavior.ts': `
import { defineToolBehavior } from 'drillyard/tool-sdk';
const resolvers: any = ${resolvers};
export default defineToolBehavior({ operations: {}, graphql: { ...resolvers, Query: { ...resolvers.Query, broken: () => { throw new Error('a mistake'); } } } });`,
  'drillyard/world.json': {
    ...{ schemaVersion: 1, id: 'test', seed: '7' },
    actors: [
      { id: 'agent', grants: granted.map((operationId) => ({ packageId: 'notes', operationId })) },
      { id: 'reader', grants: [{ packageId: 'notes', operationId: 'issue' }] },
    ],
    state: rows.map((value) => ({ action: 'upsert', packageId: 'notes', namespace: 'issues', rowId: value.id, value })),
  },
});
const directory = mkdtempSync(join(tmpdir(), 'drillyard-graphql-'));
const worlds = await openWorlds({
  ...{ directory, layout: 'run', durability: 'committed', hosts: 1, isolation: 'thread', log: () => {} },
});
const bindings = createBindings({ engine: 'node:http' });
after(async () => {
  await bindings.close();
  await worlds.close();
  rmSync(directory, { recursive: true, force: true });
  repository.remove();
});
const compiled = await compileProject({ root: repository.root });
const build = compiled.build ?? assert.fail(JSON.stringify(compiled.diagnostics));

async function open(actorId = 'agent') {
  const world = await worlds.create({ worldId: newId('world'), build, ...build.baseline, seed: { seed: '1', trial: 1, attempt: 1 } });
  const access = await bindings.open({ world, actorId, bindings: ['http'] });
  const { url, token } = access.endpoints.http ?? assert.fail('no http endpoint');
  const post = async (body: unknown): Promise<ExecutionResult & { status: number }> => {
    const headers = { authorization: token, 'content-type': 'application/json' };
    const reply = await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: reply.status, ...((await reply.json()) as ExecutionResult) };
  };
  const operations = async (): Promise<EvidenceEntry[]> =>
    (await world.query({ kind: 'evidence', fromSequence: 1, limit: 500 })).entries.filter(({ kind }) => kind === 'operation');
  return { world, url: `${url}/graphql`, token, post, operations };
}
const asked = (entries: EvidenceEntry[]): unknown[] =>
  entries.map((entry) => (entry.kind === 'operation' ? [entry.invocation.operationId, entry.outcome.kind] : []));

test('@linear/sdk works against it, and evidence has its root fields', async () => {
  const { url, token, operations } = await open();
  const linear = new LinearClient({ apiKey: token, apiUrl: url });
  assert.equal((await linear.rateLimitStatus).limits[0]?.allowedAmount, 5);
  const created = await linear.createIssue({ id: 'x', title: 'By the client', teamId: 't', priority: 2 });
  assert.deepEqual([created.success, created.issueId], [true, 'x']);
  const raw = await linear.client.rawRequest<{ issue: { title: string } }, { id: string }>(
    'query ($id: ID!) { issue(id: $id) { title } }',
    {
      id: 'x',
    },
  );
  assert.equal(raw.data?.issue.title, 'By the client');
  await assert.rejects(linear.createIssue({ title: '', teamId: 't' }), { type: 'InvalidInput', message: /A title is needed/ });
  const entries = await operations();
  assert.deepEqual(asked(entries), [
    ['rate_limit_status', 'ok'],
    ['issue_create', 'ok'],
    ['issue', 'ok'],
    ['issue_create', 'tool_error'],
  ]);
  const [, create] = entries;
  assert.deepEqual(create?.kind === 'operation' && (create.invocation.arguments as { input: object }).input, {
    ...{ id: 'x', title: 'By the client', teamId: 't', priority: 2 },
  });
});

/** What the client of Linear does there, and the journal of it. */
async function driveLinear(where: Worlds, port: BindingsPort): Promise<string> {
  const world = await where.create({ worldId: drivenWorldId, build, ...build.baseline, seed: { seed: '1', trial: 1, attempt: 1 } });
  const access = await port.open({ world, actorId: 'agent', bindings: ['http'] });
  const { url, token } = access.endpoints.http ?? assert.fail('no http endpoint');
  const linear = new LinearClient({ apiKey: token, apiUrl: `${url}/graphql` });
  assert.equal((await linear.rateLimitStatus).limits[0]?.allowedAmount, 5);
  assert.equal((await linear.createIssue({ id: 'x', title: 'By the client', teamId: 't' })).issueId, 'x');
  await assert.rejects(linear.createIssue({ title: '', teamId: 't' }), { type: 'InvalidInput' });
  return (await world.query({ kind: 'evidenceLines', fromSequence: 1, limit: 500 })).lines;
}
/** One id on both sides: it is in the evidence. */
const drivenWorldId = newId('world');

test('hosted, in a process of its own, it answers the same client, and leaves the same evidence', async () => {
  let hosted: HostedBindings | undefined;
  const listener = await startHttpServer({
    ...{ host: '127.0.0.1', port: 0, engine: 'node:http' },
    handler: mountAt(
      hostedPrefix,
      (request) => (hosted as HostedBindings).handler(request),
      () => ({ status: 418 }),
    ),
  });
  const apart = mkdtempSync(join(tmpdir(), 'drillyard-graphql-'));
  const hostedWorlds = await openWorlds({
    ...{ directory: apart, layout: 'shared', durability: 'flushed', hosts: 1, isolation: 'process', log: () => {} },
  });
  try {
    hosted = createHostedBindings({
      ...{ publicUrl: `http://127.0.0.1:${listener.port}`, nowMs: () => 1000, observers: [] },
      onFailure: ({ error }) => {
        throw error;
      },
    });
    assert.equal(await driveLinear(hostedWorlds, hosted), await driveLinear(worlds, bindings));
  } finally {
    await hosted?.close();
    await listener.close();
    await hostedWorlds.close();
    rmSync(apart, { recursive: true, force: true });
  }
});

test('introspection is answered without a call; what is not valid, or beyond a bound, is refused and is no call', async () => {
  const { post, operations } = await open();
  const introspected = await post({ query: getIntrospectionQuery() });
  assert.equal(printSchema(buildClientSchema(introspected.data as never)), printSchema(buildSchema(schema)));
  const deep = (levels: number): string => (levels === 0 ? '{ id }' : `{ parent ${deep(levels - 1)} }`);
  const fragments = Array.from({ length: 30 }, (_, at) => `fragment f${at} on Issue { ...f${at + 1} ...f${at + 1} }`).join(' ');
  for (const [request, message] of [
    [{ query: '{ issue(id: "a") { nothing } }' }, /Cannot query field "nothing"/],
    [{ query: '{ issue(' }, /Syntax Error/],
    [{ query: 'query ($id: ID!) { issue(id: $id) { id } }' }, /Variable "\$id" of required type/],
    [{ query: `{ issue(id: "a") ${deep(6)} }` }, /8 fields deep; 6 is the most/],
    [{ query: '{ issues(first: 20) { children(first: 20) { id } } }' }, /costs 421; 200/],
    [{ query: 'query ($n: Int) { issues(first: $n) { id } }', variables: { n: 500 } }, /costs 501/],
    [{ query: 'query ($n: Int = 500) { issues(first: $n) { id } }' }, /costs 501/],
    [{ query: 'query ($n: Int = 500) { issue(id: "a") { ...K } } fragment K on Issue { children(first: $n) { id } }' }, /costs 502/],
    // The schema has 2 issues and 5 children by default.
    [{ query: '{ issues { a: children { children { children { id } } } } }' }, /costs 313; 200/],
    [
      {
        query: '{ issue(id: "a") { ... on Node { id } ...K } } fragment K on Issue { children { children { children { k: id l: id } } } }',
      },
      /costs 283/,
    ],
    [{ query: `{ ${Array.from({ length: 51 }, (_, at) => `i${at}: issue(id: "a") { id }`).join(' ')} }` }, /51 root fields; 50/],
    [{ query: `{ issue(id: "a") { ...f0 } } ${fragments} fragment f30 on Issue { id }` }, /costs 1073741825/],
    [{ query: `{ ${'a '.repeat(10_001)} }` }, /10000 tokens/],
    [{ query: 'query A { issue(id: "a") { id } } query B { issue(id: "a") { id } }' }, /name one/],
    [{ query: 'query A { issue(id: "a") { id } }', operationName: 'C' }, /no such operation/],
    [[{ query: '{ issue(id: "a") { id } }' }], /a text 'query'/],
  ] as const) {
    const { status, data, errors } = await post(request);
    assert.deepEqual([status, data], [400, undefined], JSON.stringify(request).slice(0, 100));
    assert.match(String(errors?.[0]?.message), message);
  }
  assert.deepEqual(await operations(), []);
});

test('each root field is a call of its own: grants, faults, failures and mistakes are its own too', async () => {
  const { post, operations, world } = await open();
  await world.command({ kind: 'setFault', packageId: 'notes', faultId: 'down', active: true });
  const down = await post({ query: '{ issues { id } }' });
  assert.deepEqual(down.data, null);
  assert.deepEqual(down.errors?.[0]?.extensions, { code: 'DOWN', retryable: true });
  const mixed = await post({ query: '{ one: issue(id: "a") { id } two: strict(id: "b") { title } wrong: broken }' });
  assert.equal(mixed.status, 200);
  assert.deepEqual(mixed.data, { one: { id: 'a' }, two: { title: 'Second' }, wrong: null });
  assert.equal(mixed.errors?.[0]?.extensions?.code, 'NOT_GRANTED');
  const series =
    'mutation { a: issueCreate(input: { id: "n", title: "N", teamId: "t" }) { issue { id } } b: issueFail(code: "GONE") { id } ';
  const run = await post({ query: `${series} c: issueDelete(id: "n") }` });
  assert.deepEqual(run.data, { a: { issue: { id: 'n' } }, b: null, c: true });
  assert.deepEqual(run.errors?.[0], { message: 'failed', path: ['b'], extensions: { code: 'GONE', retryable: false, more: 1 } });
  const stopped = await post({
    query: 'mutation { a: issueCreate(input: { title: "", teamId: "t" }) { success } b: issueDelete(id: "a") }',
  });
  assert.equal(stopped.data, null);
  assert.deepEqual(asked(await operations()), [
    ...[
      ['issues', 'tool_error'],
      ['issue', 'ok'],
      ['strict', 'ok'],
      ['out_of_order', 'denied'],
      ['issue_create', 'ok'],
      ['issue_fail', 'tool_error'],
      ['gone', 'ok'],
    ],
    ['issue_create', 'tool_error'],
  ]);
  const reader = await open('reader');
  const partly = await reader.post({ query: '{ issue(id: "a") { title } issues { id } }' });
  assert.equal(partly.data, null);
  assert.deepEqual(
    partly.errors?.map(({ path, extensions }) => [path, extensions?.code]),
    [[['issues'], 'NOT_GRANTED']],
  );
});

test('the operation answers by itself, with the fields that are plain or those that are asked for', async () => {
  const { world } = await open();
  const call = async (args: object) =>
    (await world.command({ kind: 'call', actorId: 'agent', packageId: 'notes', operationId: 'issue', arguments: args as never })).outcome;
  const plain = await call({ id: 'b', __selection: '{ title secret parent { id } }' });
  assert.deepEqual(plain.kind === 'ok' && plain.value, {
    data: { title: 'Second', secret: null, parent: { id: 'a' } },
    errors: [{ message: 'not yours: b', path: ['secret'], extensions: { code: 'FORBIDDEN' } }],
  });
  for (const __selection of ['{ none }', '{ id } } { x', '(id: 1) { id }', 'nothing']) {
    const refused = await call({ id: 'b', __selection });
    assert.equal(refused.kind === 'tool_error' && refused.error.code, 'INVALID_SELECTION', __selection);
  }
  assert.equal((await call({})).kind, 'invalid');
});

// GRAPHQL-KIT-1, GRAPHQL-KIT-2, CALL-GRAPHQL-1
test('whatever is asked, data and errors are those of the reference executor', async () => {
  const { post } = await open();
  const reference = buildSchema(schema);
  const own = runInThisContext(resolvers) as {
    [type: string]: { [field: string]: (parent: unknown, args: object, context: object) => unknown };
  };
  const table = new Map(rows.map((row) => [row.id, row]));
  const context = {
    state: { get: (_: string, id: string) => table.get(id), scan: () => [...table].map(([rowId, value]) => ({ rowId, value })) },
    fail: ({ message }: { message: string }) => {
      throw new Error(message);
    },
  };
  const leaf = fc.constantFrom(
    'id',
    'k: kind',
    'title',
    'secret',
    'must',
    '__typename',
    '... on Node { id }',
    'echo(value: {a: $json, b: [1, $json]}, ids: [$id, "z"], where: { kind: $kind, not: $where })',
    'title @include(if: $yes)',
    'kind @skip(if: $yes)',
    '...F',
  );
  const selection = fc.letrec<{ set: string }>((tie) => ({
    set: fc.oneof(
      { maxDepth: 2 },
      fc.array(leaf, { minLength: 1, maxLength: 3 }).map((leaves) => `{ ${leaves.join(' ')} }`),
      fc.tuple(leaf, tie('set')).map(([one, set]) => `{ ${one} parent ${set} }`),
      fc.tuple(leaf, tie('set')).map(([one, set]) => `{ kids: children(first: 2, kind: $kind) ${set} ${one} }`),
    ),
  })).set;
  const id = fc.constantFrom('"a"', '"b"', '"missing"', '$id');
  const root = fc.oneof(
    fc.tuple(fc.constantFrom('', 'x: ', 'y: '), id, selection).map(([alias, of, set]) => `${alias}issue(id: ${of}) ${set}`),
    fc.tuple(fc.constantFrom('s: ', 't: '), id, selection).map(([alias, of, set]) => `${alias}strict(id: ${of}) ${set}`),
    fc
      .tuple(fc.constantFrom('(first: $n)', '(kind: $kind)', '(where: $where)', '', '(where: { ids: [$id, "c"] })'), selection)
      .map(([args, set]) => `l: issues${args} ${set}`),
    fc.constantFrom('__typename', '... on Query { r: rateLimitStatus { kind } }', '...Q'),
  );
  const head =
    'fragment F on Issue { id parent { title } } fragment Q on Query { z: issue(id: $id) { ...F } } query ($id: ID!, $n: Int, $kind: Kind, $where: Where, $json: JSON, $yes: Boolean = true)';
  const variables = fc.record(
    {
      id: fc.constantFrom('a', 'c', 'none'),
      n: fc.constantFrom(0, 1, 3),
      kind: fc.constantFrom('BUG', 'TASK', null),
      where: fc.constantFrom(null, { kind: 'BUG' }, { ids: ['b'] }),
      yes: fc.boolean(),
      json: fc.constantFrom(null, 1.5, 'text', { deep: [true, { a: -1 }] }),
    },
    { requiredKeys: ['id'] },
  );
  let executed = 0;
  const sorted = ({ data, errors = [] }: ExecutionResult): unknown => ({
    data: data === undefined ? undefined : JSON.parse(JSON.stringify(data)),
    errors: errors.map(({ message, path }) => `${path?.join('.')}: ${message}`).sort(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(root, { minLength: 1, maxLength: 3 }), variables, async (roots, given) => {
      const query =
        `${head} { ${roots.join(' ')} used: issue(id: $id) @skip(if: true) { ...F ...G } } fragment G on Issue { children(first: $n) { id } echo(value: [$json], where: { kind: $kind, not: $where }) title @include(if: $yes) used: parent @skip(if: true) { ...H } } fragment H on Issue { id } fragment U on Query { ...Q }`.replace(
          ' fragment U on Query { ...Q }',
          roots.some((text) => text === '...Q') ? '' : ' ',
        );
      const request = roots.includes('...Q') ? query : query.replace('fragment Q on Query { z: issue(id: $id) { ...F } }', '');
      const expected = graphqlSync({
        ...{ schema: reference, source: request, variableValues: given, contextValue: context },
        fieldResolver: (parent, args, world, { parentType, fieldName }) =>
          own[parentType.name]?.[fieldName]?.(parent, args, world as object) ??
          (own[parentType.name]?.[fieldName] ? null : parent?.[fieldName]),
        typeResolver: () => 'Issue',
      });
      const { status, ...answered } = await post({ query: request, variables: given });
      if (status === 400) assert.equal(expected.data, undefined, JSON.stringify([request, answered, expected]));
      else executed += 1;
      assert.deepEqual(sorted(answered), status === 400 ? { ...(sorted(answered) as object) } : sorted(expected), request);
    }),
    { numRuns: 60 },
  );
  assert.ok(executed > 25, `${executed} requests were valid`);
});
