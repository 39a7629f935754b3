// All attacks at once beside a good tenant, for DRILLYARD_ATTACK_SECONDS (20 unless said): nothing acknowledged is lost, none of its calls
// fails, its p99 is at most three times that of the same work on a quiet service where the mode claims so, and the memory of the server
// stays where it is. The figures of each mode are one line of JSON.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ControlError } from '../../src/client/control-error.js';
import type { AttackersNews, AttackersOrder } from './attackers.js';
import {
  type Answers,
  answersOf,
  assertHeld,
  ended,
  endWell,
  engines,
  type Mode,
  modes,
  pause,
  quietAnswers,
  reached,
  residentMiB,
  type ServedGround,
  startGround,
  startVictim,
  type Victim,
} from './kit.js';

const seconds = Number(process.env.DRILLYARD_ATTACK_SECONDS ?? 20);
const quietSeconds = 10;
/** Attackers are not stopped by what they have used up, and the good tenant writes all the time. */
const counts = ['projects-max', 'source-drafts-max', 'sessions-live-max'];
const bytes = ['session-bytes-max', 'project-bytes-max', 'organization-bytes-max'];
const roomy = [...counts.flatMap((flag) => [`--${flag}`, '1000000']), ...bytes.flatMap((flag) => [`--${flag}`, String(2 ** 40)])];

interface Clock {
  isOver(): boolean;
}

/** Starts them, and resolves once they have begun. */
async function startAttackers(
  { baseUrl, credential, dataDirectory }: ServedGround,
  mode: Mode,
): Promise<{ reported: Promise<{ [what: string]: number }> }> {
  const order: AttackersOrder = { mode, baseUrl, credential, dataDirectory, seconds };
  const child = fork(fileURLToPath(new URL('./attackers.js', import.meta.url)), [JSON.stringify(order)]);
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('the attackers ended')));
  const [begun] = (await Promise.race([once(child, 'message'), ended])) as [AttackersNews];
  assert.deepEqual(begun, { begun: true });
  const reported = Promise.race([once(child, 'message'), ended]).then((message) => {
    const [news] = message as [AttackersNews];
    assert.ok('reported' in news);
    return news.reported;
  });
  return { reported };
}

/** Of the good tenant's world: where its clock stands, and what of its journal was read. */
let reachedSeconds = 0;
let fromSequence = 1;

/** Beside its calls the good tenant advances and reads evidence. Gives how many advances were acknowledged. */
async function otherWork(victim: Victim, clock: Clock): Promise<{ advances: number; entriesRead: number }> {
  const { party, place, agent } = victim;
  const { client } = party;
  const { projectId, environmentId, buildHash } = place;
  const path = { projectId, sessionId: agent.sessionId };
  const body = { environmentId, buildHash, expectedLeaseGeneration: 1, maxEvents: 100 };
  let [advances, entriesRead] = [0, 0];
  while (!clock.isOver()) {
    const targetUs = 1_000_000 + ++reachedSeconds * 1_000_000;
    const { operation } = await kept(() => client.advanceTime({ path, body: { ...body, targetUs } }));
    const end = await ended(client, { projectId, operationId: operation.operationId });
    assert.equal(end.state, 'succeeded', `an advance of the good tenant: ${JSON.stringify(end.error)}`);
    advances += 1;
    const { entries } = await kept(() => client.listEvidence({ path, query: { limit: 200, fromSequence } }));
    entriesRead += entries.length;
    fromSequence += entries.length;
    await pause(200);
  }
  return { advances, entriesRead };
}
/** What the good tenant does all the time: calls, and beside them `otherWork`. */
async function work(victim: Victim, clock: Clock): Promise<{ answers: Answers; advances: number; entriesRead: number }> {
  const [answers, other] = await Promise.all([answersOf(victim, () => clock.isOver()), otherWork(victim, clock)]);
  return { answers, ...other };
}
function clockOf(ofSeconds: number): Clock {
  const until = performance.now() + ofSeconds * 1000;
  return { isOver: () => performance.now() >= until };
}
/** Asked again while it is asked to come again. */
async function kept<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ControlError && error.retryable && tries < 100)) throw error;
      await pause(50);
    }
  }
}

/** The most of the first and of the last third. */
function thirds(samples: readonly number[]): { firstMiB: number; lastMiB: number } {
  const third = Math.ceil(samples.length / 3);
  return { firstMiB: Math.max(...samples.slice(0, third)), lastMiB: Math.max(...samples.slice(-third)) };
}

for (const mode of modes) {
  test(`${mode}: all attacks at once take nothing from a good tenant`, { timeout: (seconds + 300) * 1000 }, async (t) => {
    [reachedSeconds, fromSequence] = [0, 1];
    const ground = await startGround(mode, { engine: engines.includes('uws') ? 'uws' : 'node', flags: roomy });
    const victim = await startVictim(ground);
    await quietAnswers(victim);
    const quiet = await work(victim, clockOf(quietSeconds));
    let until = Number.POSITIVE_INFINITY;
    const clock: Clock = { isOver: () => performance.now() >= until };
    const attack = await startAttackers(ground, mode);
    until = performance.now() + seconds * 1000;
    const samples: number[] = [];
    // Its own memory: pages of the catalog's file are counted once for each of the maps that LMDB keeps of it, and go when the system wants
    // them.
    const sampling = setInterval(() => samples.push(residentMiB(ground, 'RssAnon')), 250);
    t.after(() => clearInterval(sampling));
    const [done, reported] = await Promise.all([work(victim, clock), attack.reported]);
    clearInterval(sampling);
    const { firstMiB, lastMiB } = thirds(samples);
    const total = await victim.total();
    const ratio = Number((done.answers.p99Ms / quiet.answers.p99Ms).toFixed(2));
    const figures = {
      mode,
      seconds,
      quiet: quiet.answers,
      ...done,
      ratio,
      firstMiB,
      lastMiB,
      acknowledged: victim.acknowledged,
      total,
      reported,
    };
    console.log(JSON.stringify(figures));
    assert.equal(total, victim.acknowledged, 'acknowledged calls were lost, or were done twice');
    assert.ok(!Object.keys(reported).some((what) => what.includes(reached)), reached);
    assert.ok(done.advances > 0 && done.entriesRead > 0);
    assert.ok(lastMiB <= 1.3 * firstMiB + 64, `the server grew from ${firstMiB} to ${lastMiB} MiB`);
    if (mode !== 'thread') assertHeld(quiet.answers, done.answers);
    await endWell(ground, t);
  });
}
