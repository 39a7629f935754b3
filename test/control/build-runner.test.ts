import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { BuildAttempt } from '../../src/contract/hosted/source.js';
import { buildAttemptTable, loadBuild } from '../../src/control/builds/build-records.js';
import type { CompilePort } from '../../src/control/core/services.js';
import { CompileWorkers } from '../../src/control/tasks/compile-port.js';
import { sound } from '../compiler/repository.js';
import { openControlKit } from './control-kit.js';
import { compiler, openSourceKit, soundFiles } from './source-kit.js';

after(() => compiler.close());

const broken = soundFiles.map((file) =>
  file.path === 'drillyard/world.yaml'
    ? { ...file, content: sound[file.path as 'drillyard/world.yaml'].replace('notes.add', 'notes.ad') }
    : file,
);

// BUILD-RUNNER-3
test('a sound revision becomes a build that can be listed, read and looked into', async (t) => {
  const kit = await openSourceKit(t);
  const { draft, build } = await kit.builtFrom();
  const { sourceDraftId, sourceDigest } = draft;
  assert.deepEqual(build.source, { sourceDraftId, revision: 1, sourceDigest });
  assert.deepEqual([build.worldId, build.drillIds, build.targetIds, build.suiteIds], ['shop', ['add'], ['agent'], ['all']]);
  const { world } = await kit.call('getBuildWorld', { path: { buildHash: build.buildHash } });
  assert.deepEqual([world.buildHash, world.world?.provenance.file], [build.buildHash, 'drillyard/world.yaml']);
  const compiled = await loadBuild(kit.services, build);
  assert.equal(compiled.buildHash, build.buildHash);
  assert.equal(await loadBuild(kit.services, build), compiled);
  // Again: the same content is the same build, and the first stays.
  kit.clock.nowMs += 1000;
  const { attempt } = await kit.buildOf(await kit.draftOf());
  assert.deepEqual([attempt.state, attempt.buildHash], ['succeeded', build.buildHash]);
  assert.deepEqual((await kit.call('listBuilds')).items, [build]);
  assert.deepEqual(existsSync(join(kit.directory, 'work')) ? readdirSync(join(kit.directory, 'work')) : [], []);
});

test('source that does not compile fails the operation with its diagnostics, and the attempt has them', async (t) => {
  const kit = await openSourceKit(t);
  const { operation } = await kit.buildOf(await kit.draftOf(broken));
  assert.deepEqual([operation.state, operation.error?.code], ['failed', 'control.SOURCE_INVALID']);
  const issue = operation.error?.issues?.[0];
  assert.deepEqual([issue?.code, issue?.path], ['DY3006', 'drillyard/world.yaml#/actors/0/grants/0/operationId']);
  const attempt = kit.services.catalog.view.get(buildAttemptTable, operation.resourceId)?.attempt;
  assert.deepEqual([attempt?.state, attempt?.diagnostics[0]?.code, attempt?.finishedAtMs], ['failed', 'DY3006', kit.clock.nowMs]);
  assert.deepEqual((await kit.call('listBuilds')).items, []);
});

test('a build is for the digest it expects, and builds of others do not exist', async (t) => {
  const kit = await openSourceKit(t);
  const { draft, build } = await kit.builtFrom();
  const path = { sourceDraftId: draft.sourceDraftId, revision: 1 };
  await assert.rejects(kit.call('createBuild', { path, body: { sourceDigest: build.buildHash as never } }), {
    code: 'control.STATE_CONFLICT',
  });
  await assert.rejects(kit.call('createBuild', { path: { ...path, revision: 2 }, body: {} }), { code: 'control.NOT_FOUND' });
  const { caller } = await kit.foreigner();
  for (const id of ['getBuild', 'getBuildWorld'] as const)
    await assert.rejects(kit.call(id, { path: { buildHash: build.buildHash } }, { caller }), { code: 'control.NOT_FOUND' });
  const { project } = await openProject(kit);
  await assert.rejects(kit.call('getBuild', { path: { buildHash: build.buildHash, projectId: project } }), { code: 'control.NOT_FOUND' });
});

