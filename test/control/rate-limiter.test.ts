// Token buckets against the definition: never more than burst + rate x time, and never less for who waits as reported.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import { RateLimiter } from '../../src/control/organizations/rate-limiter.js';
import fc from '../fast-check.js';

const refusalOf = (work: () => void): ServiceError | undefined => {
  try {
    work();
    return undefined;
  } catch (error) {
    assert.ok(error instanceof ServiceError && error.code === 'control.RATE_LIMITED');
    return error;
  }
};

test('in any stretch of time at most burst + rate x time pass, and a request after the reported wait passes', () => {
  const rates = fc.record({ perSecond: fc.constantFrom(0.5, 1, 3, 100, 5000), burst: fc.integer({ min: 1, max: 20 }) });
  fc.assert(
    fc.property(rates, fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 100 }), (rate, waits) => {
      let nowMs = 10_000;
      const limiter = new RateLimiter(rate, () => nowMs);
      const passed: number[] = [];
      for (const wait of waits) {
        nowMs += wait;
        const refusal = refusalOf(() => limiter.take('a'));
        if (refusal !== undefined) {
          nowMs += refusal.extra.retryAfterMs!;
          limiter.take('a');
        }
        passed.push(nowMs);
      }
      for (const [from, start] of passed.entries()) {
        for (const [to, end] of passed.entries()) {
          if (to >= from) assert.ok(to - from + 1 <= rate.burst + ((end - start) * rate.perSecond) / 1000 + 1e-6);
        }
      }
    }),
  );
});

test('one caller does not spend another’s', () => {
  const limiter = new RateLimiter({ perSecond: 1, burst: 2 }, () => 0);
  for (const id of ['a', 'b']) {
    limiter.take(id);
    limiter.take(id);
    assert.equal(refusalOf(() => limiter.take(id))!.extra.retryAfterMs, 1000);
  }
});

test('a clock that is set back gives nothing and locks nobody out', () => {
  let nowMs = 1_000_000;
  const limiter = new RateLimiter({ perSecond: 1, burst: 1 }, () => nowMs);
  limiter.take('a');
  nowMs = 0;
  assert.equal(refusalOf(() => limiter.take('a'))!.extra.retryAfterMs, 1000);
  nowMs = 1000;
  limiter.take('a');
});

test('who is quiet is forgotten, and it changes nothing afterwards', () => {
  let nowMs = 0;
  const limiter = new RateLimiter({ perSecond: 10, burst: 5 }, () => nowMs);
  for (let n = 0; n < 1000; n++) {
    nowMs += 10;
    limiter.take(`caller ${n}`);
  }
  assert.ok(limiter.size <= 20, `${limiter.size} are kept`);
  for (let n = 0; n < 5; n++) limiter.take('caller 0');
  assert.ok(refusalOf(() => limiter.take('caller 0')));
});

test('a rate of nothing is refused at once', () => {
  for (const rate of [
    { perSecond: 0, burst: 1 },
    { perSecond: 1, burst: 0 },
    { perSecond: Number.NaN, burst: 1 },
  ]) {
    assert.throws(() => new RateLimiter(rate, () => 0), /above zero/);
  }
});
