// A cluster of three nodes, seen from outside: any node answers, and when the one that works is killed, the agent continues at another.
//   node run.mjs                             with a PostgreSQL of its own
//   DRILLYARD_CLUSTER=postgres://... node run.mjs
import { createClient } from 'drillyard/client';
import { startDatabase } from './database.mjs';
import { startNodes } from './nodes.mjs';

const database = await startDatabase();
try {
  const { nodes, credential, stop } = await startNodes(database.url);
  try {
    await play(nodes, credential);
  } finally {
    await stop();
  }
} finally {
  await database.stop();
}

async function play(nodes, credential) {
  const [n1, n2, n3] = nodes;
  const clientOf = ({ url }) => createClient({ baseUrl: url, credential });
  const { items: projects } = await clientOf(n1).listProjects();
  const { projectId } = projects[0];
  const { items: environments } = await clientOf(n1).listEnvironments({ path: { projectId } });
  const { environmentId } = environments[0];
  console.log(`nodes ${nodes.map(({ name }) => name).join(', ')}`);

  const { session, operation } = await clientOf(n2).createSession({ path: { projectId, environmentId }, body: { seed: '42' } });
  await clientOf(n3).waitForOperation({ projectId, operationId: operation.operationId });
  const path = { projectId, sessionId: session.sessionId };
  const { access } = await clientOf(n1).createSessionAccess({ path, body: { actorId: 'support-agent' } });
  const agent = agentOf(access.credential);
  for (const node of nodes) console.log(`call through ${node.name}: ${await agent.comment(node, `through ${node.name}`)}`);

  // n1 leads, as it started first, or owns the world, or copies it.
  const killedAtMs = Date.now();
  await n1.end('SIGKILL');
  const answer = await agent.comment(n2, 'after the kill');
  console.log(`n1 was killed; call through n2: ${answer}`);
  console.error(`(after ${Date.now() - killedAtMs} ms)`);
  await n1.start();
  console.log(`n1 is back; call through n1: ${await agent.comment(n1, 'back again')}`);

  const { entries } = await clientOf(n3).listEvidence({ path, query: { limit: 500 } });
  const calls = entries.filter(({ kind }) => kind === 'operation').map(({ invocation }) => invocation.arguments.body);
  console.log(`evidence: ${calls.join(' | ')}`);
}

/** Each call has a key, so asking again, of whichever node, does it once. */
function agentOf(worldCredential) {
  const comment = async ({ url }, body) => {
    for (let attempt = 1; ; attempt++) {
      const reply = await fetch(`${url}/world/v1/operations/ticket-desk/comment.add`, {
        method: 'POST',
        headers: { authorization: `Bearer ${worldCredential}`, 'content-type': 'application/json' },
        body: JSON.stringify({ arguments: { ticketId: 'TKT-1001', body }, idempotencyKey: `comment:${body}` }),
      });
      const { outcome, message } = await reply.json();
      if (outcome !== undefined) return outcome.kind;
      if (reply.status !== 503 || attempt === 10) throw new Error(`${reply.status} ${message}`);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  };
  return { comment };
}
