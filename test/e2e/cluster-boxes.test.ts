// Two nodes whose hosts are in boxes, each with copies of the homes of the other beside what its boxes serve: worlds of one project in all
// homes go from owner to owner, and the copies are there to be opened.
import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { canBox } from '../../src/processes/bubblewrap.js';
import { homeFileName, homeOf } from '../../src/worlds/homes.js';
import { postgresMissing } from '../cluster/postgres-server.js';
import { untilSettled } from '../until.js';
import { ClusterHistory, shownFindings } from './cluster-history.js';
import { Cluster, type ClusterNode } from './cluster-kit.js';
import { CallingAgent, journalOf } from './cluster-load.js';

const { works, reason } = canBox();
const skip = works ? postgresMissing : (reason as string);
const homes = 4;
let cluster: Cluster;
before(
  async () => {
    if (skip === false) cluster = await Cluster.start({ nodes: 2, homes, flags: ['--isolate', 'box'] });
  },
  { timeout: 90_000 },
);
after(async () => {
  await cluster?.close();
});

/** Of the one project: each is in one place. */
function fileOf({ dataDirectory }: ClusterNode, home: number): { isInBox: boolean; file: number } | undefined {
  const worlds = join(dataDirectory, 'worlds');
  const names = readdirSync(worlds, { recursive: true, encoding: 'utf8' });
  const [found, ...others] = names.filter((name) => name.endsWith(join(homeFileName(home), 'data.mdb')));
  assert.deepEqual(others, []);
  return found === undefined ? undefined : { isInBox: found.startsWith('.slots'), file: statSync(join(worlds, found)).ino };
}

// BOXES-1, BOXES-3
test('worlds in boxes outlive their owner, and no copy beside a box is made again', { skip, timeout: 180_000 }, async () => {
  const { projectId, environmentId } = cluster.ids;
  const history = new ClusterHistory();
  const [one, two] = cluster.nodes as [ClusterNode, ClusterNode];
  await untilSettled(async () => (await cluster.shares()).size === 2);
  const agents: CallingAgent[] = [];
  const owners = new Set<ClusterNode>();
  while (agents.length < 6 || (owners.size < 2 && agents.length < 20)) {
    const client = cluster.patientClientOf(agents.length % 2 === 0 ? one : two);
    const made = await client.createSession({ path: { projectId, environmentId }, body: { seed: '4242' } });
    await client.waitForOperation({ projectId, operationId: made.operation.operationId });
    const path = { projectId, sessionId: made.session.sessionId };
    const { access } = await client.createSessionAccess({ path, body: { actorId: 'support-agent', ttlMs: 3_600_000 } });
    agents.push(new CallingAgent({ world: path.sessionId, credential: access.credential, history }));
    owners.add(await cluster.ownerOf(path.sessionId));
  }
  assert.equal(owners.size, 2);
  /** As agents do: again with the same key, while homes are on their way. */
  const callAll = async (node: ClusterNode, text: string): Promise<void> => {
    await Promise.all(
      agents.map(async (agent) => {
        for (let tries = 1; !(await agent.call(node, { text, key: text })); tries++) assert.ok(tries < 30, `${text}: ${node.said}`);
      }),
    );
  };
  await callAll(one, 'through the first');
  await callAll(two, 'through the second');
  const checkWhole = async (node: ClusterNode): Promise<void> => {
    const journals = await Promise.all(agents.map(({ world }) => journalOf(cluster.patientClientOf(node), projectId, world)));
    assert.equal(shownFindings(history.check(journals)), '');
  };
  const owned = async (node: ClusterNode): Promise<number[]> => {
    const worlds: string[] = [];
    for (const { world } of agents) if ((await cluster.ownerOf(world)) === node) worlds.push(world);
    return [...new Set(worlds.map((world) => homeOf(world, homes)))];
  };
  const followed = await owned(one);
  for (const home of await owned(two)) assert.equal(fileOf(two, home)?.isInBox, true);
  await untilSettled(async () => followed.every((home) => fileOf(two, home)?.isInBox === false));
  const copies = followed.map((home) => fileOf(two, home)?.file);
  await one.kill();
  await callAll(two, 'after the end of the first');
  await checkWhole(two);
  assert.deepEqual(
    followed.map((home) => fileOf(two, home)),
    copies.map((file) => ({ isInBox: true, file })),
  );
  await one.start();
  // Its share comes back to it, out of boxes that live.
  await untilSettled(async () => (await cluster.shares()).size === 2);
  await callAll(one, 'as the first is back');
  await checkWhole(one);
  for (const home of await owned(one)) assert.equal(fileOf(two, home)?.isInBox, false);
  for (const { said } of cluster.nodes) assert.doesNotMatch(said, /from its box|into its box/);
});
