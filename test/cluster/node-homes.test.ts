import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Placement } from '../../src/cluster/placement.js';
import { tuning } from '../../src/cluster/tuning.js';
import { ServiceError } from '../../src/contract/errors.js';
import { diskFull } from '../../src/files/disk-full.js';
import fc from '../fast-check.js';
import { homeCount, problemsOf, TestCluster, type TestNode } from './homes-kit.js';
import { entryOf } from './log-kit.js';

const names = ['a', 'b', 'c'];
const placement = new Placement();

async function started(nodes: readonly string[] = names): Promise<TestCluster> {
  const cluster = new TestCluster();
  for (const name of nodes) cluster.start(name);
  await cluster.run(10_000);
  await cluster.check(nodes);
  return cluster;
}

// NODE-HOMES-1
test('nodes that start together share the homes by rank; one alone has all at once', async () => {
  const alone = new TestCluster();
  alone.start('a');
  await alone.run(500);
  await alone.check(['a']);
  await alone.stop();
  const cluster = await started();
  await cluster.stop();
});

// NODE-HOMES-1, NODE-HOMES-2
test('what a killed node owned is taken within three seconds, with all that it acknowledged', async () => {
  const cluster = await started();
  cluster.kill('b');
  await cluster.run(tuning.aliveMs + tuning.beatMs);
  await cluster.check(['a', 'c']);
  await cluster.stop();
});

// NODE-HOMES-2
test('an owner that is heard of again while its homes are claimed may read until it learns of that, and the taker waits', async () => {
  const cluster = await started();
  const cut = cluster.nodes.get('b');
  assert.ok(cut);
  const owned = [...cut.open];
  for (const name of ['a', 'c']) (cluster.nodes.get(name) as { claimMs: number }).claimMs = 2000;
  cut.isCut = true;
  // Its homes are being claimed, and no claim has arrived yet.
  await cluster.run(tuning.aliveMs + 2 * tuning.beatMs);
  cut.isCut = false;
  await cluster.run(2 * tuning.beatMs);
  assert.ok(owned.length > 0 && owned.every((home) => cut.homes.mayRead(home)));
  await cluster.run(10_000);
  await cluster.check(['a', 'c']);
  await cluster.stop();
});

// NODE-HOMES-3
test('a node that joins gets homes when its copies are warm, at most two at once', async () => {
  const cluster = await started(['a', 'b']);
  cluster.start('c');
  let leavingMax = 0;
  for (let moment = 0; moment < 200; moment++) {
    await cluster.run(50);
    const phases = ['a', 'b'].map((name) =>
      [0, 1, 2, 3, 4, 5].filter((home) => cluster.nodes.get(name)?.homes.phaseOf(home) === 'leaving'),
    );
    leavingMax = Math.max(leavingMax, ...phases.map(({ length }) => length));
  }
  assert.ok(leavingMax <= tuning.handoversAtOnceMax);
  await cluster.check(names);
  await cluster.stop();
});

// NODE-HOMES-4
test('a node that came back gets homes only after a while; then each is where it belongs', async () => {
  const cluster = await started();
  cluster.kill('a');
  await cluster.run(5000);
  cluster.start('a');
  await cluster.run(tuning.aliveMs + 1000);
  const returned = cluster.nodes.get('a')?.homes;
  // Long before it gets any, it is as good as another for who asks it.
  assert.deepEqual([returned?.isWarm, returned?.isReady], [true, false]);
  await cluster.run(tuning.returnedMs - 6000);
  await cluster.check(['b', 'c']).catch((error: unknown) => assert.match(String(error), /home/));
  assert.equal(cluster.nodes.get('a')?.open.size, 0);
  await cluster.run(15_000);
  await cluster.check(names);
  await cluster.stop();
});

test('a node that is drained owns nothing afterwards, and the others have all of it', async () => {
  const cluster = await started();
  const drained = cluster.nodes.get('c')?.homes.drain();
  await cluster.run(5000);
  await drained;
  await cluster.check(['a', 'b']);
  await cluster.stop();
});

