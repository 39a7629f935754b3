import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, symlink, truncate, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { limits } from '../../src/contract/limits.js';
import type { RunReport } from '../../src/contract/run/run-events.js';
import { projectionRevision } from '../../src/reports/projections.js';
import type { ReportProblemCode } from '../../src/reports/report-problems.js';
import { verifyReport, verifyReportAs } from '../../src/reports/verify-report.js';
import { failingRun, passingRun, type RunFixture } from './fixtures.js';
import { rowChange } from './journal.js';
import { reportDirectory, writeFixture } from './report-directory.js';

async function written(t: TestContext, fixture: RunFixture = failingRun()): Promise<string> {
  return writeFixture(await reportDirectory(t), fixture);
}

/** Changes a file; with `sealed` the manifest is made to fit, as one who tampers with care would. */
async function change(folder: string, file: string, edit: (text: string) => string, { sealed }: { sealed: boolean }): Promise<void> {
  const changed = edit(await readFile(join(folder, file), 'utf8'));
  await writeFile(join(folder, file), changed);
  if (!sealed) return;
  await editManifest(folder, (manifest) => {
    const listed = manifest.files.find((one) => one.path === file);
    if (listed === undefined) return;
    listed.bytes = Buffer.byteLength(changed);
    listed.sha256 = `sha256:${createHash('sha256').update(changed).digest('hex')}`;
  });
}

interface Manifest {
  runId: string;
  projectionRevision: number;
  files: { path: string; bytes: number; sha256: string }[];
}
async function editManifest(folder: string, edit: (manifest: Manifest) => void): Promise<void> {
  const path = join(folder, 'manifest.json');
  const manifest = JSON.parse(await readFile(path, 'utf8')) as Manifest;
  edit(manifest);
  await writeFile(path, `${JSON.stringify(manifest, null, 2)}\n`);
}

async function assertProblem(folder: string, file: string, code: ReportProblemCode): Promise<void> {
  const { ok, problems } = await verifyReport(folder);
  assert.equal(ok, false, code);
  assert.ok(
    problems.some((problem) => problem.file === file && problem.code === code),
    `${code} of ${file}, found ${JSON.stringify(problems)}`,
  );
}

test('what was written verifies', async (t) => {
  for (const fixture of [passingRun(), failingRun()]) {
    const verified = await verifyReport(await written(t, fixture));
    assert.deepEqual(verified, { ok: true, runId: fixture.report.runId, problems: [], notCompared: [] });
  }
});

test('a report may lie in a folder of another name', async (t) => {
  const folder = await written(t);
  await rename(folder, `${folder}-downloaded`);
  assert.equal((await verifyReport(`${folder}-downloaded`)).ok, true);
});

test('a changed byte in any file is seen', async (t) => {
  for (const file of [
    'index.html',
    'junit.xml',
    'report.txt',
    'report.json',
    'run.json',
    'evidence.jsonl',
    'attachments/att-agent-log.log',
  ]) {
    const folder = await written(t);
    await change(folder, file, (text) => text.replace('e', 'E'), { sealed: false });
    await assertProblem(folder, file, 'DIGEST_MISMATCH');
  }
});

// PROJECTIONS-1
test('a projection that was changed together with its digest is seen', async (t) => {
  for (const file of ['index.html', 'junit.xml', 'report.txt', 'run.json']) {
    const folder = await written(t);
    await change(folder, file, (text) => text.replace('refund', 'refunds'), { sealed: true });
    await assertProblem(folder, file, 'PROJECTION_MISMATCH');
  }
});

// PROJECTIONS-2
test('a projection of an earlier revision of the writer is not compared, and that is reported; run.json always is', async (t) => {
  const folder = await written(t);
  await change(folder, 'report.txt', (text) => `${text}\n`, { sealed: true });
  const verified = await verifyReportAs(projectionRevision + 1, folder);
  assert.deepEqual([verified.ok, verified.notCompared], [true, ['report.txt']]);
  await change(folder, 'run.json', (text) => `${text}\n`, { sealed: true });
  const { problems } = await verifyReportAs(projectionRevision + 1, folder);
  assert.deepEqual(
    problems.map(({ file, code }) => [file, code]),
    [['run.json', 'PROJECTION_MISMATCH']],
  );
});

