// The record of members against arbitrary responses: what a codec leaves out is named, whatever it is and wherever it lies.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { carriedMembers, lostMembers, membersText, recordedMembers } from '../../src/compat-kit/carried-members.js';
import type { SourcedExchange } from '../../src/compat-kit/exchanges.js';
import fc from '../fast-check.js';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

const json = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, 'text', 7),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'a/b', '*', '?', 'a?', '', '~', '~1'), tie('value'), { maxKeys: 4 }),
  ),
})).value;

function exchange(value: Json, { routeId = 'things.get', status = 200 } = {}): SourcedExchange {
  const place = { method: 'GET', path: '/things', query: '', requestBody: '', headers: {} };
  return { ...place, routeId, status, body: JSON.stringify(value), from: 'flow', isError: status >= 400 };
}
const recordOf = (values: readonly Json[]) => recordedMembers(membersText(carriedMembers(values.map((value) => exchange(value)))));
const lost = (before: readonly Json[], after: readonly Json[]) =>
  lostMembers(recordOf(before), recordOf(after)).map(({ message }) => message);

/** Where a member lies: names, and `*` for any item of a list, as an array of its own. */
type Path = (string | ['*'])[];
function pathsOf(value: Json): Path[] {
  if (value === null || typeof value !== 'object') return [];
  if (Array.isArray(value)) return value.flatMap((item) => pathsOf(item).map((path): Path => [['*'], ...path]));
  return Object.entries(value).flatMap(([name, member]): Path[] => [[name], ...pathsOf(member).map((path): Path => [name, ...path])]);
}
function without(value: Json, [step, ...rest]: Path): Json {
  if (value === null || typeof value !== 'object' || step === undefined) return value;
  if (Array.isArray(value)) return Array.isArray(step) ? value.map((item) => without(item, rest)) : value;
  if (Array.isArray(step) || !Object.hasOwn(value, step)) return value;
  const { [step]: member, ...others } = value;
  return rest.length === 0 ? others : { ...others, [step]: without(member as Json, rest) };
}

// CARRIED-MEMBERS-1
test('whichever member is taken out of all responses is named once, and what is carried as before is not', () => {
  fc.assert(
    fc.property(fc.array(json, { minLength: 1, maxLength: 4 }), fc.nat(), (values, choice) => {
      assert.deepEqual(lost(values, values), []);
      assert.deepEqual(lost(values, [...values, ...values].reverse()), []);
      const paths = values.flatMap(pathsOf);
      const path = paths[choice % Math.max(1, paths.length)];
      if (path === undefined) return;
      const messages = lost(
        values,
        values.map((value) => without(value, path)),
      );
      assert.ok(messages.length > 0, JSON.stringify(path));
    }),
  );
});

test('a member that only some objects have is marked; errors are of all routes', () => {
  assert.deepEqual(lost([{ a: 1 }, { a: 2 }], [{ a: 1 }, {}]), ['things.get: a response is without /a; compat/members.json has it.']);
  assert.deepEqual(lost([{ a: 1 }, {}], [{ a: 1 }]), []);
  assert.deepEqual(lost([{ a: [{ b: 1 }] }], [{ a: [] }]), ['things.get: no response has an object at /a/*; compat/members.json has it.']);
  assert.deepEqual(lost([{ a: [{ b: 1 }] }], [{}]), ['things.get: no response carries /a; compat/members.json has it.']);
  assert.deepEqual(lost([{ a: 1 }], ['text']), [
    'things.get: no response of it is JSON with members any more; compat/members.json has it.',
  ]);
  const errors = [exchange({ code: 1, hint: 2 }, { status: 404 }), exchange({ code: 1 }, { status: 404, routeId: 'things.list' })];
  assert.deepEqual(carriedMembers(errors), { 'error 404': { '/': ['code', 'hint?'] } });
});
