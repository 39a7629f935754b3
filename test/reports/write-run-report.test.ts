import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { RunReport } from '../../src/contract/run/run-events.js';
import { writeRunReport } from '../../src/reports/write-run-report.js';
import { failingRun, passingRun } from './fixtures.js';
import { reportDirectory, writeFixture } from './report-directory.js';

const projected = ['index.html', 'junit.xml', 'report.txt', 'run.json'];

test('the folder holds every file, and the manifest the digest of every other one', async (t) => {
  const directory = await reportDirectory(t);
  const fixture = failingRun();
  const folder = await writeFixture(directory, fixture);
  assert.equal(folder, join(directory, fixture.report.runId));
  const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'));
  assert.equal(manifest.schemaVersion, 1);
  assert.equal(manifest.runId, fixture.report.runId);
  assert.deepEqual(
    manifest.files.map((file: { path: string }) => file.path),
    ['attachments/att-agent-log.log', 'evidence.jsonl', 'index.html', 'junit.xml', 'report.json', 'report.txt', 'run.json'],
  );
  for (const { path, bytes, sha256 } of manifest.files) {
    const content = await readFile(join(folder, path));
    assert.equal(content.length, bytes);
    assert.equal(`sha256:${createHash('sha256').update(content).digest('hex')}`, sha256);
  }
  assert.deepEqual(JSON.parse(await readFile(join(folder, 'report.json'), 'utf8')), fixture.report);
  assert.deepEqual(JSON.parse(await readFile(join(folder, 'run.json'), 'utf8')), fixture.report.result);
  assert.equal(await readFile(join(folder, 'evidence.jsonl'), 'utf8'), fixture.lines.join(''));
});

test('the entries that assertions refer to are returned as text', async (t) => {
  const { report, lines } = failingRun();
  const { cited } = await writeRunReport({ reportDirectory: await reportDirectory(t), report, evidenceLines: lines });
  assert.deepEqual(cited[0], { sequence: 4, text: 'payments.refunds.create by support-agent → error ANSWER_LOST' });
});

// EVIDENCE-VIEW-1, PROJECTIONS-1
test('projections depend on report, evidence and attachments only: not on chunks, on attachments given as paths, or on undefined members', async (t) => {
  const { report, lines, attachments } = failingRun();
  const [log] = attachments;
  assert.ok(log !== undefined && 'bytes' in log);
  const [one, other] = [await reportDirectory(t), await reportDirectory(t)];
  const path = join(other, 'agent.log');
  await writeFile(path, log.bytes);
  async function* slowly() {
    yield lines.slice(0, 5).join('');
    yield '';
    yield lines.slice(5).join('');
  }
  const withUndefined = { ...report, drill: { ...report.drill, extra: undefined } } as RunReport;
  await writeRunReport({ reportDirectory: one, report, evidenceLines: lines, attachments });
  await writeRunReport({
    reportDirectory: other,
    report: withUndefined,
    evidenceLines: slowly(),
    attachments: [{ descriptor: log.descriptor, path }],
  });
  for (const file of [...projected, 'report.json', 'manifest.json']) {
    assert.deepEqual(await readFile(join(one, report.runId, file)), await readFile(join(other, report.runId, file)), file);
  }
});

// FOLDER-WRITER-1
test('a write that fails leaves no folder and nothing beside it', async (t) => {
  const { report, lines, attachments } = failingRun();
  const [log] = attachments;
  assert.ok(log !== undefined);
  async function* breaking() {
    yield lines[0] as string;
    throw new Error('the world is gone');
  }
  const failures: [string, Partial<Parameters<typeof writeRunReport>[0]>, RegExp][] = [
    ['the journal breaks off', { evidenceLines: breaking() }, /the world is gone/],
    ['a chunk is not whole lines', { evidenceLines: ['{"kind":'] }, /whole lines/],
    ['entries are missing', { evidenceLines: lines.slice(1) }, /27 of its entries were given/],
    ['an attachment is not what it says', { attachments: [{ descriptor: log.descriptor, bytes: Buffer.from('other') }] }, /att-agent-log/],
    ['an attachment is not named', { attachments: [{ descriptor: { ...log.descriptor, id: 'att-2' }, bytes: Buffer.from('') }] }, /att-2/],
    ['an attachment cannot be read', { attachments: [{ descriptor: log.descriptor, path: '/nowhere/at/all' }] }, /ENOENT/],
  ];
  for (const [name, change, message] of failures) {
    const directory = await reportDirectory(t);
    await assert.rejects(
      writeRunReport({ reportDirectory: directory, report, evidenceLines: lines, attachments, ...change }),
      message,
      name,
    );
    assert.deepEqual(await readdir(directory), [], name);
  }
});

