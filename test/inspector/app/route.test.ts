import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRoute, routeHash, runHash, takeToken } from '../../../src/inspector/app/state/route.js';
import fc from '../../fast-check.js';

test('what a link says is what is read from it', () => {
  const views = fc.constantFrom('world', 'drills', 'runs', 'compare', 'play', 'source');
  const text = fc.string({ minLength: 1, maxLength: 12 }).filter((part) => !/^\.+$/.test(part));
  fc.assert(
    fc.property(views, fc.array(text, { maxLength: 3 }), fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), text), (view, path, query) => {
      assert.deepEqual(parseRoute(routeHash(view as 'runs', path, query)), { view, path, query: { ...query } });
    }),
  );
});

test('deep links have the form that is shown to people', () => {
  assert.equal(runHash('run_1', { seq: 14, assertion: 'one-refund' }), '#/runs/run_1?seq=14&assertion=one-refund');
  assert.equal(routeHash('runs', ['run_1'], { seq: undefined, part: '' }), '#/runs/run_1');
});

test('an unknown address is the front page', () => {
  for (const hash of ['', '#', '#/', '#/nowhere/x', '#%', '#/runs%']) assert.equal(parseRoute(hash).view, 'drills');
  assert.deepEqual(parseRoute('#/runs/%E0%A4%A'), { view: 'runs', path: ['%E0%A4%A'], query: {} });
});

test('the token is taken out of the fragment, and the page behind it stays', () => {
  assert.deepEqual(takeToken('#token=abc'), { token: 'abc', rest: '' });
  assert.deepEqual(takeToken('#/runs/run_1?seq=3&token=abc'), { token: 'abc', rest: '#/runs/run_1?seq=3' });
  assert.deepEqual(takeToken('http://127.0.0.1:1/#token=a%2Fb')?.token, 'a/b');
  assert.equal(takeToken('#/runs/run_1?seq=3'), undefined);
});
