// All attackers at once, in a process of their own, so that what they do is not done by the process that measures. Its one message says how
// often each of them was answered what.
//   node attackers.js <JSON: AttackersOrder>
import { connect } from 'node:net';
import { ControlError } from '../../src/client/control-error.js';
import {
  type Agent,
  attempt,
  type Ground,
  groundOf,
  type Mode,
  newParty,
  openAgent,
  type Party,
  pause,
  publish,
  reached,
  refusalOf,
} from './kit.js';
import { attackerFiles, globExpressions, globFiles, hostileText, patternFiles, realmWays } from './sources.js';

export interface AttackersOrder {
  mode: Mode;
  baseUrl: string;
  credential: string;
  dataDirectory: string;
  seconds: number;
}
/** The first message: everything is made that is attacked with. The second, at the end: what they were answered. */
export type AttackersNews = { begun: true } | { reported: { [what: string]: number } };

/** Between two rounds of one attacker: the machine of the test is also the attackers'. */
const roundPauseMs = 100;
const floodSockets = 4;
const floodRequests = 500;

interface Clock {
  isOver(): boolean;
}
interface Tally {
  /** What the attackers were answered, and how often. */
  readonly reported: Map<string, number>;
}
const count = ({ reported }: Tally, what: string): void => void reported.set(what, (reported.get(what) ?? 0) + 1);

/** Comma-separated in DRILLYARD_ATTACK_KINDS: the only attacks that are made, to see what one of them costs. */
const kinds = process.env.DRILLYARD_ATTACK_KINDS?.split(',');

/** An attacker continues after every answer; a refusal is counted by its code. */
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
    () =>
      again(
        clock,
        tally,
        'queue',
        async (round) => (await attempt(queue, patternFiles({ row: true, nonce: String(round) }))).operation.state,
      ),
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

async function flood({ baseUrl }: Ground): Promise<string> {
  const port = Number(new URL(baseUrl).port);
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

const order = process.argv[2] === undefined ? undefined : (JSON.parse(process.argv[2]) as AttackersOrder);
if (order !== undefined) {
  const { mode, baseUrl, credential, dataDirectory, seconds } = order;
  const tally: Tally = { reported: new Map() };
  let until = Number.POSITIVE_INFINITY;
  const all = await attackers(groundOf(baseUrl, credential, dataDirectory), mode, { isOver: () => performance.now() >= until }, tally);
  until = performance.now() + seconds * 1000;
  process.send?.({ begun: true } satisfies AttackersNews);
  await Promise.all(all.map((attack) => attack()));
  process.send?.({ reported: Object.fromEntries([...tally.reported].sort()) } satisfies AttackersNews);
  process.disconnect?.();
}
