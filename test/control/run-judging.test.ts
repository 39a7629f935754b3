// Hosted runs are judged away from the event loop, which still answers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JudgeTask, JudgeWorkers } from '../../src/control/tasks/judge-port.js';
import type { ExpressionFinding } from '../../src/drills/judge/evaluate-expression.js';
import { createRouter } from '../../src/http/router.js';
import { serviceRoutes } from '../../src/http/service-routes.js';
import { startHttpServer } from '../../src/http/start-server.js';
import { threadWorkers } from '../../src/workers/task-thread.js';
import type { StartTaskWorker } from '../../src/workers/task-worker.js';
import { longJudgedDrill, openRunKit, refundAgent } from './run-kit.js';

const answersWanted = 300;

test('while a run of many expensive expressions is judged, health is reported all the time', async (t) => {
  let answers = 0;
  let release = () => {};
  const enough = new Promise<void>((resolve) => {
    release = resolve;
  });
  // Threads as ever; the first result is held back until health was reported so often, which it never is by a loop that judges.
  const threads = threadWorkers<JudgeTask, ExpressionFinding>({
    entry: new URL('../../src/control/tasks/task-entry.js', import.meta.url),
    limits: { heapMb: 256, youngHeapMb: 32, stackMb: 4 },
  });
  const held: StartTaskWorker<JudgeTask, ExpressionFinding> = (events) =>
    threads({ ...events, onAnswer: (answer) => void enough.then(() => events.onAnswer(answer)) });
  const kit = await openRunKit({ services: { judge: new JudgeWorkers({ start: held }) } });
  t.after(() => kit.close());
  const handler = createRouter({
    routes: serviceRoutes({ troubles: async () => [], metrics: { text: async () => '', contentType: 'text/plain' } }),
    authenticate: () => assert.fail('nobody asks for anything'),
    nameOf: String,
    draining: () => false,
    observers: [],
    onFailure: (failure) => assert.fail(String(failure)),
    requireHost: () => {},
  });
  const server = await startHttpServer({ host: '127.0.0.1', port: 0, handler });
  t.after(() => server.close());

  const { hostedRunId } = (await kit.start(await kit.drillSession(longJudgedDrill))).run;
  let judged = false;
  const sealing = kit.play(hostedRunId, refundAgent).finally(() => {
    judged = true;
  });
  while (answers < answersWanted && !judged) {
    const { status } = await fetch(`http://127.0.0.1:${server.port}/healthz`);
    assert.equal(status, 200);
    answers += 1;
  }
  assert.equal(judged, false);
  release();
  const run = await sealing;
  assert.equal(run.state, 'sealed', JSON.stringify(run.failure));
  assert.deepEqual(new Set(run.result!.assertionResults.map(({ status }) => status)), new Set(['passed']));
  assert.ok(run.result!.assertionResults.length === 8);
});