// PROJECTIONS-2
test('a revision that no writer has had is no way around the comparison', async (t) => {
  for (const revision of [0, -1, projectionRevision + 1, Number.MAX_SAFE_INTEGER]) {
    const folder = await written(t);
    await change(folder, 'index.html', () => '<h1>PASSED</h1>', { sealed: true });
    await editManifest(folder, (manifest) => {
      manifest.projectionRevision = revision;
    });
    await assertProblem(folder, 'manifest.json', 'MANIFEST_INVALID');
  }
});

test('a file that is no part of a report is seen, though the manifest lists it', async (t) => {
  for (const path of ['malware.exe', '..\\..\\evil.bat', 'attachments.txt']) {
    const folder = await written(t);
    await writeFile(join(folder, path), 'calc');
    const sha256 = `sha256:${createHash('sha256').update('calc').digest('hex')}`;
    await editManifest(folder, (manifest) => manifest.files.push({ path, bytes: 4, sha256 }));
    await assertProblem(folder, path, 'FILE_UNKNOWN');
  }
  const folder = await written(t);
  await writeFile(join(folder, 'attachments/..\\evil.bat'), '');
  const sha256 = `sha256:${createHash('sha256').update('').digest('hex')}`;
  await editManifest(folder, (manifest) => manifest.files.push({ path: 'attachments/..\\evil.bat', bytes: 0, sha256 }));
  await assertProblem(folder, 'attachments/..\\evil.bat', 'ATTACHMENT_MISMATCH');
});

test('missing, unknown and linked files are seen', async (t) => {
  const missing = await written(t);
  await unlink(join(missing, 'junit.xml'));
  await assertProblem(missing, 'junit.xml', 'FILE_MISSING');

  const unknown = await written(t);
  await writeFile(join(unknown, 'notes.txt'), '');
  await assertProblem(unknown, 'notes.txt', 'FILE_UNKNOWN');

  const subfolder = await written(t);
  await mkdir(join(subfolder, 'more'));
  await assertProblem(subfolder, 'more', 'FILE_REFUSED');

  const linked = await written(t);
  await rename(join(linked, 'report.txt'), join(linked, '..', 'report.txt'));
  await symlink('../report.txt', join(linked, 'report.txt'));
  await assertProblem(linked, 'report.txt', 'FILE_REFUSED');

  const linkedFolder = await written(t);
  await symlink(linkedFolder, `${linkedFolder}-link`);
  await assertProblem(`${linkedFolder}-link`, '', 'FOLDER_UNREADABLE');
  await assertProblem(`${linkedFolder}-none`, '', 'FOLDER_UNREADABLE');
});

