import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { ServiceError } from '../../src/contract/errors.js';
import type { CreateToolSetupRequest, ToolTestDefinitionsInput } from '../../src/contract/hosted/resources.js';
import type { DrillInput } from '../../src/contract/run/drill.js';
import { loadBuild } from '../../src/control/builds/build-records.js';
import { purge } from '../../src/control/purge.js';
import { compiler, noHash, openSourceKit, type SourceKit } from './source-kit.js';

after(() => compiler.close());

async function requestOf(kit: SourceKit, changes: Partial<CreateToolSetupRequest> = {}): Promise<CreateToolSetupRequest> {
  const { items } = await kit.call('listToolLibrary');
  const tools = items.map(({ libraryEntryId, packageArchiveDigest }) => ({
    libraryEntryId,
    expectedPackageArchiveDigest: packageArchiveDigest,
    initialState: 'starter' as const,
  }));
  return { use: 'reusable', tools, ...changes };
}
const testDefinitions: ToolTestDefinitionsInput = {
  targets: [{ schemaVersion: 1, target: { id: 'agent', kind: 'external', bindings: ['http'], timeoutMs: 1000 } }],
  scenarios: [{ schemaVersion: 1, id: 'empty', actors: [{ id: 'clerk' }] }],
  drills: [
    {
      schemaVersion: 1,
      id: 'one',
      targetId: 'agent',
      actorId: 'ann',
      task: { instruction: 'Work.' },
      assertions: [
        { id: 'a', kind: 'operation.count', operation: { packageId: 'payments', operationId: 'charge.get' }, count: { atLeast: 0 } },
      ],
    },
    {
      schemaVersion: 1,
      id: 'two',
      targetId: 'agent',
      scenarioId: 'empty',
      actorId: 'clerk',
      task: { instruction: 'Rest.' },
      assertions: [
        { id: 'a', kind: 'operation.count', operation: { packageId: 'payments', operationId: 'charge.get' }, count: { equals: 0 } },
      ],
    },
  ],
} as ToolTestDefinitionsInput;

async function built(kit: SourceKit, request: CreateToolSetupRequest) {
  const { setup, sourceDraft, operation } = await kit.call('createToolSetup', { body: request });
  const ended = await kit.services.operations.whenEnded(operation.operationId);
  assert.equal(ended.state, 'succeeded', JSON.stringify(ended.error));
  const after = (await kit.call('getToolSetup', { path: { setupId: setup.setupId } })).setup;
  return { setup, sourceDraft, after, build: await loadBuild(kit.services, { projectId: kit.projectId, buildHash: after.buildHash! }) };
}

test('validation gives the canonical request, saves nothing, and gives the same for its own answer', async (t) => {
  const kit = await openSourceKit(t);
  const { request } = await kit.call('validateToolSetup', { body: await requestOf(kit, { testDefinitions }) });
  assert.deepEqual((await kit.call('validateToolSetup', { body: request as CreateToolSetupRequest })).request, request);
  assert.deepEqual(request.testDefinitions?.scenarios[0], {
    schemaVersion: 1,
    id: 'empty',
    actors: [{ id: 'clerk', attributes: {}, grants: [] }],
    state: [],
    faults: [],
    initialEvents: [],
  });
  assert.deepEqual(request.testDefinitions?.drills[0]?.timeline.interactions, [
    { id: 'main', afterStartUs: 0, actorId: 'ann', task: { instruction: 'Work.' } },
  ]);
  assert.deepEqual((await kit.call('listSourceDrafts')).items, []);
  const [tool] = request.tools;
  await assert.rejects(
    kit.call('validateToolSetup', { body: { use: 'reusable', tools: [tool!, tool!] } }),
    (error: ServiceError) => error.extra.issues?.[0]?.path === '/tools/1',
  );
  const viewer = await kit.callerWith('viewer');
  await assert.rejects(kit.call('validateToolSetup', { body: request as CreateToolSetupRequest }, { caller: viewer.caller }), {
    code: 'control.FORBIDDEN',
  });
});

// SETUP-SOURCE-2, BUILD-RUNNER-3
test('a setup without test definitions compiles to a world with the starter rows and one actor who may do everything', async (t) => {
  const kit = await openSourceKit(t);
  const { setup, sourceDraft, after, build } = await built(kit, await requestOf(kit, { name: 'All' }));
  assert.deepEqual(
    [setup.buildHash, setup.sourceDraftId, setup.sourceRevision, sourceDraft.name],
    [undefined, sourceDraft.sourceDraftId, 1, 'All'],
  );
  assert.deepEqual(after, { ...setup, buildHash: build.buildHash });
  assert.deepEqual(
    build.tools.map(({ packageId }) => packageId),
    ['github', 'mailbox', 'notion', 'payments', 'slack', 'stripe', 'ticket-desk'],
  );
  const library = await compiler.library();
  assert.equal(
    build.baseline.setup.state.length,
    library.reduce((sum, { starter }) => sum + starter!.state.length, 0),
  );
  const [agent] = build.baseline.setup.actors;
  assert.equal(
    agent?.grants.length,
    build.tools.reduce((sum, { manifest }) => sum + manifest.operations.length, 0),
  );
});

