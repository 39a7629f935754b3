// One hosted run from beginning to end, seen from outside: a service, a session, a drill, an agent that is a process of its own, a verdict.
//   node hosted-run.mjs                                              starts a service for itself, in .service/hosted here
//   DRILLYARD_URL=... DRILLYARD_CREDENTIAL=... node hosted-run.mjs   uses one that runs
import { createClient } from 'drillyard/client';
import { runAgent } from './agent-process.mjs';
import { startService } from './service.mjs';

const drillId = process.argv[2] ?? 'refund-happy-path';

const service = await startService();
const client = createClient(service);
try {
  const { verdict, assertionResults } = await runDrill(await environment());
  for (const { assertionId, status, message } of assertionResults) console.log(`  ${status.padEnd(12)} ${assertionId}: ${message}`);
  console.log(`${verdict.toUpperCase()}  ${drillId}`);
  process.exitCode = verdict === 'passed' ? 0 : 1;
} finally {
  await service.stop();
}

/** The first one the credential may see: at a new service the one with the example build. */
async function environment() {
  const { items: projects } = await client.listProjects();
  const { projectId } = projects[0];
  const { items: environments } = await client.listEnvironments({ path: { projectId } });
  return { projectId, environmentId: environments[0].environmentId };
}

/** The session lives as long as this function. */
function runDrill({ projectId, environmentId }) {
  return client.withSession({ projectId, environmentId, seed: '42', drillId }, async ({ sessionId, leaseGeneration }) => {
    const started = await client.startRun({
      path: { projectId, environmentId, sessionId },
      body: { expectedLeaseGeneration: leaseGeneration },
    });
    const path = { projectId, hostedRunId: started.run.hostedRunId };
    console.log(`run ${path.hostedRunId} in session ${sessionId}`);

    for (let run = await settled(path); run.state === 'awaiting_agent'; run = await settled(path)) await play(path, run);
    await client.waitForOperation({ projectId, operationId: started.operation.operationId });

    const { run } = await client.getRun({ path });
    if (run.result === undefined) throw new Error(`the run is ${run.state}: ${run.failure?.message}`);
    console.log(`evidence ${run.evidenceBundleId} ${run.result.evidenceHash}`);
    return run.result;
  });
}

/** The run once it waits for an agent, or for nobody any more. */
async function settled(path) {
  for (;;) {
    const { run } = await client.getRun({ path });
    const isAwaiting = run.state === 'awaiting_agent' && run.pendingInteraction !== undefined;
    if (isAwaiting || run.state === 'ready_to_seal' || run.finishedAtMs !== undefined) return run;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** One interaction: access for its actor, the agent, what became of it. The access ends when that is handed in. */
async function play(path, { pendingInteraction: { interaction }, request }) {
  const { access } = await client.createRunAccess({ path, body: { interactionId: interaction.id } });
  console.log(`  ${interaction.actorId}: ${interaction.task.instruction}`);
  const targetResult = await runAgent({ runId: request.runId, drillId, interactionId: interaction.id, ...interaction }, access);
  const { run } = await client.getRun({ path });
  await client.completeInteraction({ path, body: { interactionId: interaction.id, expectedRevision: run.revision, targetResult } });
}
