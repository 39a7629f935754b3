// Tool code inside a function of V8 that nothing interrupts, in a thread of this process: its world is lost, the process is not.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const scratch = mkdtempSync(join(tmpdir(), 'drillyard-stuck-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

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