// NODE-HOMES-7
test('a node whose disk is short gives its homes to the others, and gets them back when there is space', async () => {
  const cluster = await started();
  const short = cluster.nodes.get('a') as TestNode;
  short.hasSpace = false;
  await cluster.run(10_000);
  assert.deepEqual([...short.open], []);
  const problems = short.problems.splice(0);
  assert.ok(problems.length > 0);
  for (const { kind, error } of problems) assert.deepEqual([kind, (error as { code?: string }).code], ['unstored', 'control.STORAGE_FULL']);
  const homes = problems.map((problem) => 'home' in problem && problem.home);
  assert.equal(new Set(homes).size, homes.length, 'each home once, however often it is tried');
  await cluster.check(['b', 'c']);
  short.hasSpace = true;
  await cluster.run(10_000);
  await cluster.check(names);
  await cluster.stop();
});

test('a node that is alone keeps its homes when its disk is short', async () => {
  const cluster = await started(['a']);
  const alone = cluster.nodes.get('a') as TestNode;
  const owned = [...alone.open];
  alone.hasSpace = false;
  await cluster.run(10_000);
  assert.deepEqual([...alone.open], owned);
  assert.ok(owned.length > 0);
  await cluster.stop();
});

test('when the log was away for all nodes, each continues with what it has', async () => {
  const cluster = await started();
  const takes = (): number[] => names.map((name) => (cluster.nodes.get(name) as { takes: unknown[] }).takes.length);
  const before = takes();
  for (const node of cluster.nodes.values()) node.isCut = true;
  await cluster.run(20_000);
  for (const name of names) {
    (cluster.nodes.get(name) as { isCut: boolean }).isCut = false;
    await cluster.run(700);
  }
  await cluster.run(tuning.returnedMs + 10_000);
  await cluster.check(names);
  assert.deepEqual(takes(), before);
  await cluster.stop();
});

// NODE-HOMES-5
test('a copy that is above the log stays closed, and says so', async () => {
  const cluster = new TestCluster();
  await cluster.log.door('x').claim(1, 0, 'x');
  await cluster.log.door('x').append([entryOf(1, 1, 1)]);
  cluster.start('a');
  const node = cluster.nodes.get('a');
  assert.ok(node);
  node.disk.copyOf(1).position = 2;
  await cluster.clock.advance(5000);
  assert.equal(node.homes.phaseOf(1), 'closed');
  assert.equal(node.open.has(1), false);
  assert.deepEqual(problemsOf(node), [['closed', 'cluster.LOG_WENT_BACK']]);
  assert.deepEqual([...node.open].sort(), [0, 2, 3, 4, 5]);
  await cluster.stop();
});

// CANDIDATES-2
test('a home that is closed on the first of its rank is followed and taken by the others, and no operator moves it there', async () => {
  const cluster = await started(['b', 'c', 'd']);
  const home = [1, 2, 3, 4, 5].find((one) => placement.rank(['a', ...'bcd'], one)[0] === 'a') as number;
  cluster.start('a');
  const broken = cluster.nodes.get('a') as TestNode;
  broken.brokenHome = home;
  await cluster.run(10_000);
  assert.deepEqual([broken.homes.phaseOf(home), broken.homes.isReady], ['closed', true]);
  const ownerOf = () => [...cluster.nodes.values()].find(({ open }) => open.has(home))?.name;
  const [first, second, third] = placement.rank(['b', 'c', 'd'], home) as [string, string, string];
  assert.equal(ownerOf(), first);
  const { homes } = await cluster.ask(first, (operator) => operator.overview());
  const { phase, closedOn, followers } = homes[home]!;
  assert.deepEqual([phase, closedOn, followers.map(({ node }) => node)], ['owned', ['a'], [second]]);
  const move = cluster.ask(first, (operator) => operator.moveHomes({ homes: [home], to: 'a', whenWarm: true }));
  await assert.rejects(move, { code: 'control.STATE_CONFLICT', message: /stays closed on a/ });
  cluster.kill(first);
  await cluster.run(10_000);
  assert.equal(ownerOf(), second);
  const given = cluster.nodes.get(second)?.homes.drain();
  await cluster.run(10_000);
  await given;
  assert.equal(ownerOf(), third);
  cluster.kill(second);
  // Nobody is left who could take it: its owner does not wait for one.
  let isOver = false;
  void cluster.nodes
    .get(third)
    ?.homes.drain()
    .then(() => {
      isOver = true;
    });
  await cluster.run(10_000);
  assert.deepEqual([isOver, ownerOf()], [true, third]);
  await cluster.stop();
});

