// What is kept of hosted runs: attachments, evidence bundles by their manifests, retention; and runs laid side by side, or run again.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { compileProject } from '../../src/compiler/compile.js';
import { exampleFolder } from '../../src/compiler/shipped.js';
import { sha256Digest } from '../../src/contract/digest.js';
import type { HostedRun } from '../../src/contract/run/run.js';
import { checkReport } from '../../src/drills/stored/check-report.js';
import { verifyReport } from '../../src/reports/verify-report.js';
import { hasEnded, keepingDrill, moduleJudgedDrill, openRunKit, type RunKit, refundAgent, sweep } from './run-kit.js';
import { refuses } from './session-kit.js';

let kit: RunKit;

async function sealedRun(seed?: string): Promise<HostedRun> {
  const { run } = await kit.start(await kit.drillSession('refund-happy-path', seed));
  return await kit.play(run.hostedRunId, refundAgent);
}
async function attach(run: HostedRun, text: string, kind: 'log' | 'file' = 'file') {
  const bytes = Buffer.from(text);
  const path = { hostedRunId: run.hostedRunId };
  const body = { kind, name: 'notes.txt', mediaType: 'text/plain', bytes: bytes.length, hash: sha256Digest(bytes) };
  const { attachment } = await kit.call('beginAttachment', { path, body });
  return { path: { ...path, attachmentId: attachment.attachmentId }, bytes };
}

test('a hosted run judged again from its bundle comes to the sealed results', async (t) => {
  kit = await openRunKit();
  t.after(() => kit.close());
  const run = await sealedRun();
  const { build } = await compileProject({ root: exampleFolder() });
  const checked = await checkReport(kit.folderOf(run), build!);
  assert.ok(checked.kind === 'checked');
  const { verdict, checkpoints, assertionResults } = run.result!;
  assert.deepEqual(checked.judgement, { verdict, checkpoints, assertionResults });
  assert.equal(verdict, 'passed');
});

test('a drill that is judged by a module is refused before its agent is awaited', async (t) => {
  kit = await openRunKit();
  t.after(() => kit.close());
  const { run } = await kit.start(await kit.drillSession(moduleJudgedDrill));
  const ended = await kit.when(run.hostedRunId, hasEnded);
  assert.deepEqual([ended.state, ended.failure?.code], ['runner_failed', 'assertion.JUDGE_UNAVAILABLE']);
  assert.match(ended.failure?.message ?? '', /tone.*does not run/);
  assert.deepEqual([ended.result?.verdict, ended.result?.interactions], ['inconclusive', []]);
});

test('an attachment is announced, sent, completed, and only then part of the run', async (t) => {
  kit = await openRunKit();
  t.after(() => kit.close());
  const { run } = await kit.start(await kit.drillSession(keepingDrill));
  const pending = await kit.next(run.hostedRunId);
  const { path, bytes } = await attach(pending, 'what I did');
  await refuses(kit.call('completeAttachment', { path, body: {} }), 'control.STATE_CONFLICT', { state: 'pending' });
  await refuses(kit.call('putAttachmentContent', { path, body: Buffer.from('something else') }), 'control.INVALID_REQUEST');
  assert.equal((await kit.call('putAttachmentContent', { path, body: bytes })).attachment.state, 'uploaded');
  const named = { attachments: [path.attachmentId] as never };
  await refuses(kit.complete(pending, named), 'control.INVALID_REQUEST');
  const { descriptor } = await kit.call('completeAttachment', { path, body: {} });
  assert.equal(descriptor.hash, sha256Digest(bytes));
  await attach(pending, 'never sent');
  // Of the run, and of no interaction.
  const loose = await attach(pending, 'a log', 'log');
  await kit.call('putAttachmentContent', { path: loose.path, body: loose.bytes });
  const log = await kit.call('completeAttachment', { path: loose.path, body: {} });
  await kit.complete(pending, { ...named, usage: { inputTokens: 12, costUsd: 0.25 } });
  const ended = await kit.when(run.hostedRunId, hasEnded);
  const { capture, interactions } = ended.result!;
  assert.deepEqual(
    capture.attachments.map(({ kind, interactionId, attachment }) => [kind, interactionId, attachment]),
    [
      ['file', interactions[0]!.interactionId, descriptor],
      ['log', undefined, log.descriptor],
    ],
  );
  assert.deepEqual(interactions[0]!.targetResult.attachments, [descriptor]);
  assert.deepEqual(interactions[0]!.targetResult.usage, { inputTokens: 12, costUsd: 0.25 });
  const artifact = await kit.call('getEvidenceArtifact', {
    path: { evidenceBundleId: ended.evidenceBundleId as never },
    query: { path: `attachments/${path.attachmentId}.txt` },
  });
  assert.deepEqual(Buffer.from(artifact), bytes);
  assert.ok((await verifyReport(kit.folderOf(ended))).ok);
  await refuses(attach(ended, 'too late'), 'control.STATE_CONFLICT');
});

