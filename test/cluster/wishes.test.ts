// What operators want of nodes and homes: nodes that are spread, and nodes whose homes lie together, on one log and one virtual clock.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tuning } from '../../src/cluster/tuning.js';
import fc from '../fast-check.js';
import { homeCount, TestCluster } from './homes-kit.js';

const names = ['a', 'b', 'c'];
const allHomes = Array.from({ length: homeCount + 1 }, (_, home) => home);
const ownersOf = (cluster: TestCluster): (string | undefined)[] =>
  allHomes.map((home) => [...cluster.nodes.values()].find(({ open }) => open.has(home))?.name);

async function started(options: { areTogether?: boolean } = {}): Promise<TestCluster> {
  const cluster = new TestCluster(options);
  for (const name of names) cluster.start(name);
  await cluster.run(10_000);
  await cluster.check(names);
  return cluster;
}
const refusedFor = (reason: string) => (error: unknown) =>
  (error as { code?: string }).code === 'control.STATE_CONFLICT' &&
  (error as { extra: { details?: { reason?: string } } }).extra.details?.reason === reason;

// NODE-HOMES-4
test('a home that is moved stays where it is wanted, also over the end of that node, until its rank decides again', async () => {
  const cluster = await started();
  const before = ownersOf(cluster);
  // Of another and followed by the one that is to have it.
  const { cluster: seen } = await cluster.ask('a', async (operator) => ({ cluster: await operator.overview() }));
  const home = allHomes.find(
    (one) => one > 0 && before[one] !== 'c' && seen.homes[one]?.followers.some(({ node }) => node === 'c'),
  ) as number;
  assert.deepEqual(await cluster.ask('b', (operator) => operator.moveHomes({ homes: [home], to: 'c' })), [home]);
  cluster.wanted.set(home, 'c');
  await cluster.run(5000);
  await cluster.check(names);
  assert.deepEqual(ownersOf(cluster), before.with(home, 'c'), 'no other has moved');
  cluster.kill('c');
  await cluster.run(5000);
  await cluster.check(['a', 'b']);
  cluster.start('c');
  await cluster.run(tuning.returnedMs + 15_000);
  await cluster.check(names);
  await cluster.ask('a', (operator) => operator.moveHomes({ homes: [home], to: null }));
  cluster.wanted.delete(home);
  await cluster.run(5000);
  await cluster.check(names);
  assert.deepEqual(ownersOf(cluster), before);
  await cluster.stop();
});

// WISHES-1
test('a home without a warm copy there is refused with the reason, and moves when it is warm where the wish may wait', async () => {
  const cluster = await started();
  const before = ownersOf(cluster);
  const { homes } = await cluster.ask('a', (operator) => operator.overview());
  const [home, to] = homes
    .flatMap((one) => names.map((name) => [one, name] as const))
    .filter(([one, name]) => one.home > 0 && one.owner !== name && !one.followers.some(({ node }) => node === name))
    .map(([one, name]) => [one.home, name] as const)[0] as [number, string];
  const move = (whenWarm: boolean) => cluster.ask('a', (operator) => operator.moveHomes({ homes: [home], to, whenWarm }));
  await assert.rejects(move(false), refusedFor('no_copy'));
  await move(true);
  cluster.wanted.set(home, to);
  await cluster.run(5000);
  await cluster.check(names);
  assert.deepEqual(ownersOf(cluster), before.with(home, to));
  const asked = (wish: Parameters<Parameters<typeof cluster.ask>[1]>[0] extends { moveHomes(wish: infer W): unknown } ? W : never) =>
    cluster.ask('b', (operator) => operator.moveHomes(wish));
  await assert.rejects(asked({ homes: [homeCount + 1], to }), { code: 'control.NOT_FOUND' });
  await assert.rejects(asked({ homes: [1], to: 'd' }), { code: 'control.NOT_FOUND' });
  cluster.kill('c');
  await cluster.run(4000);
  await assert.rejects(asked({ homes: [1], to: 'c' }), refusedFor('node_gone'));
  cluster.start('c');
  await cluster.run(3000);
  await assert.rejects(asked({ homes: [1], to: 'c' }), refusedFor('node_not_ready'));
  await cluster.run(tuning.returnedMs);
  await cluster.ask('a', (operator) => operator.drainNode('c'));
  await assert.rejects(asked({ homes: [1], to: 'c' }), refusedFor('node_drained'));
  await cluster.stop();
});

// NODE-HOMES-6, CANDIDATES-1, WISHES-1
test('a drained node has nothing until that is undone or it ends, and is the last that would take a home', async () => {
  const cluster = await started();
  await cluster.ask('a', (operator) => operator.drainNode('b'));
  cluster.drained.add('b');
  await cluster.run(6000);
  await cluster.check(names);
  assert.equal(cluster.nodes.get('b')?.open.size, 0);
  const { nodes } = await cluster.ask('c', (operator) => operator.overview());
  assert.deepEqual(
    nodes.map(({ node, isDrained, homes }) => [node, isDrained, homes === 0]),
    [
      ['a', false, false],
      ['b', true, true],
      ['c', false, false],
    ],
  );
  await cluster.ask('b', (operator) => operator.drainNode('a'));
  cluster.drained.add('a');
  await cluster.run(6000);
  await cluster.check(names);
  await assert.rejects(
    cluster.ask('b', (operator) => operator.drainNode('c')),
    refusedFor('no_other_node'),
  );
  await assert.rejects(
    cluster.ask('b', (operator) => operator.drainNode('nobody')),
    { code: 'control.NOT_FOUND' },
  );
  cluster.kill('c');
  await cluster.run(6000);
  // Better those than nobody.
  await cluster.check(['a', 'b']);
  await cluster.ask('b', (operator) => operator.undoDrainNode('a'));
  cluster.drained.delete('a');
  await cluster.run(6000);
  await cluster.check(['a', 'b']);
  cluster.kill('b');
  cluster.start('b');
  await cluster.run(tuning.returnedMs + 15_000);
  await cluster.check(['a', 'b']);
  assert.notEqual(cluster.nodes.get('b')?.open.size, 0);
  await cluster.stop();
});