// NODE-HOMES-5, ENGINE-WATCH-1
test('after another server of the engine has answered, a home of which it has less is answered by nobody, and stays closed', async () => {
  const cluster = await started(['a', 'b']);
  const [owner, other] = ['a', 'b'].map((name) => cluster.nodes.get(name)) as [TestNode, TestNode];
  const [lost, kept] = [...owner.open].sort((one, next) => one - next) as [number, number];
  // Nothing is written any more that would find out.
  cluster.log.goBack(lost, owner.disk.copyOf(lost).position - 2);
  await cluster.clock.advance(tuning.beatMs + 50);
  assert.equal(owner.homes.mayRead(lost), false);
  await cluster.clock.advance(10_000);
  assert.deepEqual(problemsOf(owner), [['closed', 'cluster.LOG_WENT_BACK']]);
  assert.deepEqual(
    [owner, other].map(({ homes }) => homes.mayRead(lost)),
    [false, false],
  );
  assert.equal(owner.homes.mayRead(kept), true);
  await cluster.stop();
});

// NODE-HOMES-4
test("homes that lie together and were taken by two nodes come to be those of the catalog's owner", async () => {
  const cluster = new TestCluster({ areTogether: true });
  for (const name of names) cluster.start(name);
  await cluster.run(10_000);
  await cluster.check(names);
  const { leader } = cluster;
  const others = names.filter((name) => name !== leader);
  for (const [index, home] of [1, 2, 3].entries()) await cluster.claimFor(others[index % 2] as string, home);
  await cluster.run(10_000);
  assert.equal(cluster.leader, leader);
  await cluster.check(names);
  // One that is back for a moment only gets the catalog's alone.
  cluster.kill(leader as string);
  await cluster.run(5000);
  cluster.start(leader as string);
  await cluster.run(1000);
  await cluster.claimFor(leader as string, 0);
  await cluster.run(10_000);
  await cluster.check(names);
  await cluster.stop();
});