test('a manifest that is none, lists what it must not or lacks what it must is seen', async (t) => {
  const cases: [string, (text: string) => string][] = [
    ['not JSON', () => '{'],
    ['another version', (text) => text.replace('"schemaVersion": 1', '"schemaVersion": 2')],
    ['a member too many', (text) => text.replace('{', '{"more": 1,')],
    ['a run id that is a path', (text) => text.replace(/"run_[^"]*"/, '"../../x"')],
    ['no evidence', (text) => text.replace('evidence.jsonl', 'evidence.json')],
  ];
  for (const [, edit] of cases) {
    const folder = await written(t);
    await change(folder, 'manifest.json', edit, { sealed: false });
    await assertProblem(folder, 'manifest.json', 'MANIFEST_INVALID');
  }
  const gone = await written(t);
  await unlink(join(gone, 'manifest.json'));
  await assertProblem(gone, 'manifest.json', 'FILE_MISSING');
});

test('paths of a manifest are names in the folder and nothing else', async (t) => {
  const folder = await written(t);
  await editManifest(folder, (manifest) => manifest.files.push({ path: '../../etc/passwd', bytes: 1, sha256: `sha256:${'0'.repeat(64)}` }));
  await assertProblem(folder, '../../etc/passwd', 'FILE_MISSING');
});

const edited = (edit: (report: RunReport) => void) => (text: string) => {
  const report = JSON.parse(text) as RunReport;
  edit(report);
  return `${JSON.stringify(report, null, 2)}\n`;
};

test('a report that contradicts itself, its manifest or its journal is seen', async (t) => {
  const cases: [string, ReportProblemCode, (report: RunReport) => void][] = [
    ['report.json', 'VERDICT_MISMATCH', (report) => (report.result.verdict = 'passed')],
    ['report.json', 'VERDICT_MISMATCH', (report) => (report.result.checkpoints[0]!.verdict = 'passed')],
    ['report.json', 'VERDICT_MISMATCH', (report) => (report.result.assertionResults[0]!.status = 'passed')],
    ['report.json', 'VERDICT_MISMATCH', (report) => (report.result.assertionResults[0]!.gate = false)],
    ['report.json', 'RUN_ID_MISMATCH', (report) => (report.runId = 'run_01kjpf3q5d1c9h8r7s6t5v4w00')],
    ['report.json', 'REPORT_INVALID', (report) => (report.result.setup.setupHash = `sha256:${'1'.repeat(64)}`)],
    ['report.json', 'REPORT_INVALID', (report) => Object.assign(report, { more: 1 })],
    ['report.json', 'REPORT_INVALID', (report) => Object.assign(report.result.identity, { trial: 'one' })],
    ['evidence.jsonl', 'EVIDENCE_HASH_MISMATCH', (report) => (report.result.evidenceHash = `sha256:${'1'.repeat(64)}`)],
    ['evidence.jsonl', 'TRAJECTORY_HASH_MISMATCH', (report) => (report.result.trajectoryHash = `sha256:${'1'.repeat(64)}`)],
    ['evidence.jsonl', 'EVIDENCE_RANGE_MISMATCH', (report) => (report.result.evidenceRange.toSequence = 5)],
    ['attachments/att-agent-log.log', 'ATTACHMENT_MISMATCH', (report) => (report.result.capture.attachments[0]!.attachment.bytes = 1)],
    ['attachments/att-agent-log.log', 'ATTACHMENT_MISMATCH', (report) => (report.result.capture.attachments = [])],
  ];
  for (const [file, code, edit] of cases) {
    const folder = await written(t);
    await change(folder, 'report.json', edited(edit), { sealed: true });
    await assertProblem(folder, file, code);
  }
  for (const edit of [() => 'x', () => '[1]', (text: string) => text.trimEnd(), () => `${'['.repeat(5000)}${']'.repeat(5000)}`]) {
    const folder = await written(t);
    await change(folder, 'report.json', edit, { sealed: true });
    await assertProblem(folder, 'report.json', 'REPORT_INVALID');
  }
});

test('a journal with a changed, missing, added, reordered or unreadable line is seen', async (t) => {
  const lines = (edit: (lines: string[]) => string[]) => (text: string) => edit(text.split('\n')).join('\n');
  const cases: [ReportProblemCode, (text: string) => string][] = [
    ['EVIDENCE_HASH_MISMATCH', (text) => text.replace('"amount":4200', '"amount":4201')],
    ['TRAJECTORY_HASH_MISMATCH', (text) => text.replace('"amount":4200', '"amount":4201')],
    ['EVIDENCE_SEQUENCE', lines((all) => all.filter((_, index) => index !== 3))],
    ['EVIDENCE_SEQUENCE', lines(([first, second, ...rest]) => [second as string, first as string, ...rest])],
    ['EVIDENCE_SEQUENCE', lines(([first, ...rest]) => [first as string, first as string, ...rest])],
    ['EVIDENCE_RANGE_MISMATCH', lines((all) => [...all.slice(0, -2), ''])],
    ['EVIDENCE_NOT_CANONICAL', (text) => text.replace('{', '{ ')],
    ['EVIDENCE_NOT_CANONICAL', (text) => text.replace('{', '{"kind":"lifecycle",')],
    ['EVIDENCE_INVALID', (text) => text.replace('"kind":"lifecycle"', '"kind":"lifestyle"')],
    ['EVIDENCE_INVALID', (text) => text.replace('"schemaVersion":1,', '')],
    ['EVIDENCE_INVALID', (text) => text.slice(0, -1)],
    ['EVIDENCE_INVALID', (text) => `${text}\n`],
    ['EVIDENCE_INVALID', (text) => `\ufeff${text}`],
  ];
  for (const [code, edit] of cases) {
    const folder = await written(t);
    await change(folder, 'evidence.jsonl', edit, { sealed: true });
    await assertProblem(folder, 'evidence.jsonl', code);
  }
});

test('a verdict cannot be changed without the journal, though all digests are made to fit', async (t) => {
  const folder = await written(t);
  const whitewash = edited(({ result }) => {
    for (const assertion of [...result.assertionResults, ...result.checkpoints.flatMap((checkpoint) => checkpoint.assertionResults)])
      assertion.status = 'passed';
    for (const checkpoint of result.checkpoints) checkpoint.verdict = 'passed';
    result.verdict = 'passed';
  });
  await change(folder, 'report.json', whitewash, { sealed: true });
  await assertProblem(folder, 'report.json', 'VERDICT_MISMATCH');
});

test('bytes that are no UTF-8 are seen', async (t) => {
  const folder = await written(t);
  const path = join(folder, 'evidence.jsonl');
  const bytes = await readFile(path);
  bytes[bytes.indexOf('duplicate')] = 0xff;
  await writeFile(path, bytes);
  await editManifest(folder, ({ files }) => {
    files.find((file) => file.path === 'evidence.jsonl')!.sha256 = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  });
  await assertProblem(folder, 'evidence.jsonl', 'EVIDENCE_INVALID');
});

test('messages name what they found in visible characters', async (t) => {
  const folder = await written(t);
  await writeFile(join(folder, 'a\u001b[2Jb'), '');
  const { problems } = await verifyReport(folder);
  assert.equal(problems[0]?.file, 'a\\u001b[2Jb');
  await rm(folder, { recursive: true });
});

test('rows as deep and texts as odd as a world admits verify', async (t) => {
  const fixture = failingRun();
  const deep = JSON.parse(`${'{"a":'.repeat(limits.jsonDepthMax - 1)}{"\\u0000":"\\u2028"}${'}'.repeat(limits.jsonDepthMax - 1)}`);
  fixture.journal.turn(rowChange('payments/refunds/../odd', null, deep));
  const { result } = fixture.report;
  result.evidenceRange.toSequence = fixture.journal.sequence;
  result.evidenceHash = fixture.journal.evidenceHash();
  result.trajectoryHash = fixture.journal.trajectoryHash();
  result.interactions[0]!.targetResult.output = deep;
  const { problems } = await verifyReport(await written(t, { ...fixture, lines: fixture.journal.lines() }));
  assert.deepEqual(problems, []);
});

test('a file of another size is not read: a report with a hole of terabytes is refused at once', async (t) => {
  const folder = await written(t);
  await truncate(join(folder, 'evidence.jsonl'), 2 ** 40);
  const { problems } = await verifyReport(folder);
  assert.deepEqual(
    problems.map(({ file, code, message }) => [file, code, /^has 1099511627776 bytes; the manifest says \d+$/.test(message)]),
    [['evidence.jsonl', 'DIGEST_MISMATCH', true]],
  );
});

test('times that are no date are refused, not thrown at', async (t) => {
  const folder = await written(t);
  await change(folder, 'report.json', (text) => text.replace(/"startedAtMs": \d+/, '"startedAtMs": 1e308'), { sealed: true });
  await assertProblem(folder, 'report.json', 'REPORT_INVALID');
});
