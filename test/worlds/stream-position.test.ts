// STREAM-POSITION-1
// Every history of a log and a copy of a few records: what the decision says is what an observer who has seen all of it would do.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openingOf } from '../../src/worlds/kv/stream-position.js';
import fc from '../fast-check.js';

const nonce = (name: string): Buffer => Buffer.alloc(16, name);
const zeros = Buffer.alloc(16);
/** Records by the name of the owner that wrote each: 'aab' has three, the last of owner b. A nonce names owner and number. */
const nonceAt = (history: string, number: number): Buffer => (number === 0 ? zeros : nonce(`${history[number - 1]}${number}-`));
const factsOf = (copy: string, { tailFrom, log, isSameBoot = true }: { tailFrom: number; log: string; isSameBoot?: boolean }) => ({
  position: { number: copy.length, nonce: nonceAt(copy, copy.length) },
  tail: [...copy].flatMap((_, index) =>
    index + 1 < tailFrom ? [] : [{ number: index + 1, nonce: nonceAt(copy, index + 1), follows: nonceAt(copy, index) }],
  ),
  isSameBoot,
  log: { end: log.length, nonce: nonceAt(log, Math.min(log.length, copy.length)) },
});
const opening = (copy: string, tailFrom: number, log: string) => openingOf(factsOf(copy, { tailFrom, log }));

test('the cases of a copy and its log', () => {
  assert.equal(opening('', 1, ''), 'continue');
  assert.equal(opening('', 1, 'aa'), 'catch_up');
  assert.equal(opening('aaa', 3, 'aaa'), 'continue');
  assert.equal(opening('aa', 2, 'aaaa'), 'catch_up');
  assert.equal(opening('aaa', 3, 'aa'), 'append_tail');
  assert.equal(opening('a', 1, ''), 'append_tail');
  assert.equal(opening('aaaa', 3, 'aaa'), 'append_tail');
  assert.equal(opening('aaaa', 3, 'aa'), 'append_tail');
  assert.equal(opening('aaa', 3, 'aab'), 'restore', 'another owner came first');
  assert.equal(opening('aaaa', 3, 'aab'), 'restore');
  assert.equal(opening('aaa', 3, 'aabbb'), 'restore');
  assert.equal(opening('aaaa', 4, 'aa'), 'log_went_back', 'the third was acknowledged');
  assert.equal(opening('aaaa', 4, 'aab'), 'log_went_back', 'it was, and another stands there');
  assert.equal(opening('aaa', 9, 'aab'), 'log_went_back', 'a follower has what the log had');
  assert.equal(opening('aaa', 9, 'aa'), 'log_went_back');
  assert.equal(openingOf(factsOf('aaa', { tailFrom: 3, log: 'aaa', isSameBoot: false })), 'restore');
  for (const end of [2, 3, 4]) {
    const facts = factsOf('aaa', { tailFrom: 3, log: 'a'.repeat(end) });
    assert.equal(openingOf({ ...facts, log: { end, nonce: undefined } }), 'restore', 'it cannot be read any more');
  }
});

test('a copy that is served holds what was acknowledged, and a tail is appended only behind what it follows', () => {
  const history = fc
    .record({ acknowledged: fc.nat(4), unknown: fc.nat(2), others: fc.nat(3), kept: fc.nat(6), appended: fc.nat(2), dropped: fc.nat(2) })
    .map(({ acknowledged, unknown, others, kept, appended, dropped }) => {
      // Owner a acknowledged some records and left others in its tail, of which the log took the first few; then b wrote. A log that went
      // back has lost its last ones, and b wrote behind what was left.
      const taken = 'a'.repeat(acknowledged + Math.min(appended, unknown));
      const left = dropped === 0 ? taken : taken.slice(0, Math.min(kept, taken.length));
      return { copy: 'a'.repeat(acknowledged + unknown), acknowledged, log: left + 'b'.repeat(others) };
    });
  fc.assert(
    fc.property(history, ({ copy, acknowledged, log }) => {
      const common = Math.min(
        [...copy, 'x'].findIndex((owner, index) => log[index] !== owner),
        copy.length,
      );
      const found = opening(copy, acknowledged + 1, log);
      const hasLost = common < acknowledged;
      if (found === 'continue') assert.ok(common === copy.length && common === log.length);
      else if (found === 'catch_up') assert.ok(common === copy.length && common < log.length);
      else if (found === 'append_tail') assert.ok(common === log.length && log.length >= acknowledged && log.length < copy.length);
      else if (found === 'restore') assert.ok(common < copy.length && common < log.length);
      else assert.ok(hasLost);
      if (hasLost && log.length < acknowledged) assert.equal(found, 'log_went_back');
    }),
    { numRuns: 2000 },
  );
});
