// Hosts ask their system: in threads and in processes, whose asks are believed in nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AskAnswers, WrongAsk } from '../../src/actors/ask-answers.js';
import { plainOfText, textOfPlain } from '../../src/actors/byte-text.js';
import type { Envelope } from '../../src/actors/frames.js';
import { tuning } from '../../src/actors/tuning.js';
import { ServiceError } from '../../src/contract/errors.js';
import fc from '../fast-check.js';
import { until } from '../until.js';
import { refusalOf, testBoth, testWith } from './open-system.js';

// BYTE-TEXT-1
test('plain data and bytes are read from a text as they were written', () => {
  const { plain } = fc.letrec((tie) => ({
    plain: fc.oneof(
      { maxDepth: 3 },
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
      fc.array(tie('plain'), { maxLength: 3 }),
      fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), tie('plain'), { maxKeys: 3, noNullPrototype: true }),
    ),
  }));
  fc.assert(fc.property(plain, (value) => assert.deepEqual(plainOfText(textOfPlain(value)), value)));
  assert.equal(plainOfText(textOfPlain(undefined)), undefined);
  assert.throws(() => textOfPlain({ $bytes: 'AA==' }), { code: 'control.INVALID_REQUEST' });
  assert.throws(() => plainOfText('{"$bytes":7}'), TypeError);
});

const heard: unknown[] = [];
const answer = async (host: number, request: unknown): Promise<unknown> => {
  heard.push(request);
  const { kind } = request as { kind: string };
  if (kind === 'refuse') throw new ServiceError('control.NOT_FOUND');
  if (kind === 'break') throw new Error('a bug of the answerer');
  if (kind === 'unclonable') return { size: 1n, make: () => {} };
  if (kind === 'bytes') return (request as { bytes: Uint8Array }).bytes;
  return { host, kind };
};

// ASK-ANSWERS-1
testBoth(
  'what a host asks is answered, bytes as bytes and refusals as refusals, in the order of the asks',
  { answer },
  async (counters) => {
    heard.length = 0;
    const { system, log } = counters;
    const bytes = [0, 255, 7];
    const requests = [
      { kind: 'one' },
      { kind: 'refuse' },
      { kind: 'bytes', bytes },
      { kind: 'break' },
      { kind: 'unclonable' },
      { kind: 'six' },
    ];
    const found = await system.control(0, { kind: 'ask', requests });
    assert.deepEqual(found, [
      { value: { host: 0, kind: 'one' } },
      { code: 'control.NOT_FOUND' },
      { bytes: [0, 255, 7] },
      { code: 'control.INTERNAL' },
      { code: 'control.INVALID_REQUEST' },
      { value: { host: 0, kind: 'six' } },
    ]);
    assert.deepEqual(
      heard.map((request) => (request as { kind: string }).kind),
      requests.map(({ kind }) => kind),
    );
    assert.ok(log.some((entry) => entry.event === 'actor_failed' && entry.stack.includes('a bug of the answerer')));
    assert.deepEqual(await counters.control(0, { kind: 'askUnclonable' }), [
      { code: 'control.INVALID_REQUEST' },
      { value: { host: 0, kind: 'after' } },
    ]);
    assert.equal((await counters.add('a')).value, 1);
  },
);

testBoth(
  'a kind may ask before it is there, and each incarnation does',
  { answer, counters: { askAtLoad: { kind: 'early' } } },
  async (counters) => {
    assert.deepEqual(await counters.control(0, { kind: 'askedAtLoad' }), { host: 0, kind: 'early' });
    heard.length = 0;
    await counters.system.killHost(0);
    assert.deepEqual([heard, await counters.control(0, { kind: 'askedAtLoad' })], [[{ kind: 'early' }], { host: 0, kind: 'early' }]);
  },
);

testBoth('a system that answers nothing refuses each ask, and its hosts work on', {}, async (counters) => {
  assert.deepEqual(await counters.control(0, { kind: 'ask', requests: [1] }), [{ code: 'control.UNAVAILABLE' }]);
  assert.equal((await counters.add('a')).value, 1);
});

let release = (): void => {};
let holding = 0;
const held = async (): Promise<string> => {
  const number = ++holding;
  await new Promise<void>((resolve) => {
    release = resolve;
  });
  return `ask ${number}`;
};