test('a test definition with cases keeps them in the canonical request, and is a drill a case in the build', async (t) => {
  const kit = await openSourceKit(t);
  const [one, two] = testDefinitions.drills;
  const cases = [
    { id: 'first', values: { word: 'Go' } },
    { id: 'second', skip: 'Not yet.', values: { word: 'Stop' } },
  ];
  const task = { instruction: `\${case.word}.` };
  const drills = [
    { ...one, task, cases },
    { ...two, skip: 'Later.' },
  ] as DrillInput[];
  const asked = await requestOf(kit, { testDefinitions: { ...testDefinitions, drills } });
  const { request } = await kit.call('validateToolSetup', { body: asked });
  assert.deepEqual(request.testDefinitions?.drills[0]?.cases, cases);
  const { build } = await built(kit, request as CreateToolSetupRequest);
  assert.deepEqual(
    build.drills.map(({ drill: { id, skip, timeline } }) => [id, skip, timeline.interactions[0]?.task.instruction]),
    [
      ['one-first', undefined, 'Go.'],
      ['one-second', 'Not yet.', 'Stop.'],
      ['two', 'Later.', 'Rest.'],
    ],
  );
});

// SETUP-SOURCE-1, SETUP-SOURCE-2
test('instances, empty tools and test definitions are in the source', async (t) => {
  const kit = await openSourceKit(t);
  const { tools } = await requestOf(kit);
  const payments = tools.find(({ libraryEntryId }) => libraryEntryId === 'payments')!;
  const second = { ...payments, instanceId: 'second-bank' };
  const { build, sourceDraft } = await built(
    kit,
    await requestOf(kit, { tools: [{ ...payments, initialState: 'empty' }, second], testDefinitions }),
  );
  assert.deepEqual([...new Set(build.baseline.setup.state.map(({ instanceId }) => instanceId))], ['second-bank']);
  assert.deepEqual(
    build.baseline.setup.actors.map(({ id }) => id),
    ['ann'],
  );
  assert.deepEqual(
    build.drills.map(({ drill }) => drill.id),
    ['one', 'two'],
  );
  assert.deepEqual(
    build.scenarios[0]!.setup.actors.map(({ id, grants }) => [id, grants.length > 0]),
    [
      ['ann', true],
      ['clerk', false],
    ],
  );
  const baseline = await kit.call('getSourceBaseline', { path: { sourceDraftId: sourceDraft.sourceDraftId } });
  assert.deepEqual([...new Set(baseline.collections.map(({ instanceId }) => instanceId))], ['payments', 'second-bank']);
  const again = await built(kit, await requestOf(kit, { tools: [{ ...payments, initialState: 'empty' }, second], testDefinitions }));
  assert.equal(again.sourceDraft.sourceDigest, sourceDraft.sourceDigest);
});

// SETUP-SOURCE-3
test('actors that drills name are bounded, and with their grants, before a file is made of them', async (t) => {
  const kit = await openSourceKit(t);
  const [drill] = testDefinitions.drills;
  const { actorId: _, task, ...rest } = drill as DrillInput & { actorId: string; task: { instruction: string } };
  const named = (count: number) => Array.from({ length: count }, (_, index) => `a${index}`);
  const workloads = (...lists: string[][]) =>
    lists.map((actorIds, index) => ({ id: `w${index}`, actorIds, task, startAfterUs: 0, everyUs: 1, occurrences: 1 }));
  const { tools } = await requestOf(kit);
  const create = async (lists: string[][], chosen = tools) => {
    const drills = [{ ...rest, timeline: { interactions: [], workloads: workloads(...lists) } }] as DrillInput[];
    const body = await requestOf(kit, { tools: chosen, testDefinitions: { ...testDefinitions, drills } });
    return kit.call('createToolSetup', { body });
  };
  const refused = (pattern: RegExp) => (error: ServiceError) => {
    const [issue] = error.extra.issues!;
    assert.deepEqual([error.code, issue?.path, issue?.code], ['control.INVALID_REQUEST', '/testDefinitions/drills', 'too_many']);
    assert.match(issue!.message, pattern);
    return true;
  };
  // All tools together have more than fifty operations; one has few.
  await assert.rejects(create([named(1_000)]), refused(/^1000 actors may do \d+ operations each; expected at most 50000 grants/));
  const [payments] = tools.filter(({ libraryEntryId }) => libraryEntryId === 'payments');
  await assert.rejects(create([named(1_000), ['one-more']], [payments!]), refused(/^expected at most 1000 actors/));
  // A file of ten million grants would have been made.
  await assert.rejects(
    create(Array.from({ length: 100 }, (_, index) => named(1_000).map((name) => `${name}-${index}`))),
    refused(/1000 actors/),
  );
  assert.deepEqual((await kit.call('listSourceDrafts')).items, []);
  await create([named(20), named(20)], [payments!]);
});

