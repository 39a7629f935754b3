// A mixed load on the service, and a ledger of what was asked and what was acknowledged: sessions created and destroyed, tools called, time
// advanced, runs started and completed. Every request has its own idempotency key, so that the next incarnation can be asked the same
// again.
import type { Client } from '../../src/client/client.js';
import { type Answered, asAgent, type Ready } from './service.js';

export interface Desk {
  sessionId: string;
  leaseGeneration: number;
  url: string;
  credential: string;
}
export interface Creation {
  key: string;
  /** No other session has it. */
  seed: string;
  sessionId?: string;
}
export interface Destruction {
  key: string;
  sessionId: string;
  leaseGeneration: number;
  asked: boolean;
  acknowledged: boolean;
}
export interface Comment {
  key: string;
  /** No other comment has it. */
  text: string;
  /** As the acknowledged outcome reported it. */
  value?: { [name: string]: unknown };
}
export interface Advance {
  key: string;
  targetUs: number;
  operationId?: string;
}
export interface Run {
  sessionId: string;
  key: string;
  asked: boolean;
  hostedRunId?: string;
  operationId?: string;
  credential?: string;
  url?: string;
  completion?: { key: string; expectedRevision: number; acknowledged: boolean };
}
export interface Ledger {
  creations: Creation[];
  destructions: Destruction[];
  desk: Desk;
  comments: Comment[];
  clock: { sessionId: string; buildHash: string };
  advances: Advance[];
  runs: Run[];
}
/** Where the load works; `over` once the service was asked to die. */
export interface Ground {
  client: Client;
  ready: Ready;
  round: number;
  over: boolean;
}

export const drillId = 'refund-happy-path';
const secondUs = 1_000_000;
let seeds = 1000;

export async function createSession({ client, ready }: Ground, body: { seed: string; drillId?: string }, idempotencyKey: string) {
  const { projectId, environmentId } = ready;
  const answer = await client.send('createSession', { path: { projectId, environmentId }, body }, { idempotencyKey });
  return { ...answer.reply, replayed: answer.replayed };
}

export async function openAccess({ client, ready: { projectId } }: Ground, sessionId: string): Promise<Desk> {
  const { access } = await client.createSessionAccess({ path: { projectId, sessionId }, body: { actorId: 'support-agent' } });
  return { sessionId, leaseGeneration: access.leaseGeneration, url: access.worldHttpUrl, credential: access.credential };
}

export async function write(desk: Desk, { key, text }: Comment): Promise<{ status: number; body: Answered }> {
  const body = { arguments: { ticketId: 'TKT-1001', body: text }, idempotencyKey: key };
  return await asAgent(desk.url, desk.credential, '/v1/operations/ticket-desk/comment.add', body);
}

export function advanceTo({ client, ready }: Ground, { sessionId, buildHash }: Ledger['clock'], { key, targetUs }: Advance) {
  const { projectId, environmentId } = ready;
  const body = { environmentId, buildHash, expectedLeaseGeneration: 1, targetUs, maxEvents: 1000 };
  return client.send('advanceTime', { path: { projectId, sessionId }, body }, { idempotencyKey: key });
}

export function startRun({ client, ready }: Ground, { sessionId, key }: Run) {
  const { projectId, environmentId } = ready;
  const body = { expectedLeaseGeneration: 1 };
  return client.send('startRun', { path: { projectId, environmentId, sessionId }, body }, { idempotencyKey: key });
}

export function complete(
  { client, ready: { projectId } }: Ground,
  hostedRunId: string,
  { key, expectedRevision }: { key: string; expectedRevision: number },
) {
  const body = { interactionId: 'main', expectedRevision, targetResult: { status: 'completed' as const, attachments: [] } };
  return client.send('completeInteraction', { path: { projectId, hostedRunId }, body }, { idempotencyKey: key });
}

export function destroy({ client, ready: { projectId } }: Ground, { sessionId, leaseGeneration, key }: Destruction) {
  const body = { expectedLeaseGeneration: leaseGeneration, confirm: sessionId };
  return client.send('destroySession', { path: { projectId, sessionId }, body }, { idempotencyKey: key });
}

