import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { limits } from '../../src/contract/limits.js';
import { lockFolder, lockFolderOnceFree } from '../../src/files/folder-lock.js';
import { smallDisk } from '../small-disk.js';

const scratch = mkdtempSync(join(tmpdir(), 'drillyard-lock-'));
after(() => rmSync(scratch, { recursive: true, force: true }));
const folderOf = (): string => mkdtempSync(join(scratch, 'folder-'));
const fileOf = (folder: string): string => join(folder, 'in-use.lock');
/** Of the names of those that replace a stale lock. */
const digestLength = 32;
const past = (file: string, byMs: number): void => {
  const then = new Date(Date.now() - byMs);
  utimesSync(file, then, then);
};
const holderOf = (folder: string): { [member: string]: unknown } => JSON.parse(readFileSync(fileOf(folder), 'utf8'));

test('a folder has one holder at a time, and is free again once released', () => {
  const folder = folderOf();
  const lock = lockFolder(folder);
  assert.throws(() => lockFolder(folder), { code: 'control.STATE_CONFLICT', message: new RegExp(`in use by process ${process.pid}\\.`) });
  lock.release();
  assert.deepEqual(readdirSync(folder), []);
  lockFolder(folder).release();
});

// FOLDER-LOCK-1
test('a holder that is gone holds nothing, nor does a later process of its id, nor a file cut short', () => {
  const folder = folderOf();
  lockFolder(folder).release();
  const { pid: gone } = spawnSync(process.execPath, ['--version']);
  const lock = lockFolder(folder);
  const self = holderOf(folder);
  lock.release();
  const stale = [
    JSON.stringify({ ...self, pid: gone, begun: null, nonce: 'gone' }),
    ...(self.begun === null ? [] : [JSON.stringify({ ...self, begun: 'another boot', nonce: 'reused' })]),
    '{"pid":1',
    '',
  ];
  for (const text of stale) {
    writeFileSync(fileOf(folder), text);
    const taken = lockFolder(folder);
    assert.equal(holderOf(folder).pid, process.pid);
    assert.deepEqual(readdirSync(folder), ['in-use.lock']);
    taken.release();
  }
});

// FOLDER-LOCK-1
test('of a holder on another machine the time of the file tells', () => {
  const folder = folderOf();
  const file = fileOf(folder);
  writeFileSync(file, JSON.stringify({ pid: 1, host: 'another-machine', begun: null, nonce: 'elsewhere' }));
  assert.throws(() => lockFolder(folder), { code: 'control.STATE_CONFLICT', message: /process 1 on another-machine\. .* wait 15 s/ });
  past(file, limits.folderLockStaleMs + 1_000);
  lockFolder(folder).release();
});

