// Hosts in boxes, asked from inside: a host module that has nothing to do with worlds looks around as code would that has left its realm.
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { compileProject } from '../../src/compiler/compile.js';
import { dataFileOf } from '../../src/files/database.js';
import { boundsHeld } from '../../src/processes/bounds.js';
import { canBox, runtimeFolders } from '../../src/processes/bubblewrap.js';
import { spawnChild } from '../../src/processes/spawn-child.js';
import { recoverSlots } from '../../src/worlds/box-slot.js';
import { BoxPool } from '../../src/worlds/boxes.js';
import { newIdInHome } from '../../src/worlds/homes.js';
import { openWorlds } from '../../src/worlds/worlds.js';

const { works, reason, forbidsNamespaces } = canBox();
const skip = works ? false : reason;
const bounds = { memoryBytesMax: 768 * 1024 * 1024, cpuPercentMax: 100, cpuWeight: 50, processesMax: 64 };
const resourceLimits = { maxOldGenerationSizeMb: 512 };

function scratch(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'drillyard-boxes-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Where the code of this package lies is seen too, down to the code alone. */
const codeRoots = runtimeFolders().map(({ inside }) => inside.split('/')[1] as string);

// SPAWN-CHILD-3, BUBBLEWRAP-1, BUBBLEWRAP-2, BOUNDS-1
test('code in a box sees its own folder, and nothing else of the machine', { skip, timeout: 60_000 }, async (t) => {
  const folder = scratch(t);
  mkdirSync(join(folder, 'own'));
  mkdirSync(join(folder, 'other'));
  writeFileSync(join(folder, 'server.key'), 'secret');
  process.env.DRILLYARD_TEST_SECRET = 'sesame';
  t.after(() => delete process.env.DRILLYARD_TEST_SECRET);
  const seen = await new Promise<{ [what: string]: unknown }>((resolve, reject) => {
    const child = spawnChild({
      entry: new URL('./box-explorer.js', import.meta.url),
      box: {
        folders: [
          { outside: join(folder, 'own'), inside: '/data', writable: true },
          { outside: fileURLToPath(new URL('.', import.meta.url)), inside: fileURLToPath(new URL('.', import.meta.url)), writable: false },
        ],
      },
      bounds,
      onMessage: (message) => resolve(message as { [what: string]: unknown }),
    });
    t.after(() => child.kill());
    child.send({ folder, parent: process.pid, processesMax: bounds.processesMax });
    void child.ended.then((detail) => reject(new Error(detail)));
  });
  assert.deepEqual(seen, {
    environment: {},
    root: (seen.root as string[]).filter((name) =>
      ['bin', 'data', 'dev', 'lib', 'lib64', 'proc', 'sbin', 'tmp', 'usr', ...codeRoots].includes(name),
    ),
    outside: 'ENOENT',
    key: 'ENOENT',
    passwords: 'ENOENT',
    written: 'ok',
    runtimeWritten: 'EROFS',
    userId: 65_534,
    otherProcesses: false,
    signalled: 'ESRCH',
    interfaces: ['lo'],
    connected: seen.connected,
    capabilities: '0000000000000000',
    writable: ['/data', '/dev/shm', '/tmp'],
    temporaryMib: [16, 16],
    namespace: !forbidsNamespaces && seen.namespace,
    memory: 'RangeError',
    processes: boundsHeld({ inBox: true }).processes !== 'none',
  });
  assert.match(String(seen.connected), /ENETUNREACH|ECONNREFUSED|EADDRNOTAVAIL/);
  assert.deepEqual(readdirSync(join(folder, 'own')), ['written']);
});

// BOXES-1, BOXES-2
test('worlds in boxes do what worlds do, each project in a box of its own', { skip, timeout: 120_000 }, async (t) => {
  const directory = scratch(t);
  const { build } = await compileProject({ root: fileURLToPath(new URL('../../../test/fixtures/counter', import.meta.url)) });
  assert.ok(build);
  const pool = new BoxPool({ directory, bounds, resourceLimits, ready: 1 });
  t.after(() => pool.close());
  const open = (name: string) => {
    const folder = join(directory, name);
    return openWorlds({
      directory: folder,
      layout: 'shared',
      durability: 'committed',
      hosts: 1,
      isolation: 'process',
      children: pool.childrenOf(folder, 'shared'),
    });
  };
  const [one, other] = await Promise.all([open('p-one'), open('p-other')]);
  const create = { build, ...build.baseline, seed: { seed: '1', trial: 1, attempt: 1 } };
  const first = await one.create({ ...create, worldId: 'ses_000000000001' });
  const second = await other.create({ ...create, worldId: 'ses_000000000002' });
  const add = {
    kind: 'call',
    actorId: 'operator',
    packageId: 'counter',
    operationId: 'add',
    arguments: { counter: 'main', amount: 2 },
  } as const;
  const results = await Promise.all([first.command(add), second.command(add), first.command(add)]);
  assert.deepEqual(
    results.map(({ outcome }) => outcome.kind),
    ['ok', 'ok', 'ok'],
  );
  await assert.rejects(one.open('ses_000000000002'), { code: 'control.NOT_FOUND' });
  const before = await first.query({ kind: 'position' });
  // The box is lost, and the folder continues in another one.
  await one.killHost(0);
  assert.deepEqual(await first.query({ kind: 'position' }), before);
  await Promise.all([one.close(), other.close()]);
  assert.deepEqual(readdirSync(directory).sort(), ['.slots', 'p-one', 'p-other']);
  // Else it would make a box, in a slot of its own, at any moment.
  await pool.close();
  // What a crash left in a slot is found by the next start: the folder that went in, and nothing that code in the box put beside it.
  const slot = (name: string, owner: string): string => {
    const seen = join(directory, '.slots', name, 'data');
    mkdirSync(seen, { recursive: true });
    writeFileSync(join(directory, '.slots', name, 'owner'), owner);
    return seen;
  };
  renameSync(join(directory, 'p-one'), join(slot('slot-lost', 'p-one'), 'p-one'));
  mkdirSync(join(slot('slot-hostile', 'p-mine'), 'p-planted'));
  symlinkSync(directory, join(slot('slot-linked', 'p-linked'), 'p-linked'));
  mkdirSync(join(slot('slot-second', 'p-other'), 'p-other'));
  const kept = readdirSync(join(directory, 'p-other'));
  await recoverSlots(directory);
  assert.deepEqual(readdirSync(directory).sort(), ['.slots', 'p-one', 'p-other']);
  assert.deepEqual(readdirSync(join(directory, 'p-other')), kept);
  assert.deepEqual(readdirSync(join(directory, '.slots')), []);
});

// BOXES-1, BOXES-3
test('a box has the homes of a project that are open, and the others stay where they are followed', {
  skip,
  timeout: 120_000,
}, async (t) => {
  const directory = scratch(t);
  const { build } = await compileProject({ root: fileURLToPath(new URL('../../../test/fixtures/counter', import.meta.url)) });
  assert.ok(build);
  const pool = new BoxPool({ directory, bounds, resourceLimits, ready: 1 });
  t.after(() => pool.close());
  const folder = join(directory, 'p-one');
  const fileOf = (home: number): string => dataFileOf(join(folder, `home-${home}`));
  mkdirSync(join(folder, 'home-2'), { recursive: true });
  writeFileSync(fileOf(2), 'a copy');
  const homes = { count: 4, open: [1] };
  const options = { directory: folder, layout: 'homes', durability: 'committed', hosts: 1, isolation: 'process' } as const;
  const worlds = await openWorlds({ ...options, homes, children: pool.childrenOf(folder, 'homes') });
  const worldId = newIdInHome('ses', { home: 1, homes: 4 });
  const create = { build, ...build.baseline, seed: { seed: '1', trial: 1, attempt: 1 } };
  const world = await worlds.create({ ...create, worldId });
  const position = await world.query({ kind: 'position' });
  assert.equal(readFileSync(fileOf(2), 'utf8'), 'a copy');
  const backup = join(directory, 'backup');
  mkdirSync(backup);
  await worlds.copyFiles(backup, [worldId]);
  assert.deepEqual(readdirSync(backup, { recursive: true }).sort(), ['home-1', join('home-1', 'data.mdb')]);
  // Closed while the box lives, it is followed again outside, and what the box may still have open is another file.
  await worlds.closeHome(1);
  const closed = readFileSync(fileOf(1));
  const { ino } = statSync(fileOf(1));
  await assert.rejects(world.query({ kind: 'position' }), { code: 'control.UNAVAILABLE' });
  await worlds.openHome(1);
  assert.ok(!existsSync(fileOf(1)));
  assert.deepEqual(await world.query({ kind: 'position' }), position);
  await worlds.closeHome(1);
  assert.deepEqual(readFileSync(fileOf(1)), closed);
  assert.notEqual(statSync(fileOf(1)).ino, ino);
  await worlds.openHome(1);
  await worlds.killHost(0);
  assert.ok(!existsSync(fileOf(1)));
  assert.deepEqual(await world.query({ kind: 'position' }), position);
  await worlds.close();
  assert.deepEqual(readdirSync(folder).sort(), ['home-1', 'home-2']);
  assert.ok(existsSync(fileOf(1)));
  assert.equal(readFileSync(fileOf(2), 'utf8'), 'a copy');
});

test('a data folder that cannot be moved in costs no box', { skip }, async (t) => {
  const directory = scratch(t);
  const pool = new BoxPool({ directory, bounds, resourceLimits, ready: 0 });
  writeFileSync(join(directory, 'p-file'), 'no folder');
  assert.throws(() => pool.childrenOf(join(directory, 'p-file'), 'shared').take(), { code: 'control.INVALID_REQUEST' });
  assert.deepEqual(readdirSync(directory), ['p-file']);
  await pool.close();
});

// SPAWN-CHILD-4
test('a box that is ended while it is being made ends whole', { skip, timeout: 120_000 }, async () => {
  const entry = new URL('./box-liar.js', import.meta.url);
  const place = fileURLToPath(new URL('.', entry));
  const folders = [{ outside: place, inside: place, writable: false }];
  // At another moment of the making of each.
  const ends = Array.from({ length: 60 }, (_, index) => {
    const child = spawnChild({ entry, box: { folders }, onMessage: () => {} });
    for (const until = performance.now() + (index % 20) * 0.4; performance.now() < until; );
    child.kill();
    return child.ended;
  });
  for (const detail of await Promise.all(ends)) assert.equal(detail, 'exited with SIGKILL');
});

// SPAWN-CHILD-5
test('a message that its reader throws on ends the child that sent it, and nothing after it is read', { timeout: 60_000 }, async () => {
  let messages = 0;
  const child = spawnChild({
    entry: new URL('./box-liar.js', import.meta.url),
    onMessage: () => {
      messages++;
      throw new RangeError('one too many');
    },
  });
  child.send({ how: 'twice' });
  assert.match(await child.ended, /^its message could not be read: RangeError: one too many.*; exited with SIGKILL$/s);
  assert.equal(messages, 1);
});

// FRAMED-CHANNEL-1
test('a child that sends anything but messages of the right shape is ended, and its parent continues', { timeout: 60_000 }, async () => {
  for (const how of ['no json', 'too long', 'half', 'flood'] as const) {
    const messages: unknown[] = [];
    const child = spawnChild({ entry: new URL('./box-liar.js', import.meta.url), onMessage: (message) => messages.push(message) });
    child.send({ how });
    assert.match(await child.ended, how === 'half' ? /exited with 0/ : how === 'flood' ? /exited with 3/ : /a message is/, how);
    if (how === 'half' || how === 'no json' || how === 'too long') assert.deepEqual(messages, [], how);
  }
});
