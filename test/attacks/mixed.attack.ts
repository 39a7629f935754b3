// All attacks at once beside a good tenant, for DRILLYARD_ATTACK_SECONDS (20 unless said): nothing acknowledged is lost, none of its calls fails,
// its p99 is at most three times that of the same work on a quiet service where the mode claims so, and the memory of the server stays where it is.
// The figures of each mode are one line of JSON.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { ControlError } from '../../src/client/control-error.js';
import {
  type Agent,
  type Answers,
  answersOf,
  assertHeld,
  attempt,
  ended,
  endWell,
  type Ground,
  modes,
  newParty,
  openAgent,
  type Party,
  pause,
  publish,
  quietAnswers,
  refusalOf,
  residentMiB,
  startGround,
  startVictim,
  type Victim,
} from './kit.js';
import { attackerFiles, globExpressions, globFiles, hostileText, patternFiles, realmWays } from './sources.js';

const seconds = Number(process.env.DRILLYARD_ATTACK_SECONDS ?? 20);
/** Between two rounds of one attacker: the machine of the test is also the attackers'. */
const roundPauseMs = 100;
const floodSockets = 4;
const floodRequests = 500;
const quietSeconds = 10;

interface Clock {
  isOver(): boolean;
}
interface Tally {
  /** What the attackers were told, and how often. */
  readonly told: Map<string, number>;
}
const count = ({ told }: Tally, what: string): void => void told.set(what, (told.get(what) ?? 0) + 1);

/** Comma-separated in DRILLYARD_ATTACK_KINDS: the only attacks that are made, to see what one of them costs. */
const kinds = process.env.DRILLYARD_ATTACK_KINDS?.split(',');

/** Whatever an attacker is told, it goes on; a refusal is counted by its code. */
async function again(clock: Clock, tally: Tally, name: string, step: (round: number) => Promise<string>): Promise<void> {
  if (kinds?.includes(name) === false) return;
  for (let round = 1; !clock.isOver(); round++) {
    try {
      count(tally, `${name}: ${await step(round)}`);
    } catch (error) {
      count(tally, `${name}: ${error instanceof ControlError ? error.code : String(error).slice(0, 160)}`);
    }
    await pause(roundPauseMs);
  }
}

const reached = 'the process was reached';
/** An agent of a hungry build; of another build once that one is closed. */
class Hydra {
  readonly #party: Party;
  readonly #name: string;
  #agent: Agent | undefined;
  #heads = 0;

  constructor(party: Party, name: string) {
    this.#party = party;
    this.#name = name;
  }

