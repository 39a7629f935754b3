// The seventh example, as a user runs it: an application that hands its agent to an inspector it started.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { engineFlags } from '../cli/cli.js';

const example = fileURLToPath(new URL('../../../examples/07-embedded-inspector', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'drillyard-example-'));
before(() => {
  cpSync(example, root, { recursive: true, filter: (from) => !from.includes('.service') });
  const installed = join(root, 'node_modules', 'drillyard');
  mkdirSync(installed, { recursive: true });
  writeFileSync(join(installed, 'package.json'), JSON.stringify({ name: 'drillyard', type: 'module', exports: './index.js' }));
  writeFileSync(join(installed, 'index.js'), `export * from ${JSON.stringify(new URL('../../src/index.js', import.meta.url).href)};`);
});
after(() => rmSync(root, { recursive: true, force: true }));

const start = (...args: string[]) =>
  spawn(process.execPath, [...engineFlags, 'inspect.mjs', ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });

test('the drills of its own agent pass, and the exit code says so', async () => {
  const child = start('--once');
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  assert.deepEqual([stderr, code], ['', 0]);
  assert.equal(stdout, 'passed       flaky-network\npassed       monday-orders\n');
});

test('an order that is forgotten is found out', async () => {
  const book = join(root, 'app', 'order-book.mjs');
  const source = readFileSync(book, 'utf8');
  writeFileSync(book, source.replace("{ id: '4712', state: 'cancelled' }", "{ id: '4712', state: 'packing' }"));
  const child = start('--once');
  const [stdout, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  writeFileSync(book, source);
  assert.deepEqual([stdout, code], ['failed       flaky-network\nfailed       monday-orders\n', 1]);
});

test('without --once the window stays open until a signal', async (t) => {
  const child = start();
  t.after(() => child.kill('SIGKILL'));
  let link: string | undefined;
  for await (const line of createInterface(child.stdout)) {
    link = /http:\S+/.exec(line)?.[0];
    if (link !== undefined) break;
  }
  const [address = '', token = ''] = (link ?? '').split('/#/runs?token=');
  const listed = await fetch(`${address}/api/v1/runs`, { headers: { authorization: `Bearer ${token}` } });
  const { runs } = (await listed.json()) as { runs: { drill: { id: string } }[] };
  assert.ok(runs.some(({ drill }) => drill.id === 'monday-orders'));
  child.kill('SIGINT');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});
