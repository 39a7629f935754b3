// A service under attack: started as an operator starts it, with an attacker who may build in one project and a victim in another one.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Client, createClient } from '../../src/client/client.js';
import { OperationError } from '../../src/client/control-error.js';
import type { LongRunningOperation } from '../../src/contract/hosted/operation.js';
import type { BuildAttempt } from '../../src/contract/hosted/source.js';
import { canBox } from '../../src/processes/bubblewrap.js';
import type { Answered } from '../e2e/service.js';
import { type Service, startService, temporaryFolder } from '../e2e/service.js';
import { engines as allEngines } from '../http/fake-control.js';
import { attackerFiles, type SourceText } from './sources.js';

export type Mode = 'box' | 'process' | 'thread';
export type Engine = 'node' | 'uws';
const asked = process.env.DRILLYARD_ATTACK_MODES?.split(',');
export const modes: readonly Mode[] = (['box', 'process', 'thread'] as const).filter(
  (mode) => (mode !== 'box' || canBox().works) && (asked === undefined || asked.includes(mode)),
);
/** Those in which tool code is not in the process of the service. */
export const apartModes = modes.filter((mode) => mode !== 'thread');
export const engines: readonly Engine[] = allEngines.map((engine) => (engine === 'node:http' ? 'node' : 'uws'));

export const serverMiBMax = 1536;
/** What an attack says that has left the realm. */
export const reached = 'the process was reached';
/** Of a victim under attack, to what it has when all is quiet. */
const p99RatioMax = 3;
/** Of what a test waits for in any case. */
const agentTimeoutMs = 60_000;
const unlimited = ['rate-per-second', 'rate-burst', 'organization-rate-per-second', 'organization-rate-burst'];

export interface Place {
  projectId: string;
  environmentId: string;
  buildHash: string;
}
/** `client` is a builder of the one project, with no role in the organization. */
export interface Party {
  client: Client;
  projectId: string;
}
export interface Agent {
  sessionId: string;
  worldHttpUrl: string;
  /** Rejects where there is no reply at all. */
  call(operationId: string, input: object, idempotencyKey?: string): Promise<AgentReply>;
}
export interface AgentReply {
  status: number;
  body: Answered;
}
/** A service under attack, as who knows its address and the first manager's credential sees it. */
export interface Ground {
  baseUrl: string;
  credential: string;
  dataDirectory: string;
  /** Of the first organization, and of every project of it. */
  manager: Client;
}
export interface ServedGround extends Ground {
  service: Service;
}
export const groundOf = (baseUrl: string, credential: string, dataDirectory: string): Ground => ({
  ...{ baseUrl, credential, dataDirectory },
  manager: createClient({ baseUrl, credential }),
});

/** `heapMb` bounds the heap of the server process, and in threads that of tool code beside it. */
export async function startGround(
  mode: Mode,
  {
    engine = 'node',
    flags = [],
    heapMb,
    dataDirectory = temporaryFolder(),
  }: { engine?: Engine; flags?: string[]; heapMb?: number; dataDirectory?: string },
): Promise<ServedGround> {
  const service = await startService({
    dataDirectory,
    flags: [
      ...['--isolate', mode, '--trust-tool-code', String(mode !== 'box'), '--server', engine, '--handler-timeout-ms', '1000'],
      ...unlimited.flatMap((flag) => [`--${flag}`, '1000000']),
      ...flags,
    ],
    env: heapMb === undefined ? {} : { NODE_OPTIONS: `--max-old-space-size=${heapMb}` },
  });
  return { ...groundOf(service.ready.baseUrl, service.ready.credential ?? 'none', dataDirectory), service };
}

export async function newParty({ baseUrl, manager }: Ground, name: string): Promise<Party> {
  const { projectId } = (await manager.createProject({ body: { name } })).project;
  const { credential, secret } = await manager.createCredential({ body: { name, role: null } });
  const subject = { kind: 'credential' as const, id: credential.credentialId };
  await manager.createGrant({ path: { projectId }, body: { subject, role: 'manager' } });
  return { client: createClient({ baseUrl, credential: secret! }), projectId };
}

/** In any end state. */
export async function ended(
  client: Client,
  { projectId, operationId }: { projectId: string; operationId: string },
): Promise<LongRunningOperation> {
  try {
    return await client.waitForOperation({ projectId, operationId });
  } catch (error) {
    if (error instanceof OperationError) return error.operation;
    throw error;
  }
}

