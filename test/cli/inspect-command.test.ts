// `drillyard inspect` as a process: its first line, its server, its end.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { createRepository } from '../drills/repository.js';

// Not as cli.ts starts it: to node itself a first argument `inspect` is its debugger.
const main = new URL('../../src/cli/main.js', import.meta.url).href;
const program = (args: readonly string[]): string => `const { main } = await import(${JSON.stringify(main)}); await main(${JSON.stringify(args)});`;

test('inspect says where it is in its first line, serves, and ends at a signal', async (t) => {
  const repository = createRepository();
  const args = ['inspect', '--no-open', '--json', '--root', repository.root];
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program(args)], { stdio: ['ignore', 'pipe', 'pipe'] });
  t.after(() => {
    child.kill('SIGKILL');
    repository.remove();
  });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const { event, baseUrl, token, appUrl } = JSON.parse(line);
  assert.deepEqual([event, appUrl], ['ready', `${baseUrl}/#token=${token}`]);
  assert.match(baseUrl, /^http:\/\/127\.0\.0\.1:\d+$/);
  const project = await fetch(`${baseUrl}/api/v1/project`, { headers: { authorization: `Bearer ${token}` } });
  assert.equal(((await project.json()) as { project: { world: { id: string } } }).project.world.id, 'test');
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  assert.equal(code, 0);
});