// SEALED-REPORT-1
test('evidence is read by its manifest, and by nothing that is not in it', async (t) => {
  kit = await openRunKit();
  t.after(() => kit.close());
  const run = await sealedRun();
  const path = { evidenceBundleId: run.evidenceBundleId as never };
  const { evidence } = await kit.call('getEvidenceBundle', { path });
  assert.equal(evidence.state, 'sealed');
  assert.equal(evidence.evidenceHash, run.result!.evidenceHash);
  const { files } = await kit.call('getEvidenceManifest', { path });
  const read = (file: string): Promise<Uint8Array> => kit.call('getEvidenceArtifact', { path, query: { path: file } });
  for (const { path: file, bytes, hash } of files) {
    const content = await read(file);
    assert.equal(content.length, bytes);
    assert.equal(sha256Digest(content), hash);
  }
  assert.equal(sha256Digest(await read('manifest.json')), evidence.manifestDigest);
  for (const file of [
    '../manifest.json',
    '/etc/passwd',
    `../${run.request.runId}/run.json`,
    './run.json',
    'run.json/',
    'attachments',
    '',
  ]) {
    await refuses(read(file), 'control.NOT_FOUND');
  }
  const { caller } = await kit.foreigner();
  await refuses(kit.call('getEvidenceBundle', { path }, { caller }), 'control.NOT_FOUND');
  // What is not as it was sealed is not served.
  writeFileSync(join(kit.folderOf(run), 'run.json'), '{}');
  await assert.rejects(read('run.json'), /not as it was sealed/);
});

test('evidence is deleted when that is confirmed, or when its time is over; its run is still returned', async (t) => {
  kit = await openRunKit();
  t.after(() => kit.close());
  const [deleted, expired] = [await sealedRun(), await sealedRun()];
  const path = { evidenceBundleId: deleted.evidenceBundleId as never };
  await refuses(kit.call('deleteEvidence', { path, body: { confirm: 'yes' } }), 'control.CONFIRMATION_MISMATCH');
  const { evidence } = await kit.call('deleteEvidence', { path, body: { confirm: deleted.evidenceBundleId } });
  assert.equal(evidence.state, 'deleted');
  await refuses(kit.call('deleteEvidence', { path, body: { confirm: deleted.evidenceBundleId } }), 'control.STATE_CONFLICT', {
    state: 'deleted',
  });
  await refuses(kit.call('getEvidenceManifest', { path }), 'control.STATE_CONFLICT');
  await sweep(kit);
  assert.equal(existsSync(dirname(kit.folderOf(deleted))), false);
  assert.equal(existsSync(kit.folderOf(expired)), true);
  kit.clock.nowMs += expired.evidenceRetentionMs;
  await sweep(kit);
  assert.equal(existsSync(dirname(kit.folderOf(expired))), false);
  assert.equal((await kit.run(expired.hostedRunId)).result?.verdict, 'passed');
});