/** A process in a pid namespace of its own, as in a container, that has the folder until it is killed. */
async function containerWith(context: TestContext, folder: string): Promise<ChildProcess | undefined> {
  const isolated = ['--pid', '--fork', '--mount-proc', '--kill-child'];
  const [command = '', ...rest] = ['unshare', ...isolated, process.execPath];
  if (spawnSync(command, [...rest, '--version']).status !== 0) {
    context.skip('a pid namespace takes root');
    return undefined;
  }
  const module = JSON.stringify(new URL('../../src/files/folder-lock.js', import.meta.url).href);
  const script = `const { lockFolder } = await import(${module}); lockFolder(${JSON.stringify(folder)}); console.log('held'); setInterval(() => {}, 1e6);`;
  const child = spawn(command, [...rest, '--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  context.after(() => child.kill('SIGKILL'));
  await once(child.stdout!, 'data');
  return child;
}

// FOLDER-LOCK-1
test('a holder in another pid namespace of the same host name is judged by time, whatever process has its id here', async (context) => {
  const folder = folderOf();
  const container = await containerWith(context, folder);
  if (container === undefined) return;
  const held = holderOf(folder);
  assert.equal(held.host, hostname());
  assert.throws(() => lockFolder(folder), {
    code: 'control.STATE_CONFLICT',
    message: new RegExp(`in use by process ${held.pid} of another container of ${hostname()}\\. .* wait 15 s`),
  });
  await assert.rejects(lockFolderOnceFree(folder), { code: 'control.STATE_CONFLICT' }, 'it has renewed its lock meanwhile');
  const ended = once(container, 'exit');
  container.kill('SIGKILL');
  await ended;
  past(fileOf(folder), limits.folderLockStaleMs - 500);
  assert.throws(() => lockFolder(folder), { code: 'control.STATE_CONFLICT' });
  (await lockFolderOnceFree(folder)).release();
});

// FOLDER-LOCK-1
test('the lock of an earlier version holds while its process is seen, and as long as its time says where it is not', () => {
  const folder = folderOf();
  const lock = lockFolder(folder);
  const { ids: _, ...earlier } = holderOf(folder);
  lock.release();
  if (earlier.begun === null) return;
  const write = (changes: object): void => writeFileSync(fileOf(folder), JSON.stringify({ ...earlier, ...changes }));
  write({});
  past(fileOf(folder), 2 * limits.folderLockStaleMs);
  assert.throws(() => lockFolder(folder), { code: 'control.STATE_CONFLICT' });
  for (const unseen of [{ pid: spawnSync(process.execPath, ['--version']).pid }, { begun: 'another boot' }]) {
    write(unseen);
    assert.throws(() => lockFolder(folder), { code: 'control.STATE_CONFLICT' });
    past(fileOf(folder), 2 * limits.folderLockStaleMs);
    lockFolder(folder).release();
  }
});

// FOLDER-LOCK-1
test('a holder that is not seen, and whose time lies ahead, is gone when it has not renewed its lock for so long', async () => {
  const folder = folderOf();
  const lock = lockFolder(folder);
  const own = holderOf(folder);
  lock.release();
  writeFileSync(fileOf(folder), JSON.stringify({ ...own, ids: 'another boot', nonce: 'another' }));
  past(fileOf(folder), -3_600_000);
  assert.throws(() => lockFolder(folder), { code: 'control.STATE_CONFLICT' });
  (await lockFolderOnceFree(folder)).release();
  assert.deepEqual(readdirSync(folder), []);
});

test('a lock that no process can have written holds nothing', () => {
  const folder = folderOf();
  const lock = lockFolder(folder);
  const own = holderOf(folder);
  lock.release();
  for (const pid of [-1, 0, 1.5, 1e12, '1', null]) {
    writeFileSync(fileOf(folder), JSON.stringify({ ...own, pid, begun: null }));
    lockFolder(folder).release();
  }
  symlinkSync(join(folder, 'nowhere'), fileOf(folder));
  lockFolder(folder).release();
  assert.deepEqual(readdirSync(folder), []);
  mkdirSync(fileOf(folder));
  assert.throws(() => lockFolder(folder), { code: 'control.INVALID_REQUEST', message: /in-use\.lock .*a folder is in its place/ });
  assert.deepEqual(readdirSync(folder), ['in-use.lock']);
});

// FOLDER-LOCK-2
test('who is replacing a stale lock is alone with it; one that died there is replaced in turn', () => {
  const folder = folderOf();
  const lock = lockFolder(folder);
  const alive = { ...holderOf(folder), nonce: 'replacing' };
  lock.release();
  const { pid: gone } = spawnSync(process.execPath, ['--version']);
  const [stale, died] = ['stale', 'died'].map((nonce) => JSON.stringify({ ...alive, pid: gone, begun: null, nonce })) as [string, string];
  const nameAfter = (text: string): string =>
    `${fileOf(folder)}.after-${createHash('sha256').update(text).digest('hex').slice(0, digestLength)}`;
  writeFileSync(fileOf(folder), stale);
  for (const name of [nameAfter(stale), nameAfter(died)]) {
    writeFileSync(name, JSON.stringify(alive));
    assert.throws(() => lockFolder(folder), { code: 'control.STATE_CONFLICT', message: /Several processes/ });
    assert.equal(readFileSync(fileOf(folder), 'utf8'), stale);
    writeFileSync(name, died);
  }
  rmSync(nameAfter(died));
  lockFolder(folder).release();
  assert.deepEqual(readdirSync(folder), []);
});

// FOLDER-LOCK-2
test('of many that find a stale lock at once exactly one has the folder', async () => {
  const module = new URL('../../src/files/folder-lock.js', import.meta.url).href;
  const script = `const { parentPort, workerData: { module, folders, gate, count } } = require('node:worker_threads');
    import(module).then(({ lockFolder }) => {
      const held = folders.map((folder, round) => {
        Atomics.add(gate, round, 1);
        while (Atomics.load(gate, round) < count);
        try { lockFolder(folder); return 1; } catch (error) { return error.code === 'control.STATE_CONFLICT' ? 0 : error.message; }
      });
      parentPort.postMessage(held);
    });`;
  const folders = Array.from({ length: 60 }, folderOf);
  for (const folder of folders)
    writeFileSync(fileOf(folder), JSON.stringify({ pid: 2 ** 22 + 1, host: hostname(), begun: null, nonce: 'n' }));
  const count = 3;
  const gate = new Int32Array(new SharedArrayBuffer(4 * folders.length));
  const workerData = { module, folders, gate, count };
  const threads = Array.from({ length: count }, () => new Worker(script, { eval: true, workerData }));
  const held = (await Promise.all(threads.map(async (thread) => (await once(thread, 'message'))[0]))) as unknown[][];
  await Promise.all(threads.map((thread) => thread.terminate()));
  const sums = folders.map((_, round) => held.map((of) => of[round]).sort());
  assert.deepEqual(
    sums,
    folders.map(() => [0, 0, 1]),
  );
  for (const folder of folders) assert.deepEqual(readdirSync(folder), ['in-use.lock']);
});

// FOLDER-LOCK-3
test('a full disk keeps no part of a lock, and what was cut short goes with the next one', (context) => {
  const disk = smallDisk(context, { kind: 'tmpfs', megabytes: 1 });
  if (disk === undefined) return;
  const folder = mkdtempSync(join(disk.path, 'folder-'));
  disk.leave(0);
  for (let n = 0; n < 3; n++) assert.throws(() => lockFolder(folder), { code: 'control.STORAGE_FULL' });
  assert.deepEqual(readdirSync(folder), []);
  disk.empty();
  for (const [name, age] of [
    ['old', limits.folderLockStaleMs + 1_000],
    ['young', 0],
  ] as const) {
    writeFileSync(`${fileOf(folder)}.${name}`, '');
    past(`${fileOf(folder)}.${name}`, age);
  }
  lockFolder(folder).release();
  assert.deepEqual(readdirSync(folder), ['in-use.lock.young']);
});

test('one that was taken over is not released by its former holder', () => {
  const folder = folderOf();
  const former = lockFolder(folder);
  rmSync(fileOf(folder));
  const present = lockFolder(folder);
  former.release();
  assert.ok(existsSync(fileOf(folder)));
  present.release();
  assert.equal(existsSync(fileOf(folder)), false);
});

test('a folder in which nothing can be written is refused with the reason', () => {
  assert.throws(() => lockFolder(join(folderOf(), 'absent')), { code: 'control.INVALID_REQUEST', message: /ENOENT/ });
});