/** The attempt to build these files, and the operation that it was. */
export async function attempt(
  { client, projectId }: Party,
  files: SourceText[],
): Promise<{ operation: LongRunningOperation; attempt?: BuildAttempt }> {
  const { sourceDraft } = await client.createSourceDraft({ path: { projectId }, body: { name: 'source', files } });
  const { operation } = await client.createBuild({ path: { projectId, sourceDraftId: sourceDraft.sourceDraftId, revision: 1 }, body: {} });
  const end = await ended(client, { projectId, operationId: operation.operationId });
  return { operation: end, ...(end.result as { attempt?: BuildAttempt } | undefined) };
}

export async function publish(party: Party, files: SourceText[]): Promise<Place> {
  const { operation, attempt: made } = await attempt(party, files);
  const buildHash = made?.buildHash;
  assert.ok(buildHash, `no build: ${JSON.stringify([operation.error, made?.diagnostics]).slice(0, 2000)}`);
  const { client, projectId } = party;
  const { environmentId } = (await client.createEnvironment({ path: { projectId }, body: { name: 'here', buildHash } })).environment;
  return { projectId, environmentId, buildHash };
}

export async function openAgent(client: Client, { projectId, environmentId }: Place, packageId = 'attacker', seed = '1'): Promise<Agent> {
  const { session, operation } = await client.createSession({ path: { projectId, environmentId }, body: { seed, ttlMs: 7_200_000 } });
  await client.waitForOperation({ projectId, operationId: operation.operationId });
  const path = { projectId, sessionId: session.sessionId };
  const { access } = await client.createSessionAccess({ path, body: { actorId: 'operator', ttlMs: 3_600_000 } });
  return {
    sessionId: session.sessionId,
    worldHttpUrl: access.worldHttpUrl,
    call: async (operationId, input, idempotencyKey) => {
      const body = { arguments: input, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) };
      return await post(`${access.worldHttpUrl}/v1/operations/${packageId}/${operationId}`, access.credential, body);
    },
  };
}

/** Of a long reply the head alone is kept: what attackers are answered is not the test's memory. */
function post(url: string, credential: string, body: object): Promise<AgentReply> {
  const text = JSON.stringify(body);
  const headers = { authorization: `Bearer ${credential}`, 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers, timeout: agentTimeoutMs }, (reply) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      reply.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes <= headBytes) chunks.push(chunk);
      });
      reply.once('error', reject);
      reply.once('end', () => {
        const status = reply.statusCode ?? 0;
        resolve({ status, body: bytes > headBytes ? { bytes } : (JSON.parse(Buffer.concat(chunks).toString()) as Answered) });
      });
    });
    sent.once('timeout', () => sent.destroy(new Error(`no reply within ${agentTimeoutMs} ms`)));
    sent.once('error', reject);
    sent.end(text);
  });
}
const headBytes = 1024 * 1024;

/** The code with which it was refused; undefined of an answer. */
export const refusalOf = ({ body }: AgentReply): string | undefined => body.code ?? body.outcome?.error?.code;

/** An attacker with a session of its hungry build. */
export async function startAttacker(ground: Ground, nonce = 'first'): Promise<{ party: Party; place: Place; agent: Agent }> {
  const party = await newParty(ground, 'attacker');
  const place = await publish(party, attackerFiles(nonce));
  return { party, place, agent: await openAgent(party.client, place) };
}

const counter = fileURLToPath(new URL('../../../test/fixtures/counter', import.meta.url));
type Entry = { name: string; parentPath: string; isFile(): boolean };
const counterFiles = (readdirSync(counter, { recursive: true, withFileTypes: true }) as Entry[])
  .filter((entry) => entry.isFile())
  .map(({ name, parentPath }) => join(parentPath, name))
  .map((file) => ({ path: file.slice(counter.length + 1), content: readFileSync(file, 'utf8') }));

