// Operations as who watches the service sees them: how many wait and run, how they ended, and whose span theirs are below.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { LongRunningOperation } from '../../src/contract/hosted/operation.js';
import { Catalog } from '../../src/control/catalog/catalog.js';
import { OperationEngine } from '../../src/control/core/operation-engine.js';
import { type Ending, OperationSuspended } from '../../src/control/core/operations.js';
import { silentMeter } from '../../src/control/memory/control-meter.js';
import type { SpanStart, Tracing } from '../../src/tracing/tracing.js';
import { until } from '../until.js';

const directory = mkdtempSync(join(tmpdir(), 'drillyard-operations-'));
after(() => rmSync(directory, { recursive: true, force: true }));

/** Spans that began, with what was set on each; `asked`: the span of the present caller. */
function fakeTracing(): {
  tracing: Tracing;
  spans: (SpanStart & { set: object[]; failed: string[] })[];
  asked: { traceparent: string | undefined };
} {
  const spans: (SpanStart & { set: object[]; failed: string[] })[] = [];
  const asked: { traceparent: string | undefined } = { traceparent: undefined };
  const tracing: Tracing = {
    span: (start, work) => {
      const span = { ...start, set: [] as object[], failed: [] as string[] };
      spans.push(span);
      return work({ set: (attributes) => void span.set.push(attributes), rename: () => {}, fail: (type) => void span.failed.push(type) });
    },
    traceparent: () => asked.traceparent,
    logFields: () => ({}),
    detached: (work) => work(),
  };
  return { tracing, spans, asked };
}

interface Incarnation {
  catalog: Catalog;
  operations: OperationEngine;
  ended: LongRunningOperation[];
  create(lane: string): Promise<LongRunningOperation>;
  leave(): Promise<void>;
}
function openIncarnation(tracing: Tracing, run: (lane: string, leaving: AbortSignal) => Promise<Ending>): Incarnation {
  const catalog = new Catalog({ directory });
  const ended: LongRunningOperation[] = [];
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const meter = { ...silentMeter, operationEnded: (operation: LongRunningOperation) => void ended.push(operation) };
  const operations = new OperationEngine({ catalog, nowMs: Date.now, log, meter, tracing, retryMs: 1 });
  operations.define('world.time.advance', { run: ({ lane }, { leaving }) => run(lane, leaving) });
  operations.resume();
  return {
    ...{ catalog, operations, ended },
    create: (lane) =>
      catalog.change((tx) =>
        operations.create(tx, {
          ...{ kind: 'world.time.advance', organizationId: 'org_1', projectId: 'prj_1', lane, resource: { type: 'session', id: 'ses_1' } },
          ...{ input: {}, idempotencyKey: 'key-0001', requestHash: 'sha256:0', correlationId: 'corr_1' },
        }),
      ),
    leave: async () => {
      await operations.drain(1000);
      await catalog.close();
    },
  };
}
const done: Ending = { state: 'succeeded', apply: () => 'done' };

test('what waits and what runs is counted, and one that is cancelled while it waits is counted no more', async () => {
  let finish = (): void => {};
  const { tracing } = fakeTracing();
  const incarnation = openIncarnation(tracing, () => new Promise((resolve) => (finish = () => resolve(done))));
  const counts = () => incarnation.operations.figures().map(({ pending, running }) => [pending, running]);
  assert.deepEqual(counts(), [[0, 0]]);
  const first = await incarnation.create('one');
  const second = await incarnation.create('one');
  await incarnation.create('one');
  await until(() => counts()[0]![1] !== 0);
  assert.deepEqual(counts(), [[2, 1]]);
  await incarnation.catalog.change((tx) => incarnation.operations.cancel(tx, second.operationId));
  assert.deepEqual(counts(), [[1, 1]]);
  finish();
  await incarnation.operations.whenEnded(first.operationId);
  await until(() => counts()[0]![1] !== 0);
  finish();
  await until(() => incarnation.ended.length >= 3);
  await until(() => counts()[0]?.[1] === 0);
  assert.deepEqual(counts(), [[0, 0]]);
  assert.deepEqual(
    incarnation.ended.map(({ state }) => state),
    ['cancelled', 'succeeded', 'succeeded'],
  );
  await incarnation.leave();
});

test('the span of an operation is below that of the request that asked for it, in the next incarnation too', async () => {
  const { tracing, spans, asked } = fakeTracing();
  const first = openIncarnation(tracing, (_, leaving) => {
    return new Promise((_resolve, reject) => leaving.addEventListener('abort', () => reject(new OperationSuspended())));
  });
  asked.traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  const parent = { traceparent: asked.traceparent };
  const { operationId } = await first.create('left');
  await until(() => spans.length > 0);
  await first.leave();
  asked.traceparent = undefined;
  const second = openIncarnation(tracing, async (lane) => {
    if (lane === 'broken') throw new Error('a bug');
    return done;
  });
  await second.operations.whenEnded(operationId);
  await second.operations.whenEnded((await second.create('broken')).operationId);
  await second.leave();
  assert.deepEqual(
    spans.map(({ name, parent: above, failed }) => [name, above, failed]),
    [
      ['operation world.time.advance', parent, []],
      ['operation world.time.advance', parent, []],
      ['operation world.time.advance', { traceparent: undefined }, ['control.INTERNAL']],
    ],
  );
  assert.deepEqual(spans[0]!.set, [], 'it was left, and has not ended');
  assert.deepEqual(spans[1]!.set, [{ 'drillyard.operation.state': 'succeeded' }]);
});