// FOLDER-WRITER-1
test('a report is never written over another', async (t) => {
  const directory = await reportDirectory(t);
  const fixture = passingRun();
  const folder = await writeFixture(directory, fixture);
  const before = await readFile(join(folder, 'report.json'));
  const changed = { ...fixture, report: { ...fixture.report, engineVersion: '9.9.9' } };
  await assert.rejects(writeFixture(directory, changed), /ENOTEMPTY|EEXIST/);
  assert.deepEqual(await readFile(join(folder, 'report.json')), before);
  assert.deepEqual(await readdir(directory), [fixture.report.runId]);
});

test('ids are never paths', async (t) => {
  const directory = await reportDirectory(t);
  await mkdir(join(directory, 'inside'));
  const { report, lines, attachments } = failingRun();
  for (const runId of ['../run_01kjpf3q5d1c9h8r7s6t5v4w3x', 'run_', 'run_01kjpf3q5d1c9h8r7s6t5v4w3x/..', '.', '', 'RUN_01KJPF3Q5D1C']) {
    const named = { ...report, runId, result: { ...report.result, identity: { ...report.result.identity, runId } } };
    await assert.rejects(
      writeRunReport({ reportDirectory: join(directory, 'inside'), report: named, evidenceLines: lines }),
      /is not a run id/,
    );
  }
  const [log] = attachments;
  assert.ok(log !== undefined && 'bytes' in log);
  const descriptor = { ...log.descriptor, id: '../../escaped' };
  const capture = { ...report.result.capture, attachments: [{ kind: 'log' as const, policy: 'always' as const, attachment: descriptor }] };
  const result = { ...report.result, capture };
  const escaping = {
    reportDirectory: join(directory, 'inside'),
    report: { ...report, result },
    evidenceLines: lines,
    attachments: [{ descriptor, bytes: log.bytes }],
  };
  await assert.rejects(writeRunReport(escaping), /has an id that can be a name/);
  assert.deepEqual(await readdir(directory, { recursive: true }), ['inside']);
});

test('an attachment whose ending a browser would run is stored under another', async (t) => {
  const directory = await reportDirectory(t);
  const { report, lines, attachments } = failingRun();
  const [log] = attachments;
  assert.ok(log !== undefined && 'bytes' in log);
  const descriptor = { ...log.descriptor, name: 'page.html', mediaType: 'text/html' };
  const capture = { ...report.result.capture, attachments: [{ kind: 'file' as const, policy: 'always' as const, attachment: descriptor }] };
  const named = { ...report, result: { ...report.result, capture } };
  const { folder } = await writeRunReport({
    reportDirectory: directory,
    report: named,
    evidenceLines: lines,
    attachments: [{ descriptor, bytes: log.bytes }],
  });
  assert.deepEqual(await readdir(join(folder, 'attachments')), ['att-agent-log.bin']);
  assert.match(await readFile(join(folder, 'index.html'), 'utf8'), /<a href="attachments\/att-agent-log.bin" download="page.html">/);
});

test('reports can be written at once', async (t) => {
  const directory = await reportDirectory(t);
  const ids = Array.from({ length: 16 }, (_, index) => `run_01kjpf3q5d1c9h8r7s6t5v4w${String(index).padStart(2, '0')}`);
  await Promise.all(ids.map((runId) => writeFixture(directory, failingRun(runId))));
  assert.deepEqual((await readdir(directory)).sort(), ids);
});
