// Tool code inside a function of V8 that nothing interrupts, in a thread of this process: its world is lost, the process is not.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const scratch = mkdtempSync(join(tmpdir(), 'drillyard-stuck-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

/** What starts a process as the first of a pid namespace, as in a container. */
const asFirst = ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--kill-child'];
const [unshare, ...isolated] = asFirst as [string, ...string[]];

// STUCK-THREADS-1
test('the first process of a container, which no SIGKILL of its own ends, ends all the same', {
  skip: spawnSync(unshare, [...isolated, 'true']).status !== 0 && 'there is no pid namespace here',
  timeout: 120_000,
}, async (context) => {
  const entry = fileURLToPath(new URL('./stuck-child.js', import.meta.url));
  const [directory, log] = [join(scratch, 'first'), join(scratch, 'first.log')];
  const child = spawn(unshare, [...isolated, process.execPath, entry, directory, log, 'exit'], { stdio: 'ignore' });
  context.after(() => child.kill('SIGKILL'));
  await once(child, 'exit');
  assert.match(readFileSync(log, 'utf8'), /\nlast listener 3\n$/);
});

// STUCK-THREADS-1
for (const way of ['end', 'exit']) {
  test(`a process with a thread that cannot be ended ends all the same, by its ${way}`, { timeout: 120_000 }, async (context) => {
    const log = join(scratch, `${way}.log`);
    const entry = fileURLToPath(new URL('./stuck-child.js', import.meta.url));
    const child = spawn(process.execPath, [entry, join(scratch, way), log, way], { stdio: 'inherit' });
    context.after(() => child.kill('SIGKILL'));
    assert.deepEqual(await once(child, 'exit'), [null, 'SIGKILL']);
    assert.deepEqual(readFileSync(log, 'utf8').trimEnd().split('\n'), [
      'world.HANDLER_TIMEOUT',
      'closed',
      'first listener',
      'last listener 3',
    ]);
  });
}