async function openProject(kit: Awaited<ReturnType<typeof openSourceKit>>): Promise<{ project: string }> {
  const { projectTable } = await import('../../src/control/catalog/organization-records.js');
  const own = kit.services.catalog.view.get(projectTable, kit.projectId)!;
  const project = 'prj_000000000001';
  await kit.services.catalog.change((tx) => tx.put(projectTable, { ...own, projectId: project }));
  return { project };
}

/** A compiler that waits before it compiles. */
function patient(real: CompilePort): { compiler: CompilePort; asked: Promise<void>; go(): void } {
  let [go, ask] = [() => {}, () => {}];
  const asked = new Promise<void>((resolve) => {
    ask = resolve;
  });
  const gone = new Promise<void>((resolve) => {
    go = resolve;
  });
  const compile: CompilePort['compile'] = async (request) => {
    if (typeof request.root === 'function') await request.root();
    ask();
    await Promise.race([gone, new Promise((resolve) => request.signal?.addEventListener('abort', resolve))]);
    return real.compile(request);
  };
  return {
    compiler: Object.assign(Object.create(real) as CompilePort, {
      compile,
      verify: real.verify.bind(real),
      library: real.library.bind(real),
    }),
    asked,
    go,
  };
}

test('a build that runs, or has not begun, can be cancelled', async (t) => {
  const waiting = patient(compiler);
  const kit = await openSourceKit(t, { services: { compiler: waiting.compiler } });
  const { sourceDraftId } = await kit.draftOf();
  const path = { sourceDraftId, revision: 1 };
  const first = await kit.call('createBuild', { path, body: {} });
  const second = await kit.call('createBuild', { path, body: {} });
  await waiting.asked;
  const { catalog, operations } = kit.services;
  const attemptOf = (id: string): BuildAttempt | undefined => catalog.view.get(buildAttemptTable, id)?.attempt;
  assert.deepEqual([attemptOf(first.attempt.attemptId)?.state, attemptOf(second.attempt.attemptId)?.state], ['compiling', 'queued']);
  // The operation shows how far its attempt has come.
  assert.deepEqual(operations.find(first.operation.operationId)?.result, { attempt: attemptOf(first.attempt.attemptId) });
  for (const { operation } of [second, first]) await catalog.change((tx) => operations.cancel(tx, operation.operationId));
  for (const { operation, attempt } of [first, second]) {
    assert.equal((await operations.whenEnded(operation.operationId)).state, 'cancelled');
    assert.equal(attemptOf(attempt.attemptId)?.state, 'cancelled');
  }
});

// BUILD-RUNNER-2
test('a build that reads back as another one is not published', async (t) => {
  const withoutOutput = Object.assign(Object.create(compiler) as CompilePort, {
    compile: compiler.compile.bind(compiler),
    verify: async () => false,
  });
  const kit = await openSourceKit(t, { services: { compiler: withoutOutput } });
  const { operation } = await kit.buildOf(await kit.draftOf());
  assert.deepEqual([operation.state, operation.error?.code], ['failed', 'control.INTERNAL']);
  assert.deepEqual((await kit.call('listBuilds')).items, []);
});

// BUILD-RUNNER-1
test('a build continues in the next incarnation, and what was extracted in the last one is gone', async (t) => {
  const waiting = patient(compiler);
  const kit = await openSourceKit(t, { services: { compiler: waiting.compiler } });
  const { sourceDraftId } = await kit.draftOf();
  const { operation, attempt } = await kit.call('createBuild', { path: { sourceDraftId, revision: 1 }, body: {} });
  await waiting.asked;
  assert.equal(readdirSync(join(kit.directory, 'work')).length, 1);
  // What a crash leaves: the incarnation that follows finds the folder, and an attempt that was compiling.
  const { defineBuildRunners } = await import('../../src/control/builds/build-runner.js');
  await kit.end('crash');
  const own = new CompileWorkers({ workers: 1 });
  t.after(() => own.close());
  const next = await openControlKit({ directory: kit.directory, runners: defineBuildRunners, services: { compiler: own } });
  const ended = await next.services.operations.whenEnded(operation.operationId);
  assert.equal(ended.state, 'succeeded', JSON.stringify(ended.error));
  assert.equal(next.services.catalog.view.get(buildAttemptTable, attempt.attemptId)?.attempt.state, 'succeeded');
  assert.deepEqual(readdirSync(join(kit.directory, 'work')), []);
  await next.end();
});
