// Code that nothing interrupts, as tool code is inside of some functions of V8, in a thread of this process: its world is lost, the process
// is not.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const scratch = mkdtempSync(join(tmpdir(), 'drillyard-stuck-'));
const entry = fileURLToPath(new URL('./stuck-child.js', import.meta.url));
/** What starts a process as the first of a pid namespace, as in a container. */
const [unshare, ...isolated] = ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--kill-child'] as [string, ...string[]];
const isolates = spawnSync(unshare, [...isolated, 'true']).status === 0;

// They wait for most of their time, so all wait at once.
const children: ChildProcess[] = [];
const processes = {
  first: isolates ? start([unshare, ...isolated], 'wait', 'exit') : undefined,
  end: start([], 'tool', 'end'),
  exit: start([], 'wait', 'exit'),
};
after(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(scratch, { recursive: true, force: true });
});

interface Ended {
  how: unknown[];
  log: string;
}
async function start(before: readonly string[], what: 'tool' | 'wait', way: 'end' | 'exit'): Promise<Ended> {
  const directory = join(scratch, `${children.length}`);
  const log = `${directory}.log`;
  const [command, ...words] = [...before, process.execPath, entry, directory, log, what, way];
  const child = spawn(command as string, words, { stdio: before.length > 0 ? 'ignore' : 'inherit' });
  children.push(child);
  const how = await once(child, 'exit');
  return { how, log: readFileSync(log, 'utf8') };
}

// STUCK-THREADS-1
test('the first process of a container, which no SIGKILL of its own ends, ends all the same', {
  skip: !isolates && 'there is no pid namespace here',
  timeout: 120_000,
}, async () => {
  assert.match((await processes.first)?.log ?? '', /\nlast listener 3\n$/);
});

// STUCK-THREADS-1
for (const way of ['end', 'exit'] as const) {
  test(`a process with a thread that cannot be ended ends all the same, by its ${way}`, { timeout: 120_000 }, async () => {
    const { how, log } = await processes[way];
    assert.deepEqual(how, [null, 'SIGKILL']);
    assert.deepEqual(log.trimEnd().split('\n'), ['world.HANDLER_TIMEOUT', 'closed', 'first listener', 'last listener 3']);
  });
}