// NODE-HOMES-4, NODE-HOMES-6
test('homes that lie together move together, and stay', async () => {
  const cluster = await started({ areTogether: true });
  const leader = ownersOf(cluster)[0] as string;
  const [next, last] = names.filter((name) => name !== leader) as [string, string];
  await assert.rejects(
    cluster.ask(last, (operator) => operator.moveHomes({ homes: [1], to: next })),
    refusedFor('homes_lie_together'),
  );
  assert.deepEqual(await cluster.ask(last, (operator) => operator.moveHomes({ to: next })), allHomes);
  cluster.wanted.set(0, next);
  await cluster.run(4000);
  await cluster.check(names);
  await cluster.ask(leader, (operator) => operator.drainNode(next));
  cluster.drained.add(next);
  await cluster.run(4000);
  await cluster.check(names);
  assert.notEqual(ownersOf(cluster)[0], next);
  await cluster.ask(leader, (operator) => operator.undoDrainNode(next));
  cluster.drained.delete(next);
  await cluster.run(4000);
  await cluster.check(names);
  assert.equal(ownersOf(cluster)[0], next);
  // Their owner keeps them for as long as it can: without a wish nothing moves back.
  await cluster.ask(last, (operator) => operator.moveHomes({ to: null }));
  await cluster.run(4000);
  assert.deepEqual(new Set(ownersOf(cluster)), new Set([next]));
  await cluster.stop();
});

// NODE-HOMES-2, NODE-HOMES-4, NODE-HOMES-6
test('whatever operators want while nodes end and come back, homes end where they are wanted or belong, and nothing is lost', async () => {
  const step = fc.record({
    kind: fc.constantFrom('kill' as const, 'start' as const, 'move' as const, 'free' as const, 'drain' as const, 'undo' as const),
    node: fc.constantFrom(...names),
    home: fc.integer({ min: 0, max: homeCount }),
    ms: fc.integer({ min: 1, max: 4000 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 10 }), async (steps) => {
      const cluster = new TestCluster();
      for (const name of names) cluster.start(name);
      await cluster.run(3000);
      for (const { kind, node, home, ms } of steps) {
        const asked = [...cluster.nodes.keys()][0];
        if (kind === 'kill' && cluster.nodes.size > 1) cluster.kill(node);
        else if (kind === 'start' && !cluster.nodes.has(node)) cluster.start(node);
        else if (asked !== undefined) {
          const isMet = await cluster
            .ask(asked, async (operator) => {
              if (kind === 'move') await operator.moveHomes({ homes: [home], to: node, whenWarm: true });
              if (kind === 'free') await operator.moveHomes({ homes: [home], to: null });
              if (kind === 'drain') await operator.drainNode(node);
              if (kind === 'undo') await operator.undoDrainNode(node);
            })
            .then(
              () => true,
              (error: unknown) => {
                assert.match((error as { code: string }).code, /^control\.(STATE_CONFLICT|NOT_FOUND|UNAVAILABLE)$/);
                return false;
              },
            );
          if (isMet && kind === 'move') cluster.wanted.set(home, node);
          if (isMet && kind === 'free') cluster.wanted.delete(home);
          if (isMet && kind === 'drain') cluster.drained.add(node);
          if (isMet && kind === 'undo') cluster.drained.delete(node);
        }
        await cluster.run(ms);
      }
      for (const name of names) if (!cluster.nodes.has(name)) cluster.start(name);
      await cluster.run(tuning.returnedMs + 20_000);
      await cluster.check(names);
      await cluster.stop();
    }),
    { numRuns: 10 },
  );
});

test('takes are counted by their kind, with the parts of their time; appends with what they carried', async () => {
  const cluster = await started();
  const kinds = (name: string) => new Set(cluster.nodes.get(name)?.takes.map(({ kind }) => kind));
  assert.ok(names.some((name) => kinds(name).has('first')));
  await cluster.ask('a', (operator) => operator.drainNode('b'));
  await cluster.run(4000);
  assert.ok(kinds('a').has('handover') || kinds('c').has('handover'));
  const count = cluster.nodes.get('c')?.takes.length;
  cluster.kill('a');
  await cluster.run(4000);
  const taken = cluster.nodes.get('c')?.takes.slice(count) ?? [];
  assert.ok(taken.length > 0);
  for (const { kind, parts } of taken) {
    assert.equal(kind, 'silence');
    assert.ok((parts.detection as number) >= tuning.aliveMs / 1000 && (parts.detection as number) < 3, JSON.stringify(parts));
    for (const part of ['claim', 'reading', 'opening'] as const) assert.ok((parts[part] as number) >= 0);
  }
  const { appends } = cluster.nodes.get('c') as { appends: { records: number; bytes: number }[] };
  assert.ok(appends.some(({ records, bytes }) => records > 1 && bytes > 0));
  await cluster.stop();
});
