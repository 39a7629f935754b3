// Hosts that come and go under references to worlds: who holds one notices nothing, and two projects never share a host.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, linkSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { compileProject } from '../../src/compiler/compile.js';
import { ServiceError } from '../../src/contract/errors.js';
import type { CompiledBuild } from '../../src/contract/run/build.js';
import { ProjectWorlds, projectFolder } from '../../src/control/sessions/project-worlds.js';
import { homeOf } from '../../src/worlds/homes.js';
import { verifyWorlds } from '../../src/worlds/verify-worlds.js';
import { openWorlds } from '../../src/worlds/worlds.js';
import { makeDeepFolder } from '../deep-folder.js';
import { until } from '../until.js';

const compiled = await compileProject({ root: fileURLToPath(new URL('../../../test/fixtures/counter', import.meta.url)) });
const build = compiled.build as CompiledBuild;
const add = {
  kind: 'call',
  actorId: 'operator',
  packageId: 'counter',
  operationId: 'add',
  arguments: { counter: 'main', amount: 1 },
} as const;
/** `ses_a...` is of project a. */
const projectOf = (worldId: string): string => worldId.charAt(4);
const create = (worlds: ProjectWorlds, worldId: string) =>
  worlds.create({ worldId, build, ...build.baseline, seed: { seed: '1', trial: 1, attempt: 1 } });

