// The fourth example, as a user runs it: an agent in Python, over HTTP and over the command line.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { RunResult } from '../../src/contract/run/run.js';
import { drillyard, jsonLines } from '../cli/cli.js';
import { warmDrillyard } from '../cli/warm-cli.js';

const example = fileURLToPath(new URL('../../../examples/04-command-agent', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'drillyard-example-'));
const skip = hasPython() ? false : 'there is no python3 on this machine';

before(() => {
  cpSync(example, root, { recursive: true, filter: (from) => !/\.service|__pycache__/.test(from) });
});
after(() => rmSync(root, { recursive: true, force: true }));

function hasPython(): boolean {
  try {
    execFileSync('python3', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

test('it compiles without a warning', async () => {
  const { code, stderr } = await warmDrillyard(['validate'], { cwd: root });
  assert.deepEqual([code, stderr], [0, '']);
});

test('both bindings, and a lost answer: every drill passes, with the same effects, and leaves nothing in the repository', {
  skip,
}, async () => {
  const { code, stdout, stderr } = await drillyard(['run', '--json', '--concurrency', '2'], { cwd: root });
  assert.equal(code, 0, stdout + stderr);
  const attempts = jsonLines(stdout).filter(({ event }) => event === 'attempt');
  const results = new Map(attempts.map(({ drillId, report }) => [drillId as string, readResult(report as string)]));
  assert.deepEqual([...results.keys()].sort(), ['duplicate-over-cli', 'duplicate-over-http', 'lost-answer']);
  for (const { result, files } of results.values())
    assert.deepEqual(result.interactions[0]?.targetResult.output, { refunded: ['ch_000003'] }, files.join());
  const { result, report } = results.get('duplicate-over-http') as Read;
  assert.equal(result.stateHash, results.get('duplicate-over-cli')?.result.stateHash);
  assert.equal(result.trajectoryHash, results.get('duplicate-over-cli')?.result.trajectoryHash);
  assert.match(
    readFileSync(join(report, 'attachments/file-1.csv'), 'utf8'),
    /^refund,charge,amount,currency\r\nre_\w+,ch_000003,7900,eur\r\n$/,
  );
  assert.deepEqual(readdirSync(join(root, 'agents')).sort(), ['bookkeeper.py', 'world.py']);
});

interface Read {
  result: RunResult;
  report: string;
  files: string[];
}
function readResult(report: string): Read {
  const folder = join(root, report);
  return { result: JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8')) as RunResult, report: folder, files: readdirSync(folder) };
}