// ASK-ANSWERS-2
testBoth('an ask of an incarnation that is over is answered nowhere', { answer: held }, async (counters) => {
  holding = 0;
  const refused = refusalOf(counters.control(0, { kind: 'ask', requests: [1] }));
  await until(() => holding === 1);
  await counters.system.killHost(0);
  assert.equal(await refused, 'world.ACTOR_RESTARTED');
  const releaseFirst = release;
  const second = counters.control(0, { kind: 'ask', requests: [2] });
  await until(() => holding === 2);
  // Were it posted, the new incarnation would take it for the answer to its own first ask.
  releaseFirst();
  await counters.control(0, { kind: 'echo', value: 1 });
  release();
  assert.deepEqual(await second, [{ value: 'ask 2' }]);
});

// HOST-ASKS-1
testBoth('asks beyond the bound are refused, and the host stands', { answer: held }, async (counters) => {
  const requests = Array.from({ length: tuning.asksMax + 1 }, (_, index) => index);
  void counters.control(0, { kind: 'ask', requests }).catch(() => {});
  assert.deepEqual(await counters.control(0, { kind: 'ask', requests: [0] }), [{ code: 'control.WORLD_BUSY' }]);
  assert.equal((await counters.add('a')).value, 1);
});

const wrongAsks = {
  'no text': [5, 1, { kind: 'one' }],
  'text that is no data': [5, 1, '{'],
  'a text of too many parts': [5, 1, `[${'{},'.repeat(tuning.askStructureCharsMax / 2)}0]`],
  'no number': [5, '1', '1'],
  'a number twice': [5, 1, '1', 5, 1, '1'],
  'more than it may': Array.from({ length: tuning.asksMax + 1 }, (_, index) => [5, index + 1, '1']).flat(),
};
// ASK-ANSWERS-2
testWith(
  `a process that asks in ${Object.keys(wrongAsks).join(', ')} is ended each time, and another stands in its place`,
  { answer, isolation: 'process', restarts: { max: 2 * Object.keys(wrongAsks).length, windowMs: 600_000, coolDownMs: 60_000 } },
  async (counters) => {
    for (const [index, [what, envelope]] of Object.entries(wrongAsks).entries()) {
      assert.equal(await refusalOf(counters.control(0, { kind: 'forge', envelope })), 'world.ACTOR_RESTARTED', what);
      assert.equal((await counters.add('a')).value, index + 1, what);
      const ends = counters.log.filter(({ event }) => event === 'host_ended');
      assert.equal(ends.length, index + 1, what);
      const [last] = ends.slice(-1);
      assert.ok(last?.event === 'host_ended' && /it asked|no envelope/.test(last.detail), what);
    }
  },
);
// ASK-ANSWERS-2
testBoth(
  'a host that asks what its answerer finds wrong is ended',
  { answer: () => Promise.reject(new WrongAsk('it asked what is wrong')) },
  async (counters) => {
    await refusalOf(counters.system.control(0, { kind: 'ask', requests: [{}] }));
    await until(() => counters.log.some(({ event }) => event === 'host_ended'));
  },
);
testWith('a process that asks where nobody answers is ended', { isolation: 'process' }, async (counters) => {
  assert.equal(await refusalOf(counters.control(0, { kind: 'forge', envelope: [5, 1, '1'] })), 'world.ACTOR_RESTARTED');
  assert.equal((await counters.add('a')).value, 1);
});

// ASK-ANSWERS-2
test('the texts of open asks are bounded together', async () => {
  const refusals: string[] = [];
  const posted: Envelope[] = [];
  const answers = new AskAnswers({
    answer: () => new Promise(() => {}),
    asText: true,
    post: (envelope) => posted.push(envelope),
    refuse: (reason) => refusals.push(reason),
    bug: () => assert.fail('nothing failed'),
  });
  const half = JSON.stringify('x'.repeat(tuning.askCharsMax / 2));
  answers.take(1, half);
  assert.deepEqual(refusals, []);
  answers.take(2, half);
  answers.take(3, '1');
  assert.deepEqual([refusals, posted], [['what it asked is too large'], []]);
});
