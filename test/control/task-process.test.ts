// Compile workers that are processes, plain and in boxes: they give what threads give, and code that takes one over finds nothing there.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { exampleFolder } from '../../src/compiler/shipped.js';
import { type CompileResult, CompileWorkers, compileLimits } from '../../src/control/tasks/compile-port.js';
import type { CompileTask } from '../../src/control/tasks/compile-tasks.js';
import { processWorkers } from '../../src/control/tasks/task-process.js';
import { taskFromWire, taskToWire } from '../../src/control/tasks/task-wire.js';
import { canBox, runtimeFolders } from '../../src/processes/bubblewrap.js';
import { TaskLost } from '../../src/workers/task-pool.js';
import { folder, sound } from '../compiler/repository.js';

const { works, reason } = canBox();
const skip = works ? false : reason;
const explorer = new URL('./task-explorer.js', import.meta.url);

/** A data folder, and workers beside it. */
function open(t: TestContext, { box, entry, heapMb, workers = 1 }: { box: boolean; entry?: URL; heapMb?: number; workers?: number }) {
  const data = mkdtempSync(join(tmpdir(), 'drillyard-task-'));
  t.after(() => rmSync(data, { recursive: true, force: true }));
  const [slots, work] = [join(data, 'slots'), join(data, 'work')];
  mkdirSync(work);
  writeFileSync(join(data, 'server.key'), 'secret');
  const limits = { ...compileLimits, ...(heapMb === undefined ? {} : { heapMb }) };
  const boxes = box ? { slots, work } : undefined;
  const start = processWorkers<CompileTask, CompileResult>({ limits, boxes, ...(entry === undefined ? {} : { entry }) });
  // What ends a task here is what the test is about, however busy the machine is.
  const compiler = new CompileWorkers({ workers, start, apart: box, timeoutMs: 60_000 });
  t.after(() => compiler.close());
  return { data, slots, work, compiler };
}

test('a worker process gives the build that a thread gives, in a box and without', { timeout: 120_000 }, async (t) => {
  const threads = new CompileWorkers({ workers: 1 });
  t.after(() => threads.close());
  const wanted = await threads.compile({ root: exampleFolder() });
  const rows = [
    [{ namespace: 'notes', schema: { type: 'object', required: ['text'] } }],
    [{ namespace: 'notes', records: [{ rowId: 'a', value: {} }] }],
  ] as never[];
  for (const box of works ? [false, true] : [false]) {
    const { compiler } = open(t, { box });
    const found = await compiler.compile({ root: exampleFolder() });
    assert.deepEqual(found.compiled?.summary, wanted.compiled?.summary);
    assert.deepEqual(found.diagnostics, wanted.diagnostics);
    assert.ok(
      Buffer.from(found.compiled!.build).equals(wanted.compiled!.build) && Buffer.from(found.compiled!.view).equals(wanted.compiled!.view),
    );
    const { summary, build } = found.compiled!;
    assert.equal(await compiler.verify(summary, build, 'prj_1'), true);
    assert.equal(await compiler.verify({ ...summary, buildHash: `sha256:${'0'.repeat(64)}` }, build, 'prj_1'), false);
    assert.deepEqual(await compiler.library(), await threads.library());
    const issues = await compiler.checkRows(...(rows as [never, never]));
    assert.equal(issues.length, 1);
    assert.deepEqual(issues, await threads.checkRows(...(rows as [never, never])));
  }
});