test('a rerun is the same again, in a session of its own', async (t) => {
  kit = await openRunKit();
  t.after(() => kit.close());
  const first = await sealedRun();
  const { run } = await kit.call('rerun', { path: { hostedRunId: first.hostedRunId }, body: {} });
  assert.equal(run.rerunOfHostedRunId, first.hostedRunId);
  assert.notEqual(run.sessionId, first.sessionId);
  await refuses(kit.call('rerun', { path: { hostedRunId: run.hostedRunId }, body: {} }), 'control.STATE_CONFLICT');
  const second = await kit.play(run.hostedRunId, refundAgent);
  assert.equal(second.result!.evidenceHash, first.result!.evidenceHash);
  assert.ok(readFileSync(join(kit.folderOf(second), 'evidence.jsonl')).equals(readFileSync(join(kit.folderOf(first), 'evidence.jsonl'))));
  const query = { left: first.hostedRunId, right: second.hostedRunId };
  const { comparison } = await kit.call('compareRuns', { query });
  assert.equal(comparison.grade, 'exact_inputs');
  assert.equal(comparison.firstDivergence, undefined);
  assert.deepEqual(comparison.equal, { stateHash: true, evidenceHash: true, trajectoryHash: true });
  const { items } = await kit.call('listRuns', { query: { drillId: 'refund-happy-path', state: 'sealed' } });
  assert.deepEqual(
    items.map(({ hostedRunId }) => hostedRunId),
    [second.hostedRunId, first.hostedRunId],
  );
  const page = await kit.call('listRuns', { query: { limit: 1 } });
  assert.equal(page.items[0]?.hostedRunId, second.hostedRunId);
  const rest = await kit.call('listRuns', { query: { limit: 1, cursor: page.nextCursor as never } });
  assert.equal(rest.items[0]?.hostedRunId, first.hostedRunId);
});

test('runs need a drill, a free quota, and a sound request', async (t) => {
  kit = await openRunKit({ settings: { quotas: { ...(await import('./control-kit.js')).quietSettings.quotas, runsActiveMax: 1 } } });
  t.after(() => kit.close());
  const bare = await kit.session();
  await refuses(kit.start(bare), 'control.STATE_CONFLICT');
  const session = await kit.drillSession('refund-happy-path');
  await refuses(kit.start(session, { trial: 2 }), 'control.INVALID_REQUEST');
  const { run } = await kit.start(session, { trial: 2, trialCount: 2_147_483_647 });
  assert.equal(run.request.trial, 2);
  await refuses(kit.start(await kit.drillSession('refund-happy-path')), 'control.QUOTA_EXCEEDED');
  const pending = await kit.next(run.hostedRunId);
  const path = { hostedRunId: run.hostedRunId };
  await refuses(kit.call('createRunAccess', { path, body: { interactionId: 'another' } }), 'control.VERSION_CONFLICT', {
    revision: pending.revision,
  });
  const other = {
    interactionId: 'another',
    expectedRevision: pending.revision,
    targetResult: { status: 'completed' as const, attachments: [] as never },
  };
  await refuses(kit.call('completeInteraction', { path, body: other }), 'control.VERSION_CONFLICT', { revision: pending.revision });
  await refuses(kit.complete({ ...pending, revision: 1 }), 'control.VERSION_CONFLICT', { revision: pending.revision });
  const { caller } = await kit.foreigner();
  await refuses(kit.call('getRun', { path }, { caller }), 'control.NOT_FOUND');
  await kit.play(run.hostedRunId, refundAgent);
  // There is a free place again.
  await kit.start(await kit.drillSession('refund-happy-path'));
});

test('the credential of an access is returned again to a repeated request, and stored nowhere', async (t) => {
  kit = await openRunKit();
  t.after(() => kit.close());
  const { run } = await kit.start(await kit.drillSession('refund-happy-path'));
  const pending = await kit.next(run.hostedRunId);
  const path = { hostedRunId: run.hostedRunId };
  const body = { interactionId: pending.pendingInteraction!.interaction.id };
  const first = await kit.dispatch('createRunAccess', { path, body }, { key: 'the-same-key' });
  const again = await kit.dispatch('createRunAccess', { path, body }, { key: 'the-same-key' });
  assert.equal(again.replayed, true);
  assert.deepEqual(again.reply, first.reply);
  const { access } = first.reply;
  assert.equal(access.hostedRunId, run.hostedRunId);
  assert.equal(access.worldHttpUrl, 'http://127.0.0.1:8787/world');
  assert.equal((await kit.agent(access.credential, '/world/v1/tools')).status, 200);
});
