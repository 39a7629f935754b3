// A run whose disk fills: it ends with exit code 1 and says which folder is full; what it had acknowledged is there, whole.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { RunResult } from '../../src/contract/run/run.js';
import { openWorlds } from '../../src/worlds/worlds.js';
import { readXml } from '../reports/xml-reader.js';
import { type DiskKind, smallDisk } from '../small-disk.js';
import { drillyard, jsonLines } from './cli.js';
import { warmDrillyard } from './warm-cli.js';

interface Line {
  event: string;
  verdict?: string;
  report?: string;
  evidenceHash?: string;
  endedEarly?: { code: string; message: string };
}

/** A repository of one drill with so many trials. */
async function startOn(root: string, trials: number): Promise<void> {
  const { code, stderr } = await warmDrillyard(['init', '.', '--yes', '--force'], { cwd: root });
  assert.equal(code, 0, stderr);
  const drill = join(root, 'drillyard/drills/first-ticket.drill.yaml');
  writeFileSync(drill, readFileSync(drill, 'utf8').replace('assertions:', `trials: { count: ${trials} }\nassertions:`));
}

const files = ['--reporter', 'terminal,junit=out/junit.xml,json=out/lines.jsonl'];

/** What is there of the files over the run is whole, and says the same as the exit code. */
function checkFiles(root: string): Line[] {
  const out = join(root, 'out');
  for (const name of existsSync(out) ? readdirSync(out) : [])
    assert.ok(['junit.xml', 'lines.jsonl'].includes(name), `${name} was left behind`);
  if (existsSync(join(out, 'junit.xml'))) readXml(readFileSync(join(out, 'junit.xml'), 'utf8'));
  if (!existsSync(join(out, 'lines.jsonl'))) return [];
  const lines = jsonLines(readFileSync(join(out, 'lines.jsonl'), 'utf8')) as unknown as Line[];
  assert.equal(lines.at(-1)?.event, 'summary');
  return lines;
}

/** The attempts whose reports say that they have passed. */
function passedReports(root: string): Line[] {
  return readdirSync(join(root, '.service/reports')).flatMap((runId) => {
    const report = join('.service/reports', runId);
    const file = join(root, report, 'run.json');
    if (!existsSync(file)) return [];
    const { verdict, evidenceHash } = JSON.parse(readFileSync(file, 'utf8')) as RunResult;
    return verdict === 'passed' ? [{ event: 'attempt', verdict, report, evidenceHash }] : [];
  });
}

async function fillsUp(context: TestContext, kind: DiskKind, megabytes: number): Promise<void> {
  const disk = smallDisk(context, { kind, megabytes });
  if (disk === undefined) return;
  const root = disk.path;
  await startOn(root, 200);
  const { code, stdout, stderr } = await drillyard(['run', ...files], { cwd: root });
  assert.equal(code, 1, stdout + stderr);
  assert.match(
    stdout,
    /The disk is full at \/.*\. No further attempts were started; what was acknowledged before is kept\. Free some space and run again\./,
  );
  assert.match(stdout, /INCONCLUSIVE {2}1 drill/);

  const lines = checkFiles(root);
  const passed = passedReports(root);
  assert.ok(passed.length >= 3 && passed.length < 200, `${passed.length} passed before the disk was full`);
  // The disk may be too full for the file over the run, and what is there says the same as the reports.
  if (lines.length > 0) {
    const reported = lines.filter(({ event, verdict }) => event === 'attempt' && verdict === 'passed');
    assert.deepEqual(reported.map(({ report }) => report).sort(), passed.map(({ report }) => report).sort());
    assert.equal(lines.at(-1)?.endedEarly?.code, 'control.STORAGE_FULL');
  }
  for (const { report } of [passed[0], passed.at(-1)] as Line[]) {
    const checked = await warmDrillyard(['report', 'check', join(root, report as string)], { cwd: root });
    assert.equal(checked.code, 0, checked.stdout + checked.stderr);
  }
  await journalsAreThere(join(root, '.service/runs'), passed);
  // Once more, on the disk as it is now.
  disk.leave(0);
  const again = await drillyard(['run', ...files], { cwd: root });
  assert.equal(again.code, 1, again.stdout + again.stderr);
  assert.match(again.stdout + again.stderr, /disk is full/);
  checkFiles(root);
}

/** The worlds of attempts that passed open again, and their journals are those of the reports. */
async function journalsAreThere(directory: string, passed: Line[]): Promise<void> {
  const worlds = await openWorlds({ directory, layout: 'run', durability: 'committed', hosts: 1, isolation: 'thread' });
  try {
    for (const { report, evidenceHash } of passed) {
      const world = await worlds.open((report as string).split('/').at(-1) as string);
      assert.equal((await world.query({ kind: 'position' })).evidenceHash, evidenceHash);
    }
  } finally {
    await worlds.close();
  }
}

test('a tmpfs that fills under a run ends it in words, and loses nothing', { timeout: 120_000 }, (context) => fillsUp(context, 'tmpfs', 4));
test('an ext4 that fills under a run ends it in words, and loses nothing', { timeout: 120_000 }, (context) => fillsUp(context, 'ext4', 8));

test('however little is left when a run begins, it ends with a code and with words', { timeout: 240_000 }, async (context) => {
  for (const kind of ['tmpfs', 'ext4'] as const) {
    const disk = smallDisk(context, { kind, megabytes: 8 });
    if (disk === undefined) return;
    await startOn(disk.path, 1);
    for (const kilobytes of [0, 100]) {
      disk.leave(kilobytes * 1024);
      const { code, stdout, stderr } = await warmDrillyard(['run', ...files], { cwd: disk.path });
      assert.equal(code === 0 || /disk is full/.test(stdout + stderr), true, `${kind}, ${kilobytes} KB: ${code} ${stdout}${stderr}`);
      assert.ok(code === 0 || code === 1, `${kind}, ${kilobytes} KB: ${code}`);
      checkFiles(disk.path);
    }
  }
});
