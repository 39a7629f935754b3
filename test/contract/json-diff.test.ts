import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonValue } from '../../src/contract/json.js';
import { diffJson, type JsonChange, pathText } from '../../src/contract/json-diff.js';
import { limits } from '../../src/contract/limits.js';
import fc from '../fast-check.js';

const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>;

/** Puts the changes into a copy of `before`; items that arrays lose are dropped from the end. */
function apply(before: JsonValue, changes: readonly JsonChange[]): JsonValue | undefined {
  const root: { [name: string]: JsonValue | undefined } = { value: structuredClone(before) };
  for (const { path, after } of [...changes].reverse()) {
    const steps = ['value', ...path];
    const last = steps.pop() as string | number;
    const owner = steps.reduce<unknown>((value, step) => (value as { [name: string]: unknown })[step], root) as { [name: string]: unknown };
    if (after !== undefined) Object.defineProperty(owner, last, { value: after, configurable: true, enumerable: true, writable: true });
    else if (Array.isArray(owner)) owner.splice(last as number, 1);
    else delete owner[last];
  }
  return root.value;
}

test('the changes lead from one value to the other', () => {
  fc.assert(
    fc.property(json, json, (before, after) => {
      const { changes, total } = diffJson(before, after);
      fc.pre(changes.length === total);
      assert.deepEqual(JSON.parse(JSON.stringify(apply(before, changes))), JSON.parse(JSON.stringify(after)));
    }),
    { numRuns: 300 },
  );
});

test('equal values have no changes', () => {
  fc.assert(fc.property(json, (value) => assert.deepEqual(diffJson(value, structuredClone(value)), { changes: [], total: 0 })));
});

test('changes are reported by member', () => {
  assert.deepEqual(diffJson({ kept: 1, old: 2, list: [1, 2] }, { kept: 1, list: [1, 3, 4], new: null }).changes, [
    { path: ['old'], before: 2 },
    { path: ['list', 1], before: 2, after: 3 },
    { path: ['list', 2], after: 4 },
    { path: ['new'], after: null },
  ]);
});

test('names of the prototype are ordinary members', () => {
  const before = JSON.parse('{"__proto__": 1, "constructor": 2}') as JsonValue;
  const after = JSON.parse('{"__proto__": 3}') as JsonValue;
  assert.deepEqual(diffJson(before, after).changes, [
    { path: ['__proto__'], before: 1, after: 3 },
    { path: ['constructor'], before: 2 },
  ]);
});

test('a large difference is bounded, and all of it is counted', () => {
  const many = (value: number): JsonValue => Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`m${index}`, value]));
  const { changes, total } = diffJson(many(1), many(2));
  assert.deepEqual([changes.length, total], [limits.jsonDiffChangesMax, 1000]);
});

test('paths read as code', () => {
  assert.equal(pathText([]), '(value)');
  assert.equal(pathText(['lines', 2, 'amount']), 'lines[2].amount');
  assert.equal(pathText(['odd key', 'a']), '["odd key"].a');
});