export interface Victim {
  party: Party;
  place: Place;
  agent: Agent;
  /** Adds one, under a key of its own, as often as it is asked to come again; throws at any other refusal. */
  add(): Promise<{ ms: number; retries: number }>;
  acknowledged: number;
  /** What its counter says. */
  total(): Promise<unknown>;
}
export async function startVictim(ground: Ground): Promise<Victim> {
  const party = await newParty(ground, 'victim');
  const place = await publish(party, counterFiles);
  const agent = await openAgent(party.client, place, 'counter');
  const victim: Victim = {
    ...{ party, place, agent, acknowledged: 0 },
    add: async () => {
      const key = `add-${++keys}`;
      const began = performance.now();
      for (let retries = 0; ; retries++) {
        const { status, body } = await agent.call('add', { counter: 'main', amount: 1 }, key);
        if (body.outcome?.kind === 'ok') {
          victim.acknowledged += 1;
          return { ms: performance.now() - began, retries };
        }
        assert.ok(body.retryable === true && retries < 100, `the victim was refused: ${status} ${JSON.stringify(body)}`);
        await pause(20);
      }
    },
    total: async () => (await agent.call('read', { counter: 'main' })).body.outcome?.value?.total,
  };
  return victim;
}
let keys = 0;
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** How long calls took, of which none failed. */
export interface Answers {
  count: number;
  retries: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}
/** The victim asks until `isOver`, at least 20 times. */
export async function answersOf(victim: Victim, isOver: () => boolean): Promise<Answers> {
  const all: number[] = [];
  let retried = 0;
  while (all.length < 20 || !isOver()) {
    const { ms, retries } = await victim.add();
    all.push(ms);
    retried += retries;
    await pause(2);
  }
  return { count: all.length, retries: retried, ...quantiles(all) };
}
export function quantiles(all: readonly number[]): Pick<Answers, 'p50Ms' | 'p99Ms' | 'maxMs'> {
  const sorted = [...all].sort((left, right) => left - right);
  const at = (share: number): number => Number((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1));
  return { p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
}
export const quietAnswers = async (victim: Victim, calls = 300): Promise<Answers> => {
  let left = calls;
  return await answersOf(victim, () => --left <= 0);
};
/** The attack, beside calls of the victim from its beginning to its end. */
export async function besideVictim<T>(victim: Victim, attack: () => Promise<T>): Promise<{ result: T; answers: Answers }> {
  let over = false;
  const answering = answersOf(victim, () => over);
  try {
    const result = await attack();
    over = true;
    return { result, answers: await answering };
  } finally {
    over = true;
    await answering.catch(() => {});
  }
}

/**
 * The victim is held up no more than is claimed. In threads tool code has the processors of the service, and nothing is claimed for them.
 */
export function assertHeld(quiet: Answers, answers: Answers): void {
  const ratio = answers.p99Ms / quiet.p99Ms;
  assert.ok(ratio <= p99RatioMax, `p99 is ${ratio.toFixed(2)} times what it is when all is quiet`);
}

/** Of the server process alone. */
export function residentMiB({ service }: ServedGround, field: 'VmRSS' | 'VmHWM' | 'RssAnon' = 'VmRSS'): number {
  return memoryOf(service.child.pid ?? 0, field) ?? 0;
}
function memoryOf(pid: number, field: string): number | undefined {
  try {
    const kibibytes = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kibibytes === undefined ? undefined : Math.round(Number(kibibytes) / 1024);
  } catch {
    return undefined;
  }
}
/** Of the server and all that it started, now. */
export function familyMiB({ service }: ServedGround): number {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch {
      // It has ended meanwhile.
    }
  }
  const isOurs = (pid: number): boolean => pid === service.child.pid || (pid > 1 && parents.has(pid) && isOurs(parents.get(pid) as number));
  return [...parents.keys()].filter(isOurs).reduce((sum, pid) => sum + (memoryOf(pid, 'VmRSS') ?? 0), 0);
}
/** The most that the whole family had while the work lasted. */
export async function peakOfFamily<T>(ground: ServedGround, work: () => Promise<T>): Promise<{ result: T; peakMiB: number }> {
  let peakMiB = 0;
  const timer = setInterval(() => {
    peakMiB = Math.max(peakMiB, familyMiB(ground));
  }, 100);
  try {
    const result = await work();
    return { result, peakMiB };
  } finally {
    clearInterval(timer);
  }
}

/** The service is there and has stayed within its memory; then it is stopped. */
export async function endWell(ground: ServedGround, t: { diagnostic(message: string): void }): Promise<void> {
  const peak = residentMiB(ground, 'VmHWM');
  t.diagnostic(`server: at most ${peak} MiB`);
  assert.ok(peak > 0, 'the server is gone');
  assert.ok(peak < serverMiBMax, `the server took ${peak} MiB`);
  assert.equal((await ground.service.stop()).code, 0);
}