test('another package than expected, an unknown one and another parent build are refused, and nothing is made', async (t) => {
  const kit = await openSourceKit(t);
  const request = await requestOf(kit);
  const create = (changes: Partial<CreateToolSetupRequest>) => kit.call('createToolSetup', { body: { ...request, ...changes } });
  const conflict = (details: object) => (error: ServiceError) => {
    assert.equal(error.code, 'control.STATE_CONFLICT', error.stack);
    assert.deepEqual(error.extra.details, details);
    return true;
  };
  const [tool] = request.tools;
  const { libraryEntryId, expectedPackageArchiveDigest: packageArchiveDigest } = tool!;
  await assert.rejects(
    create({ tools: [{ ...tool!, expectedPackageArchiveDigest: noHash }] }),
    conflict({ libraryEntryId, packageArchiveDigest }),
  );
  await assert.rejects(create({ tools: [{ ...tool!, libraryEntryId: 'none' }] }), { code: 'control.NOT_FOUND' });
  await assert.rejects(create({ expectedPreviousBuildHash: noHash }), conflict({ previousBuildHash: null }));
  await assert.rejects(create({ previousSetupId: 'setup_000000000000' }), { code: 'control.NOT_FOUND' });
  assert.deepEqual((await kit.call('listSourceDrafts')).items, []);
  const { after } = await built(kit, request);
  const previousSetupId = after.setupId;
  await assert.rejects(create({ previousSetupId, expectedPreviousBuildHash: noHash }), conflict({ previousBuildHash: after.buildHash }));
  const { setup } = await create({ previousSetupId, expectedPreviousBuildHash: after.buildHash! });
  assert.equal(setup.previousSetupId, previousSetupId);
  const { caller } = await kit.foreigner();
  await assert.rejects(kit.call('getToolSetup', { path: { setupId: previousSetupId } }, { caller }), { code: 'control.NOT_FOUND' });
});

test('a setup that is deleted is gone; its draft and build stay, and nothing but the draft keeps the draft', async (t) => {
  const kit = await openSourceKit(t);
  const { setup, sourceDraft, after } = await built(kit, await requestOf(kit));
  const path = { setupId: setup.setupId };
  await assert.rejects(kit.call('deleteToolSetup', { path, body: { confirm: 'no' } }), { code: 'control.CONFIRMATION_MISMATCH' });
  const { caller } = await kit.foreigner();
  await assert.rejects(kit.call('deleteToolSetup', { path, body: { confirm: setup.setupId } }, { caller }), { code: 'control.NOT_FOUND' });
  assert.deepEqual((await kit.call('deleteToolSetup', { path, body: { confirm: setup.setupId } })).setup, after);
  await assert.rejects(kit.call('getToolSetup', { path }), { code: 'control.NOT_FOUND' });
  assert.equal((await kit.call('getBuild', { path: { buildHash: after.buildHash as string } })).build.buildHash, after.buildHash);
  const { sourceDraftId, version: expectedVersion } = sourceDraft;
  await kit.call('deleteSourceDraft', { path: { sourceDraftId }, body: { expectedVersion, confirm: sourceDraftId } });
  kit.clock.nowMs += 1_000 * 86_400_000;
  assert.deepEqual(await purge(kit.services), { 'build-attempt': 1, 'source-draft': 1, build: 1, 'build-content': 1 });
});

test('a retry with the key gives the same setup, draft and operation', async (t) => {
  const kit = await openSourceKit(t);
  const body = await requestOf(kit);
  const first = await kit.dispatch('createToolSetup', { body }, { key: 'the-same-key' });
  const second = await kit.dispatch('createToolSetup', { body }, { key: 'the-same-key' });
  assert.deepEqual([first.replayed, second.replayed], [false, true]);
  assert.deepEqual(second.reply, first.reply);
  assert.equal((await kit.call('listSourceDrafts')).items.length, 1);
});
