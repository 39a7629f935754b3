// The eighth example, as a user runs it: four official clients in one agent, and the agent that refunds twice.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { RunResult } from '../../src/contract/run/run.js';
import { drillyard, jsonLines } from '../cli/cli.js';
import { warmDrillyard } from '../cli/warm-cli.js';

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'drillyard-example-'));

before(() => {
  cpSync(join(repository, 'examples/08-real-services'), root, { recursive: true, filter: (from) => !from.includes('.service') });
  // Its four clients, of the versions that its package.json names.
  symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'));
});
after(() => rmSync(root, { recursive: true, force: true }));

const read = <T>(path: string): T => JSON.parse(readFileSync(path, 'utf8')) as T;

async function run(...flags: string[]) {
  const { code, stdout, stderr } = await drillyard(['run', '--json', ...flags], { cwd: root });
  const attempts = jsonLines(stdout).filter(({ event }) => event === 'attempt');
  const results = attempts.map(({ drillId, report }) => {
    const result = read<RunResult>(join(root, report as string, 'run.json'));
    return [drillId as string, result] as const;
  });
  return { code, results: new Map(results), said: stdout + stderr };
}

test('it compiles without a warning, and names the clients that this repository has', async () => {
  const { code, stderr } = await warmDrillyard(['validate'], { cwd: root });
  assert.deepEqual([code, stderr], [0, '']);
  const { dependencies } = read<{ dependencies: object }>(join(root, 'package.json'));
  const { devDependencies } = read<{ devDependencies: { [name: string]: string } }>(join(repository, 'package.json'));
  for (const [name, version] of Object.entries(dependencies)) assert.equal(devDependencies[name], version, name);
});

test('a lost answer of the refund changes nothing for who asks again with the key; both runs have the same end', async () => {
  const { code, results, said } = await run();
  assert.equal(code, 0, said);
  assert.deepEqual([...results.keys()].sort(), ['shipping-answer-lost', 'shipping-quiet-day']);
  const again = await run();
  for (const [drillId, { trajectoryHash, stateHash }] of results) {
    assert.equal(again.results.get(drillId)?.trajectoryHash, trajectoryHash, drillId);
    assert.equal(again.results.get(drillId)?.stateHash, stateHash, drillId);
  }
});

test('the agent with a loop of its own is caught: two refunds, each cited', async () => {
  const { code, results, said } = await run('--suite', 'failing');
  assert.equal(code, 1, said);
  const failed = results.get('shipping-careless')?.assertionResults.filter(({ status }) => status === 'failed');
  assert.deepEqual(
    failed?.map(({ assertionId }) => assertionId),
    ['shipping-only', 'refunded-once'],
  );
  for (const { evidenceSequences } of failed ?? []) assert.equal(evidenceSequences.length, 2);
});