// TASK-PROCESS-1
test('code in the box of a compile worker sees one source, and nothing else of the machine', { skip, timeout: 60_000 }, async (t) => {
  const { data, slots, work, compiler } = open(t, { box: true, entry: explorer });
  process.env.DRILLYARD_TEST_SECRET = 'sesame';
  t.after(() => delete process.env.DRILLYARD_TEST_SECRET);
  const root = join(work, 'a');
  for (const name of ['a', 'b']) {
    mkdirSync(join(work, name));
    writeFileSync(join(work, name, `${name}.yaml`), '');
  }
  const { diagnostics } = await compiler.compile({ root, config: data, projectId: 'prj_1' });
  const seen = JSON.parse(diagnostics[0]!.message);
  const codeRoots = runtimeFolders().map(({ inside }) => inside.split('/')[1] as string);
  const roots = ['bin', 'dev', 'lib', 'lib64', 'proc', 'sbin', 'source', 'tmp', 'usr', ...codeRoots];
  assert.deepEqual(seen, {
    environment: [],
    root: seen.root.filter((name: string) => roots.includes(name)),
    sources: ['root'],
    source: ['a.yaml'],
    sourceWritten: 'EROFS',
    data: 'ENOENT',
    key: 'ENOENT',
    passwords: 'ENOENT',
    temporary: 'ok',
    interfaces: ['lo'],
    isConnected: false,
    memory: 'RangeError',
  });
  // The source is where it was, for the caller that extracted it.
  assert.deepEqual([readdirSync(root), readdirSync(slots).length], [['a.yaml'], 1]);
  await compiler.close();
  assert.deepEqual(readdirSync(slots), []);
});

test('source that is copied into a box comes without the reports and packages that lie beside it', { skip, timeout: 60_000 }, async (t) => {
  const { compiler } = open(t, { box: true, entry: explorer });
  const root = folder(t, {
    'drillyard.json': '{}',
    '.service/reports/run_1/report.txt': 'of a run',
    'node_modules/shop/package.json': '{}',
    'tools/shop/behavior.ts': '',
  });
  const { diagnostics } = await compiler.compile({ root, projectId: 'prj_1' });
  assert.deepEqual(JSON.parse(diagnostics[0]!.message).source, ['drillyard.json', 'tools']);
});

// TASK-PROCESS-1
test('a worker that answers what is no answer ends with its task; its source goes, and the next task has another worker', {
  timeout: 120_000,
}, async (t) => {
  const { slots, work, compiler } = open(t, { box: works, entry: explorer });
  const shapes = ['nothing', 'another kind', 'two answers', 'no diagnostic', 'no summary', 'begun again'];
  for (const lie of [...shapes, 'no refusal', 'no text for a code', 'no list of issues']) {
    const root = join(work, 'a');
    mkdirSync(root, { recursive: true });
    const reported = (error: unknown) =>
      error instanceof TaskLost && error.why === 'other' && /no answer to its task/.test(String(error.cause));
    await assert.rejects(compiler.compile({ root, config: lie, projectId: 'prj_1' }), reported, lie);
    assert.equal(existsSync(root), !works, lie);
  }
  await compiler.close();
  if (works) assert.deepEqual(readdirSync(slots), []);
});

test('what takes too much memory ends its process alone; the next one compiles', { timeout: 120_000 }, async (t) => {
  const large = `schemaVersion: 1\nid: shop\nstate:\n${'  - { action: upsert, packageId: notes, namespace: notes, rowId: n1, value: { text: first } }\n'.repeat(30_000)}`;
  for (const box of works ? [false, true] : [false]) {
    const { compiler } = open(t, { box, heapMb: 48 });
    const root = folder(t, { ...sound, 'drillyard/world.yaml': large });
    await assert.rejects(compiler.compile({ root, projectId: 'prj_1' }), (error: { code?: string; message: string }) => {
      assert.equal(error.code, 'control.SOURCE_INVALID', String(error));
      return /too much memory/.test(error.message);
    });
    assert.ok((await compiler.compile({ root: folder(t, sound), projectId: 'prj_1' })).compiled);
  }
});

test('chosen rows reach a worker process as the bytes that they are', () => {
  const contents = { 'sha256:a': Buffer.from('{"collections":[]}'), 'sha256:b': Buffer.from([0, 255]) };
  const selections = [{ packageId: 'notes', instanceId: 'notes', digest: 'sha256:a' }];
  const task: CompileTask = { kind: 'compile', root: '/source', choices: { target: { kind: 'baseline' }, selections, contents } };
  assert.deepEqual(taskFromWire(JSON.parse(JSON.stringify(taskToWire(task)))), task);
  assert.deepEqual(taskToWire({ kind: 'compile', root: '/source' }), { kind: 'compile', root: '/source' });
});
