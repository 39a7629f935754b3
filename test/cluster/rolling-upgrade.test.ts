// Nodes of two versions on one log: one after the other is replaced, and the format of the cluster follows the oldest.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tuning } from '../../src/cluster/tuning.js';
import { problemsOf, TestCluster } from './homes-kit.js';

const names = ['a', 'b', 'c'];
const formatOf = (cluster: TestCluster, name: string): number | undefined => cluster.nodes.get(name)?.homes.members.last?.format;

/** As SIGTERM: it gives everything away, and leaves. */
async function replace(cluster: TestCluster, name: string, format: number): Promise<void> {
  const node = cluster.nodes.get(name);
  assert.ok(node);
  const drained = node.homes.drain();
  await cluster.run(6000);
  await drained;
  const stopped = node.homes.stop();
  await cluster.run(1000);
  await stopped;
  cluster.nodes.delete(name);
  cluster.format = format;
  cluster.start(name);
  await cluster.run(tuning.returnedMs + 10_000);
}

// CLUSTER-FORMAT-1
test('the cluster writes the older format until its last node of it has gone; then that version is refused, and nothing was lost', async () => {
  const cluster = new TestCluster();
  for (const name of names) cluster.start(name);
  await cluster.run(10_000);
  for (const name of names) {
    assert.deepEqual(
      names.map((one) => formatOf(cluster, one)),
      [1, 1, 1],
    );
    const { nodes, log } = await cluster.ask(name, (operator) => operator.overview());
    assert.equal(log.format, 1);
    assert.ok(nodes.some(({ format }) => format === 1));
    await replace(cluster, name, 2);
    await cluster.check(names);
  }
  assert.deepEqual(
    names.map((one) => formatOf(cluster, one)),
    [2, 2, 2],
  );
  // Going back with one node: its beats are refused, it gets no homes, and the others have them all.
  cluster.kill('b');
  cluster.format = 1;
  cluster.start('b');
  await cluster.run(10_000);
  const old = cluster.nodes.get('b');
  assert.ok(old);
  assert.equal(old.homes.members.refusal !== undefined, true);
  assert.deepEqual(problemsOf(old), [['refused', 'cluster.FORMAT_UNSUPPORTED']]);
  assert.equal(old.open.size, 0);
  cluster.kill('b');
  await cluster.check(['a', 'c']);
  await cluster.stop();
});