function open(t: TestContext, { idleMs = 60_000, projectsLiveMax = 8 } = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'drillyard-projects-'));
  const started: string[] = [];
  const removed = new Set<string>();
  const worlds = new ProjectWorlds({
    directory,
    projectOf,
    isOpen: (projectId) => !removed.has(projectId),
    idleMs,
    projectsLiveMax,
    open: (folder) => {
      started.push(basename(folder));
      return openWorlds({ directory: folder, layout: 'shared', durability: 'committed', hosts: 1, isolation: 'thread' });
    },
  });
  t.after(async () => {
    await worlds.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return { worlds, started, removed, directory };
}

// PROJECT-WORLDS-1
test('each project has hosts and a data folder of its own, named by no id', async (t) => {
  const { worlds, started, directory } = open(t);
  const [a, b] = await Promise.all([create(worlds, 'ses_a00000000001'), create(worlds, 'ses_b00000000001')]);
  await Promise.all([a.command(add), b.command(add), a.command(add)]);
  assert.deepEqual(started.sort(), [projectFolder('a'), projectFolder('b')].sort());
  assert.deepEqual(readdirSync(directory).sort(), started);
  assert.notEqual(worlds.hostOf('ses_a00000000001'), worlds.hostOf('ses_b00000000001'));
  assert.equal((await worlds.stats()).hosts.length, 2);
  assert.ok(!started.some((name) => name.includes('a00000')));
});

test('hosts start before the first message where that is asked for, and end no others for it', async (t) => {
  const { worlds, started } = open(t, { projectsLiveMax: 2 });
  await worlds.prepare('a');
  assert.deepEqual([started, (await worlds.stats()).hosts.length], [[projectFolder('a')], 1]);
  await (await create(worlds, 'ses_a00000000001')).command(add);
  await (await create(worlds, 'ses_b00000000001')).command(add);
  await worlds.prepare('c');
  assert.deepEqual(started, [projectFolder('a'), projectFolder('b')]);
});

// PROJECT-WORLDS-2
test('hosts that nobody uses end, and start again with the next message, in the order of the calls', async (t) => {
  const { worlds, started } = open(t, { idleMs: 50 });
  const world = await create(worlds, 'ses_a00000000001');
  await world.command(add);
  await until(async () => (await worlds.stats()).hosts.length === 0);
  const before = started.length;
  const totals = await Promise.all(Array.from({ length: 5 }, () => world.command(add)));
  assert.deepEqual(
    totals.map(({ outcome }) => outcome.kind === 'ok' && (outcome.value as { total: number }).total),
    [2, 3, 4, 5, 6],
  );
  assert.equal(started.length, before + 1);
  const { world: child } = await world.fork({ worldId: 'ses_a00000000002' });
  await until(async () => (await worlds.stats()).hosts.length === 0);
  assert.equal((await child.query({ kind: 'row', packageId: 'counter', namespace: 'counters', rowId: 'main' })).value?.total, 6);
});

// PROJECT-WORLDS-2
test('where no more hosts may stand, those that are at rest are ended, and those at work are not', async (t) => {
  const { worlds } = open(t, { projectsLiveMax: 1 });
  await create(worlds, 'ses_a00000000001');
  // Just used: it is not taken from its project.
  await assert.rejects(create(worlds, 'ses_b00000000001'), { code: 'control.UNAVAILABLE' });
  await until(async () => {
    try {
      await create(worlds, 'ses_b00000000002');
      return true;
    } catch {
      return false;
    }
  });
  assert.equal((await worlds.stats()).hosts.length, 1);
});

// PROJECT-WORLDS-2
test('hosts at rest make place for others, though the wall clock was set back after they were used', async (t) => {
  const { worlds } = open(t, { projectsLiveMax: 1 });
  await create(worlds, 'ses_a00000000001');
  const wallMs = Date.now;
  t.mock.method(Date, 'now', () => wallMs() - 3_600_000);
  await until(() =>
    create(worlds, 'ses_b00000000001').then(
      () => true,
      () => false,
    ),
  );
  assert.equal((await worlds.stats()).hosts.length, 1);
});

// PROJECT-WORLDS-3
test('the worlds of a project are removed with its hosts and its folder, and none comes back', async (t) => {
  const { worlds, started, removed, directory } = open(t);
  const [a, b] = await Promise.all([create(worlds, 'ses_a00000000001'), create(worlds, 'ses_b00000000001')]);
  await Promise.all([a.command(add), b.command(add)]);
  // Code that has left its realm may have left anything there.
  makeDeepFolder(join(directory, projectFolder('a')));
  mkdirSync(join(directory, projectFolder('a'), 'closed', 'inner'), { recursive: true });
  chmodSync(join(directory, projectFolder('a'), 'closed'), 0);
  removed.add('a');
  // Some are asked for while they go.
  const late = Promise.allSettled([a.command(add), worlds.open('ses_a00000000001')]);
  await worlds.removeProject('a');
  await late;
  assert.deepEqual(readdirSync(directory), [projectFolder('b')]);
  const gone = (error: unknown) => error instanceof ServiceError && error.code === 'control.NOT_FOUND';
  await assert.rejects(a.command(add), gone);
  await assert.rejects(worlds.open('ses_a00000000001'), gone);
  await assert.rejects(create(worlds, 'ses_a00000000002'), gone);
  await worlds.removeProject('a');
  assert.deepEqual(readdirSync(directory), [projectFolder('b')]);
  assert.deepEqual(started.sort(), [projectFolder('a'), projectFolder('b')].sort());
  await b.command(add);
  assert.equal((await worlds.stats()).hosts.length, 1);
});

// PROJECT-WORLDS-1
test('files are copied whether hosts stand, are at rest, or start no more; those started for a copy end with it', async (t) => {
  const { worlds, started, removed, directory } = open(t, { idleMs: 50 });
  const into = (name: string): string => {
    const folder = join(directory, '..', `${basename(directory)}-${name}`);
    mkdirSync(folder);
    t.after(() => rmSync(folder, { recursive: true }));
    return folder;
  };
  const copied = async (name: string) => {
    const folder = into(name);
    await worlds.copyProject('a', folder, ['ses_a00000000001']);
    assert.deepEqual(readdirSync(folder), ['host-0']);
    const found = await verifyWorlds(join(folder, 'host-0', 'data.mdb'), (fault) => assert.fail(fault));
    return found.map(({ worldId }) => worldId);
  };
  await Promise.all([create(worlds, 'ses_a00000000001'), create(worlds, 'ses_a00000000002')]);
  assert.deepEqual(await copied('stand'), ['ses_a00000000001']);
  await until(async () => (await worlds.stats()).hosts.length === 0);
  const before = started.length;
  assert.deepEqual(await copied('rest'), ['ses_a00000000001']);
  assert.deepEqual([started.length, (await worlds.stats()).hosts.length], [before + 1, 0]);
  removed.add('a');
  assert.deepEqual(await copied('over'), ['ses_a00000000001', 'ses_a00000000002'], 'nothing writes there any more');
  const nothing = into('nothing');
  await worlds.copyProject('b', nothing, []);
  assert.deepEqual([readdirSync(nothing), started.length], [[], before + 1]);
});

// PROJECT-WORLDS-5
test('of a project that goes, a copy has plain files alone: what a host left in their place is followed nowhere', {
  timeout: 60_000,
}, async (t) => {
  const { worlds, removed, directory } = open(t);
  await create(worlds, 'ses_a00000000001');
  removed.add('a');
  await worlds.close();
  const folder = join(directory, projectFolder('a'));
  writeFileSync(join(directory, 'secret'), 'of the service');
  const placed = (name: string, place: (file: string) => void): void => {
    mkdirSync(join(folder, name));
    place(join(folder, name, 'data.mdb'));
  };
  placed('host-1', (file) => symlinkSync('../../secret', file));
  placed('host-2', (file) => linkSync(join(directory, 'secret'), file));
  placed('host-3', (file) => mkdirSync(file));
  mkdirSync(join(directory, 'other'));
  writeFileSync(join(directory, 'other', 'data.mdb'), 'of another project');
  symlinkSync('../other', join(folder, 'host-4'));
  const into = mkdtempSync(join(tmpdir(), 'drillyard-copied-'));
  t.after(() => rmSync(into, { recursive: true }));
  const copied = async (name: string): Promise<string[]> => {
    mkdirSync(join(into, name));
    await worlds.copyProject('a', join(into, name), []);
    return readdirSync(join(into, name), { recursive: true }).map(String).sort();
  };
  assert.deepEqual(await copied('links'), ['host-0', 'host-0/data.mdb']);
  const [world] = await verifyWorlds(join(into, 'links', 'host-0', 'data.mdb'), (fault) => assert.fail(fault));
  assert.equal(world?.worldId, 'ses_a00000000001');
  placed('host-5', (file) => execFileSync('mkfifo', [file]));
  assert.deepEqual(await copied('pipes'), ['host-0', 'host-0/data.mdb']);
});

// PROJECT-WORLDS-4
test('hosts of every project serve the homes that are owned, whenever they start, and let go of one that is closed', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'drillyard-projects-'));
  const count = 4;
  const owned = new Set([1, 2]);
  let started = 0;
  const serviceOf = (homes: { count: number; owned(): number[] }): ProjectWorlds =>
    new ProjectWorlds({
      directory,
      projectOf,
      isOpen: (projectId) => projectId !== 'c',
      homes,
      open: (folder, { homes: now }) => {
        started++;
        const layout = { layout: 'homes', ...(now && { homes: now }) } as const;
        return openWorlds({ directory: folder, ...layout, durability: 'committed', hosts: 1, isolation: 'thread' });
      },
    });
  const [worlds, other] = [serviceOf({ count, owned: () => [...owned] }), serviceOf({ count, owned: () => [1] })];
  t.after(async () => {
    await Promise.all([worlds.close(), other.close()]);
    rmSync(directory, { recursive: true, force: true });
  });
  const idIn = (project: string, home: number): string => {
    for (let number = 0; ; number++) {
      const id = `ses_${project}${String(number).padStart(11, '0')}`;
      if (homeOf(id, count) === home) return id;
    }
  };
  const isElsewhere = { code: 'control.UNAVAILABLE' };
  const [a, two] = await Promise.all([create(worlds, idIn('a', 1)), create(worlds, idIn('a', 2))]);
  await Promise.all([a.command(add), two.command(add)]);
  await assert.rejects(create(worlds, idIn('a', 3)), isElsewhere);
  // The hosts of b start while the home is closed for those of a.
  const b = create(worlds, idIn('b', 1)).then(
    () => 'made',
    (error: ServiceError) => error.code,
  );
  owned.delete(1);
  await worlds.closeHome(1);
  assert.ok(['made', 'control.UNAVAILABLE', 'world.ACTOR_RESTARTED'].includes(await b));
  await assert.rejects(a.command(add), isElsewhere);
  await assert.rejects(create(worlds, idIn('b', 1)), isElsewhere);
  const total = async (world: Awaited<ReturnType<typeof create>>) =>
    (await world.query({ kind: 'row', packageId: 'counter', namespace: 'counters', rowId: 'main' })).value?.total;
  const taken = await other.open(idIn('a', 1));
  await taken.command(add);
  assert.equal(await total(taken), 2);
  assert.equal(await total(two), 1);
  await other.closeHome(1);
  owned.add(1);
  await worlds.openHome(1);
  assert.equal(await total(a), 2);
  assert.equal(started, 3);
});