/** What the load of a round works on: a session for calls, one for the clock, some for runs. */
export async function prepare(ground: Ground, leftovers: Destruction[]): Promise<Ledger> {
  const { round, client, ready } = ground;
  const made = await Promise.all(
    ['desk', 'clock', 'run-1', 'run-2', 'run-3'].map(async (name) => {
      const body = name.startsWith('run') ? { seed: '42', drillId } : { seed: '7' };
      const { session, operation } = await createSession(ground, body, `prepare-${name}-${round}`);
      await client.waitForOperation({ projectId: ready.projectId, operationId: operation.operationId });
      return session;
    }),
  );
  const [desk, clock, ...runs] = made;
  return {
    creations: [],
    destructions: leftovers,
    desk: await openAccess(ground, desk!.sessionId),
    comments: [],
    clock: { sessionId: clock!.sessionId, buildHash: clock!.buildHash },
    advances: [],
    runs: runs.map(({ sessionId }, index) => ({ sessionId, key: `start-run-${round}-${index}`, asked: false })),
  };
}

/** Runs until the service is gone; rejects when it refuses anything before that. */
export async function load(ground: Ground, ledger: Ledger): Promise<void> {
  const { round } = ground;
  const work = [
    again(ground, (step) => creates(ground, ledger, `create-${round}-${step}`)),
    ...[1, 2, 3].map((writer) => again(ground, (step) => comments(ledger, `comment-${round}-${writer}-${step}`))),
    again(ground, (step) => advances(ground, ledger, `advance-${round}-${step}`, step)),
    once(ground, () => runs(ground, ledger)),
    once(ground, () => destroys(ground, ledger)),
  ];
  await Promise.all(work);
}

async function again(ground: Ground, step: (count: number) => Promise<void>): Promise<void> {
  await once(ground, async () => {
    for (let count = 1; !ground.over; count++) await step(count);
  });
}
async function once(ground: Ground, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!ground.over) throw error;
  }
}

async function creates(ground: Ground, { creations }: Ledger, key: string): Promise<void> {
  seeds += 1;
  const creation: Creation = { key, seed: String(seeds) };
  creations.push(creation);
  creation.sessionId = (await createSession(ground, { seed: creation.seed }, key)).session.sessionId;
}

async function comments({ desk, comments: all }: Ledger, key: string): Promise<void> {
  const comment: Comment = { key, text: `about ${key}` };
  all.push(comment);
  const { status, body } = await write(desk, comment);
  if (status !== 200 || body.outcome?.kind !== 'ok') throw new Error(`a call was answered with ${status} ${JSON.stringify(body)}`);
  comment.value = body.outcome.value as { [name: string]: unknown };
}

async function advances(ground: Ground, ledger: Ledger, key: string, step: number): Promise<void> {
  const advance: Advance = { key, targetUs: 1_772_442_000 * secondUs + step * 600 * secondUs };
  ledger.advances.push(advance);
  const { reply } = await advanceTo(ground, ledger.clock, advance);
  advance.operationId = reply.operation.operationId;
  // A few wait in the lane, so that the end comes while one runs and others have not begun.
  if (step % 4 === 0) await ground.client.waitForOperation({ projectId: ground.ready.projectId, operationId: advance.operationId });
}

async function runs(ground: Ground, ledger: Ledger): Promise<void> {
  for (const run of ledger.runs) {
    run.asked = true;
    const { reply } = await startRun(ground, run);
    run.hostedRunId = reply.run.hostedRunId;
    run.operationId = reply.operation.operationId;
    const revision = await awaited(ground, run.hostedRunId);
    const path = { projectId: ground.ready.projectId, hostedRunId: run.hostedRunId };
    const { access } = await ground.client.createRunAccess({ path, body: { interactionId: 'main' } });
    run.credential = access.credential;
    run.url = access.worldHttpUrl;
    run.completion = { key: `complete-${run.key}`, expectedRevision: revision, acknowledged: false };
    await complete(ground, run.hostedRunId, run.completion);
    run.completion.acknowledged = true;
  }
}

/** The revision under which the agent is awaited. */
export async function awaited({ client, ready: { projectId } }: Ground, hostedRunId: string): Promise<number> {
  for (;;) {
    const { run } = await client.getRun({ path: { projectId, hostedRunId } });
    if (run.state === 'awaiting_agent' && run.pendingInteraction !== undefined) return run.revision;
    if (run.finishedAtMs !== undefined) throw new Error(`the run is ${run.state}`);
  }
}

async function destroys(ground: Ground, { destructions }: Ledger): Promise<void> {
  for (const destruction of destructions) {
    destruction.asked = true;
    await destroy(ground, destruction);
    destruction.acknowledged = true;
  }
}
