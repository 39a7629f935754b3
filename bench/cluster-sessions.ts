// Sessions of a cluster for its bench: so many on each node, and worlds that become large.
import type { Cluster } from '../test/e2e/cluster-kit.js';
import { newSession } from './service.js';

export interface SessionsWanted {
  buildHash: string;
  perNode: number;
}

/** By name of the node that owns their worlds: the credentials of their agents. */
export async function clusterSessions(cluster: Cluster, { buildHash, perNode }: SessionsWanted): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>(cluster.nodes.map(({ name }) => [name, []]));
  while ([...found.values()].some(({ length }) => length < perNode)) {
    const { sessionId, token } = await sessionOf(cluster, buildHash);
    const tokens = found.get((await cluster.ownerOf(sessionId)).name) as string[];
    if (tokens.length < perNode) tokens.push(token);
  }
  return found;
}

/** A hundred thousand events, all of them handled. */
export async function planEvents(
  cluster: Cluster,
  { buildHash, sessionId, token }: { buildHash: string; sessionId: string; token: string },
): Promise<void> {
  const { projectId, environmentId } = cluster.ids;
  const leader = await cluster.leader();
  // In pieces, as a handler has a second.
  for (let fromUs = 1; fromUs <= events; fromUs += eventsPerCall) {
    const reply = await fetch(`${leader.url}/world/v1/operations/rows/plan`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ arguments: { fromUs, count: eventsPerCall, rows: 1000 } }),
    });
    if (!reply.ok) throw new Error(`${reply.status} ${await reply.text()}`);
  }
  const client = cluster.clientOf(leader);
  const path = { projectId, sessionId };
  const { session } = await client.getSession({ path });
  const fence = { environmentId, buildHash, expectedLeaseGeneration: session.leaseGeneration };
  const { operation } = await client.advanceTime({ path, body: { ...fence, targetUs: events + 1, maxEvents: events } });
  await cluster.settle((any) => any.waitForOperation({ projectId, operationId: operation.operationId }), { withinMs: 120_000 });
}
const events = 100_000;
const eventsPerCall = 20_000;

export async function sessionOf(cluster: Cluster, buildHash: string): Promise<{ sessionId: string; token: string }> {
  const { projectId, environmentId } = cluster.ids;
  return await newSession({ client: cluster.clientOf(await cluster.leader()), projectId, environmentId, buildHash });
}