// NODE-HOMES-2, NODE-HOMES-4, MEMBERS-1, MEMBERS-2
for (const [how, areTogether] of [
  ['apart', false],
  ['together', true],
] as const)
  test(`${how}, whatever happens to nodes: one at most answers for a home, nothing acknowledged is lost, homes end where they belong`, async () => {
    const fault = fc.record({
      kind: fc.constantFrom('kill' as const, 'start' as const, 'cut' as const, 'heal' as const, 'slow' as const),
      node: fc.constantFrom(...names),
      ms: fc.integer({ min: 1, max: 6000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fault, { maxLength: 10 }), async (faults) => {
        const cluster = new TestCluster({ areTogether });
        for (const name of names) cluster.start(name);
        await cluster.run(3000);
        for (const { kind, node, ms } of faults) {
          const there = cluster.nodes.get(node);
          if (kind === 'kill') cluster.kill(node);
          else if (kind === 'start' && there === undefined) cluster.start(node);
          else if (there !== undefined && kind === 'slow') there.claimMs = 1000;
          else if (there !== undefined && kind !== 'start') there.isCut = kind === 'cut';
          await cluster.run(ms);
        }
        for (const name of names) {
          if (!cluster.nodes.has(name)) cluster.start(name);
          (cluster.nodes.get(name) as { isCut: boolean }).isCut = false;
        }
        // Those that lie together do not wait until another is ready.
        await cluster.run(areTogether ? 12_000 : tuning.returnedMs + 15_000);
        await cluster.check(names);
        await cluster.stop();
      }),
      { numRuns: areTogether ? 24 : 8 },
    );
  });

// NODE-HOMES-8
test('what others cannot reach gives its homes away at once, follows them, and has them again when it was reached for a while', async () => {
  const cluster = await started();
  const [a, b, c] = names.map((name) => cluster.nodes.get(name)) as [TestNode, TestNode, TestNode];
  for (const other of [a, b]) other.unreached = ['c'];
  // Neither does it reach them: that says nothing of either.
  c.unreached = ['a', 'b'];
  await cluster.run(5000);
  assert.deepEqual([a.problems, b.problems, c.problems, c.open.size], [[], [], [], 0]);
  assert.deepEqual([c.homes.members.isOutdone, a.homes.members.isOutdone], [true, false]);
  await cluster.check(['a', 'b']);
  const { cluster: seen } = await cluster.ask('b', async (operator) => ({ cluster: await operator.overview() }));
  assert.deepEqual(
    seen.nodes.map(({ node, state, unreached }) => [node, state, unreached]),
    [
      ['a', 'ready', ['c']],
      ['b', 'ready', ['c']],
      ['c', 'joining', ['a', 'b']],
    ],
  );
  for (const node of [a, b, c]) node.unreached = [];
  await cluster.run(tuning.returnedMs - 5000);
  assert.equal(c.open.size, 0);
  await cluster.run(10_000);
  await cluster.check(names);
  await cluster.stop();
});

// NODE-HOMES-8
test('where nobody reaches anybody, or one voice alone says so, each keeps what it has', async () => {
  const cluster = await started();
  const nodes = names.map((name) => cluster.nodes.get(name)) as TestNode[];
  const before = nodes.map(({ open }) => [...open]);
  nodes[0]!.unreached = ['b', 'c'];
  await cluster.run(10_000);
  await cluster.check(names);
  for (const node of nodes) node.unreached = names.filter((name) => name !== node.name);
  await cluster.run(10_000);
  assert.deepEqual(
    nodes.map(({ open }) => [...open]),
    before,
  );
  assert.ok(nodes.every(({ homes }) => !homes.members.isCutOff));
  await cluster.check(names);
  await cluster.stop();
});

// NODE-HOMES-1
test('a home that is lost while it is given away is followed, or taken again, when both are done with its files', async () => {
  const cluster = await started(['a', 'b']);
  const node = cluster.nodes.get('b');
  assert.ok(node);
  const given = [...node.open].filter((home) => home > 0);
  node.closeMs = 3000;
  await cluster.ask('a', (operator) => operator.drainNode('b'));
  const leaving = given.filter((home) => node.homes.phaseOf(home) === 'leaving');
  assert.ok(leaving.length > 0, 'nothing is given away');
  for (const home of leaving) await cluster.claimFor('a', home);
  await cluster.run(20_000);
  assert.deepEqual(node.problems, []);
  cluster.drained.add('b');
  await cluster.check(['a', 'b']);
  await cluster.stop();
});

// NODE-HOMES-7
test('a home that is lost while it is given away stays closed where its files cannot be left, and not where that passes', async () => {
  for (const [fault, phase, kind] of [
    [new Error('EIO'), 'closed', 'closed'],
    [diskFull(), 'following', 'unstored'],
    [new ServiceError('control.UNAVAILABLE'), 'following', 'failed'],
  ] as const) {
    const cluster = await started(['a', 'b']);
    const node = cluster.nodes.get('b');
    assert.ok(node);
    const given = [...node.open].filter((home) => home > 0);
    [node.closeMs, node.closeFault] = [3000, fault];
    await cluster.ask('a', (operator) => operator.drainNode('b'));
    const leaving = given.filter((home) => node.homes.phaseOf(home) === 'leaving');
    assert.ok(leaving.length > 0, 'nothing is given away');
    for (const home of leaving) await cluster.claimFor('a', home);
    await cluster.run(20_000);
    const found = leaving.map((home) => [
      home,
      node.homes.phaseOf(home),
      node.problems.filter((one) => 'home' in one && one.home === home),
    ]);
    assert.deepEqual(
      found,
      leaving.map((home) => [home, phase, [{ kind, home, error: fault }]]),
    );
    await cluster.stop();
  }
});

// NODE-HOMES-3
test('where all others came back lately, a node that ends still hands over to them', async () => {
  const cluster = await started();
  for (const name of ['b', 'c']) {
    cluster.kill(name);
    await cluster.run(3000);
    cluster.start(name);
    await cluster.run(tuning.aliveMs + 1000);
  }
  const leaving = cluster.nodes.get('a');
  assert.ok(leaving && leaving.open.size === homeCount + 1, 'the others are not ready');
  let isDrained = false;
  void leaving.homes.drain().then(() => {
    isDrained = true;
  });
  await cluster.run(10_000);
  assert.deepEqual([isDrained, leaving.open.size], [true, 0]);
  await cluster.check(['b', 'c']);
  await cluster.stop();
});
