// What is kept of what agents say and attach: by policy and verdict, bounded, named, linked, inert.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { limits } from '../../src/contract/limits.js';
import type { CapturePolicies } from '../../src/contract/run/drill.js';
import type { CaptureResult, RunResult } from '../../src/contract/run/run.js';
import { runDrills, startLocalInspector, verifyReport } from '../../src/index.js';
import { drill, moduleAgent, temporaryRepositories, written } from './repository.js';

const repository = temporaryRepositories();
const all = (policy: string): CapturePolicies => ({ logs: policy, screenshots: policy, video: policy, files: policy }) as CapturePolicies;

const attaching = moduleAgent(
  'agent',
  `console.log('said');
   context.attach('shot.png', new Uint8Array([1, 2, 3])); context.attach('clip.webm', new Uint8Array([4]));
   context.attach('../page.html', '<script>alert(1)</script>'); context.attach('trace', { path: 'agents/agent.mjs' }, { mediaType: 'text/javascript' });
   try { context.attach('x', { path: '/etc/hostname' }); } catch {}`,
);

// CAPTURE-2
test('policies and verdict decide what is kept; what is not is counted; what could not be is reported', async () => {
  const drills = ['off', 'on_failure', 'always'].flatMap((policy) =>
    [0, 1].map((wanted) =>
      drill(`${policy.replace('_', '-')}-${wanted}`, 'agent', [written({ equals: wanted })], { capture: all(policy) }),
    ),
  );
  const { root } = repository(attaching, ...drills);
  const result = await runDrills({ root });
  const captures = new Map<string, CaptureResult>();
  for (const { drillId, trials } of result.drills) captures.set(drillId, trials[0]?.attempts[0]?.result.capture as CaptureResult);
  for (const [drillId, { attachments, discarded, errors, policies }] of captures) {
    const kept = drillId.startsWith('always') || drillId === 'on-failure-1';
    assert.deepEqual(
      attachments.map(({ kind, policy, attachment: { id, name, mediaType } }) => [kind, policy, id, name, mediaType]),
      !kept
        ? []
        : [
            ['screenshot', policies.files, 'screenshot-1', 'shot.png', 'image/png'],
            ['video', policies.files, 'video-2', 'clip.webm', 'video/webm'],
            ['file', policies.files, 'file-3', 'page.html', 'text/html'],
            ['file', policies.files, 'file-4', 'trace', 'text/javascript'],
            ['log', policies.files, 'log-5', 'main.log', 'text/plain; charset=utf-8'],
          ],
      drillId,
    );
    assert.deepEqual(
      discarded,
      kept ? { logs: 0, screenshots: 0, video: 0, files: 0 } : { logs: 1, screenshots: 1, video: 1, files: 2 },
      drillId,
    );
    assert.deepEqual(
      errors.map(({ code, kind, interactionId }) => [code, kind, interactionId]),
      [['target.ATTACHMENT_REFUSED', 'file', 'main']],
    );
  }
});

test('a report lists and links what is attached, covers it, and nothing serves it as a page', async () => {
  const { root } = repository(attaching, drill('d', 'agent', [written({ equals: 0 })], { capture: all('always') }));
  const attempt = (await runDrills({ root })).drills[0]?.trials[0]?.attempts[0];
  assert.ok(attempt !== undefined);
  const folder = join(root, attempt.report);
  const page = readFileSync(join(folder, 'index.html'), 'utf8');
  assert.ok(page.includes('<a href="attachments/file-3.bin" download="page.html">page.html</a>'), 'the link');
  assert.ok(page.includes('<a href="attachments/screenshot-1.png" download="shot.png">shot.png</a>'));
  assert.ok(page.includes('target.ATTACHMENT_REFUSED'));
  assert.ok(!page.includes('<script>alert(1)'));
  const named = attempt.result.interactions[0]?.targetResult.attachments.map(({ id }) => id);
  assert.deepEqual(named, ['screenshot-1', 'video-2', 'file-3', 'file-4']);
  assert.equal((await verifyReport(folder)).ok, true);
  const inspector = await startLocalInspector({ root, port: 0 });
  try {
    const reply = await fetch(`${inspector.baseUrl}/api/v1/runs/${attempt.runId}/report/attachments/file-3`, {
      headers: { authorization: `Bearer ${inspector.token}` },
    });
    assert.equal(await reply.text(), '<script>alert(1)</script>');
    const reported = ['content-type', 'content-disposition', 'x-content-type-options'].map((name) => reply.headers.get(name));
    assert.deepEqual(reported, ['application/octet-stream', 'attachment', 'nosniff']);
  } finally {
    await inspector.close();
  }
  const { writeFileSync } = await import('node:fs');
  writeFileSync(join(folder, 'attachments/file-3.bin'), 'other');
  assert.deepEqual(
    (await verifyReport(folder)).problems.map(({ file, code }) => [file, code]),
    [['attachments/file-3.bin', 'DIGEST_MISMATCH']],
  );
});

// CAPTURE-1, CAPTURE-2
test('what an attempt holds is bounded, and the first that does not fit is reported', async () => {
  const floods = moduleAgent(
    'agent',
    `for (let i = 0; i < 6; i++) context.attach('big-' + i, new Uint8Array(${limits.attachmentBytesMax})); console.log('a log');`,
  );
  const capture = { files: 'always', logs: 'always' };
  const { root } = repository(floods, drill('d', 'agent', [written({ equals: 0 })], { capture }));
  const result = (await runDrills({ root })).drills[0]?.trials[0]?.attempts[0]?.result as RunResult;
  assert.equal(result.capture.attachments.length, limits.runAttachmentBytesMax / limits.attachmentBytesMax);
  assert.deepEqual(result.capture.discarded, { logs: 1, screenshots: 0, video: 0, files: 2 });
  assert.deepEqual(
    result.capture.errors.map(({ code, interactionId }) => [code, interactionId]),
    [['framework.CAPTURE_FULL', 'main']],
  );
});
