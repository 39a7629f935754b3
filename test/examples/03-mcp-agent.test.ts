// The third example, as a user runs it: in a folder of its own, with its packages. The agent over stdio starts the `drillyard` that the run
// gives it.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { drillyard, jsonLines } from '../cli/cli.js';
import { warmDrillyard } from '../cli/warm-cli.js';

const project = fileURLToPath(new URL('../../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'drillyard-example-'));
const root = join(folder, 'example');
before(() => {
  cpSync(join(project, 'examples', '03-mcp-agent'), root, { recursive: true, filter: (from) => !from.includes('.service') });
  symlinkSync(join(project, 'node_modules'), join(root, 'node_modules'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

const run = async (command: typeof drillyard, ...flags: string[]) => {
  const { code, stdout, stderr } = await command(['run', '--json', ...flags], { cwd: root });
  return { code, stderr, lines: jsonLines(stdout) };
};

test('it names the client that the tests run it with', () => {
  const wants = (file: string, kind: string): string => JSON.parse(readFileSync(file, 'utf8'))[kind]['@modelcontextprotocol/sdk'];
  assert.equal(wants(join(root, 'package.json'), 'dependencies'), wants(join(project, 'package.json'), 'devDependencies'));
});

test('all its drills pass, and over HTTP and stdio the agent did the same', { timeout: 120_000 }, async () => {
  const { code, stderr, lines } = await run(drillyard);
  assert.equal(stderr, '');
  const { verdict, passed } = lines.at(-1) ?? {};
  assert.deepEqual([code, verdict, passed], [0, 'passed', 3]);
  const hash = (drillId: string): unknown => lines.find((line) => line.event === 'attempt' && line.drillId === drillId)?.trajectoryHash;
  assert.equal(hash('orders-over-http'), hash('orders-over-stdio'));
});

test('with a new key for each try an order is charged twice, and the drill says so', { timeout: 60_000 }, async () => {
  const agent = join(root, 'agents', 'order-agent.mjs');
  const patient = readFileSync(agent, 'utf8');
  const hasty = patient.replace("{ 'drillyard/idempotencyKey': idempotencyKey }", "{ 'drillyard/idempotencyKey': idempotencyKey + tries }");
  assert.notEqual(hasty, patient);
  writeFileSync(agent, hasty);
  const { code, lines } = await run(warmDrillyard, 'orders-on-a-rough-day');
  writeFileSync(agent, patient);
  const report = lines.find(({ event }) => event === 'attempt')?.report as string;
  const { assertionResults } = JSON.parse(readFileSync(join(root, report, 'run.json'), 'utf8')) as {
    assertionResults: { assertionId: string; status: string; actual: unknown }[];
  };
  assert.equal(code, 1);
  const charges = assertionResults.find(({ assertionId }) => assertionId === 'two-charges');
  assert.deepEqual([charges?.status, charges?.actual], ['failed', 3]);
});