  async eat(operationId: string, input: object): Promise<string> {
    if (this.#agent === undefined) {
      const place = await publish(this.#party, attackerFiles(`${this.#name}-${++this.#heads}`));
      this.#agent = await openAgent(this.#party.client, place);
    }
    const reply = await this.#agent.call(operationId, input);
    const refused = refusalOf(reply);
    if (String(reply.body.outcome?.value?.reached).startsWith('process')) return reached;
    if (refused === 'world.BUILD_QUARANTINED' || refused?.startsWith('control.UNAUTH') === true) this.#agent = undefined;
    return refused ?? 'ok';
  }
}

/** Each attack in a project of its own; those that a mode does not claim to hold are left out. */
async function attackers(ground: Ground, mode: string, clock: Clock, tally: Tally): Promise<(() => Promise<void>)[]> {
  const party = (name: string): Promise<Party> => newParty(ground, name);
  const hydra = async (name: string): Promise<Hydra> => new Hydra(await party(name), name);
  const [realm, memory, results, glob, queue] = [
    await hydra('realm'),
    await hydra('memory'),
    await hydra('results'),
    await party('glob'),
    await party('queue'),
  ];
  const spins = await party('spins');
  const ways = Object.keys(realmWays);
  const hungers = ['arrays', 'buffers', 'objects'];
  const makes = ['result', 'details', 'events', 'rows'];
  const globs = globExpressions(ground.dataDirectory);
  const pick = <T>(from: readonly T[], round: number): T => from[round % from.length] as T;
  const spinning = [1, 2, 3].map((index) => {
    const head = new Hydra(spins, `spin-${index}`);
    return () => again(clock, tally, 'spin', () => head.eat('eat', { how: 'spin' }));
  });
  return [
    () => again(clock, tally, 'realm', (round) => realm.eat('leave', { way: pick(ways, round) })),
    ...(mode === 'thread'
      ? []
      : [
          () => again(clock, tally, 'memory', (round) => memory.eat('eat', { how: pick(hungers, round) })),
          () => again(clock, tally, 'results', (round) => results.eat('eat', { how: pick(makes, round), size: 100 })),
        ]),
    ...spinning,
    () => again(clock, tally, 'glob', async (round) => (await attempt(glob, globFiles(pick(globs, round)))).operation.state),
    () => again(clock, tally, 'queue', async (round) => (await attempt(queue, patternFiles({ row: true, nonce: String(round) }))).operation.state),
    datasets(await party('datasets'), clock, tally),
    () => again(clock, tally, 'flood', () => flood(ground)),
  ];
}

function datasets(party: Party, clock: Clock, tally: Tally): () => Promise<void> {
  return async () => {
    const { buildHash } = await publish(party, patternFiles({ row: false }));
    const collections = [{ namespace: 'rows', records: [{ rowId: 'bad', value: { text: hostileText } }] }];
    const body = { name: 'rows', buildHash, packageId: 'attacker', collections };
    await again(clock, tally, 'dataset', async () => {
      await party.client.createDataset({ path: { projectId: party.projectId }, body });
      return 'made';
    });
  };
}

async function flood({ service }: Ground): Promise<string> {
  const port = Number(new URL(service.ready.baseUrl).port);
  const bytes = 'GET /v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(floodRequests);
  const sockets = Array.from({ length: floodSockets }, () => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    socket.write(bytes);
    return socket;
  });
  await pause(500);
  for (const socket of sockets) socket.destroy();
  return 'sent';
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
/** Asked again while it is told to come again. */
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
    const ground = await startGround(mode, { flags: ['--projects-max', '1000'] });
    const victim = await startVictim(ground);
    await quietAnswers(victim);
    const quiet = await work(victim, clockOf(quietSeconds));
    const tally: Tally = { told: new Map() };
    let until = Number.POSITIVE_INFINITY;
    const clock: Clock = { isOver: () => performance.now() >= until };
    const attacks = await attackers(ground, mode, clock, tally);
    until = performance.now() + seconds * 1000;
    const samples: number[] = [];
    const sampling = setInterval(() => samples.push(residentMiB(ground)), 250);
    t.after(() => clearInterval(sampling));
    const [done] = await Promise.all([work(victim, clock), ...attacks.map((attack) => attack())]);
    clearInterval(sampling);
    const { firstMiB, lastMiB } = thirds(samples);
    const total = await victim.total();
    const told = Object.fromEntries([...tally.told].sort());
    const ratio = Number((done.answers.p99Ms / quiet.answers.p99Ms).toFixed(2));
    const figures = { mode, seconds, quiet: quiet.answers, ...done, ratio, firstMiB, lastMiB, acknowledged: victim.acknowledged, total, told };
    console.log(JSON.stringify(figures));
    assert.equal(total, victim.acknowledged, 'acknowledged calls were lost, or were done twice');
    assert.ok(!Object.keys(told).some((what) => what.includes(reached)), reached);
    assert.ok(done.advances > 0 && done.entriesRead > 0);
    assert.ok(lastMiB <= 1.3 * firstMiB + 64, `the server grew from ${firstMiB} to ${lastMiB} MiB`);
    if (mode !== 'thread') assertHeld(quiet.answers, done.answers);
    await endWell(ground, t);
  });
}
