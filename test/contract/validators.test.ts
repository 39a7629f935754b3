import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shapeIssues } from '../../src/contract/shape-issues.js';
import * as validators from '../../src/contract/validate/validators.js';
import {
  shapeChecks,
  type Validation,
  validateCallRequest,
  validateDrill,
  validateTarget,
  wordings,
} from '../../src/contract/validate/validators.js';
import fc from '../fast-check.js';
import { breaks, broken, shapeArbitrary } from './shape-arbitrary.js';

const issuesBySchema = (name: string, value: unknown) => shapeIssues({ ...wordings, refinements: {} }, name, value);

for (const [name, fits] of shapeChecks) {
  const sound = shapeArbitrary(wordings.shapes, name);
  test(`${name}: the generated check and the walk over its schema agree`, () => {
    fc.assert(
      fc.property(sound, (value) => {
        assert.deepEqual(issuesBySchema(name, value), []);
        assert.equal(fits(value), true);
      }),
      { numRuns: 15 },
    );
    fc.assert(
      fc.property(sound, breaks, (value, changes) => {
        const changed = broken(value, changes);
        assert.equal(fits(changed), issuesBySchema(name, changed).length === 0, JSON.stringify(issuesBySchema(name, changed)));
      }),
      { numRuns: 60 },
    );
  });
}

const issuesOf = (result: Validation<unknown>) => (result.ok ? [] : result.issues.map(({ path, code }) => `${path} ${code}`).sort());
const assertion = { id: 'a', kind: 'state.value', packageId: 'desk', namespace: 'tickets', rowId: 'T-1', expected: 1 };
const drill = { schemaVersion: 1, id: 'first', targetId: 'agent', actorId: 'ada', task: { instruction: 'Go.' }, assertions: [assertion] };

test('a typo in an assertion is named, together with everything else that is wrong', () => {
  const result = validateDrill({
    ...drill,
    title: '',
    titel: 'x',
    tags: ['ok', 'Not ok'],
    scenarioId: 'x',
    inlineScenario: { actorz: [] },
    assertions: [
      { ...assertion, comparision: 'equals', gate: 'yes' },
      { id: 'b', kind: 'state.count', packageId: 'p', namespace: 'n', count: {} },
      { ...assertion, kind: 'state.valu' },
      5,
    ],
  });
  assert.deepEqual(issuesOf(result), [
    '/assertions/0/comparision unknown_property',
    '/assertions/0/gate wrong_type',
    '/assertions/1/count required',
    '/assertions/2/kind not_one_of',
    '/assertions/3 wrong_type',
    '/inlineScenario/actorz unknown_property',
    '/tags/1 pattern',
    '/titel unknown_property',
    '/title too_short',
  ]);
  assert.ok(!result.ok);
  const typo = result.issues.find(({ path }) => path === '/assertions/0/comparision');
  assert.equal(typo?.message, '"comparision" is not a member of StateValueAssertion; did you mean "comparison"?');
  const gate = result.issues.find(({ path }) => path === '/assertions/0/gate');
  assert.equal(
    gate?.message,
    'expected true or false, found "yes" (A failed gate fails the run; a failed non-gate is reported only. Default: true)',
  );
});

test('a member whose name begins like a broken sibling is still reported', () => {
  assert.deepEqual(issuesOf(validateDrill({ ...drill, actorIds: 1, actor: 1, actorId: 7 })), [
    '/actor unknown_property',
    '/actorId wrong_type',
    '/actorIds unknown_property',
  ]);
});

test('paths are JSON Pointers', () => {
  assert.deepEqual(issuesOf(validateCallRequest({ arguments: {}, 'a/b~c': 1, '': 2 })), [
    '/ unknown_property',
    '/a~1b~0c unknown_property',
  ]);
});

// SHAPE-ISSUES-1
test('a drill in both forms, and one in none, is shown which form it is most like', () => {
  const both = validateDrill({ ...drill, timeline: {} });
  assert.deepEqual(issuesOf(both), ['/timeline unknown_property']);
  assert.ok(!both.ok && /a Drill has either .*"task".* or "timeline"/.test(both.issues[0]?.message ?? ''));
  const { actorId: _a, task: _t, ...none } = drill;
  assert.deepEqual(issuesOf(validateDrill(none)), ['/timeline required']);
});

// SHAPE-ISSUES-1
test('an issue inside a short or a long drill is not an issue of the choice between them', () => {
  assert.deepEqual(issuesOf(validateDrill({ ...drill, task: { instruction: 7 } })), ['/task/instruction wrong_type']);
  const { actorId: _a, task: _t, ...rest } = drill;
  assert.deepEqual(issuesOf(validateDrill({ ...rest, timeline: { interactions: [{ id: 'x', actorId: 'a', task: {} }] } })), [
    '/timeline/interactions/0/task/instruction required',
  ]);
});

test('a target is judged by its kind', () => {
  assert.deepEqual(
    issuesOf(validateTarget({ id: 't', kind: 'http', bindings: ['direct', 'http', 'http'], method: 'GET', timeoutMs: 0, module: 'x' })),
    ['/bindings/0 not_one_of', '/method not_one_of', '/module unknown_property', '/timeoutMs too_small', '/url required'],
  );
  assert.deepEqual(issuesOf(validateTarget({ id: 't' })), ['/kind required']);
  assert.deepEqual(issuesOf(validateTarget({ kind: 'socket' })), ['/kind not_one_of']);
});

// SHAPE-ISSUES-2
test('a refinement sees no value whose shape is wrong', () => {
  const seen: unknown[] = [];
  const options = { ...wordings, refinements: { CallRequest: (value: never) => void seen.push(value) } };
  assert.notDeepEqual(shapeIssues(options, 'CallRequest', { arguments: {}, idempotencyKey: 7 }), []);
  assert.deepEqual(seen, []);
  assert.deepEqual(shapeIssues(options, 'CallRequest', { arguments: {} }), []);
  assert.deepEqual(seen, [{ arguments: {} }]);
});

test('at most 100 issues are reported', () => {
  const result = validateDrill({ ...drill, tags: Array.from({ length: 500 }, () => 'Not ok') });
  assert.equal(issuesOf(result).length, 100);
});

test('what is not JSON is refused whatever the shape: depth, infinity, halves of pairs, undefined', () => {
  let deep: unknown = 1;
  for (let level = 0; level < 64; level++) deep = [deep];
  assert.deepEqual(issuesOf(validateCallRequest({ arguments: deep })), [`/arguments${'/0'.repeat(63)} not_json`]);
  assert.deepEqual(issuesOf(validateCallRequest(JSON.parse('{"arguments":{"n":1e999}}'))), ['/arguments/n not_json']);
  assert.deepEqual(issuesOf(validateCallRequest({ arguments: '\ud800' })), ['/arguments not_json']);
  assert.deepEqual(issuesOf(validateCallRequest(undefined)), [' not_json']);
});

test('a prototype is not consulted for members', () => {
  assert.deepEqual(issuesOf(validateCallRequest(JSON.parse('{"__proto__":{"arguments":1}}'))), [
    '/__proto__ unknown_property',
    '/arguments required',
  ]);
  assert.deepEqual(issuesOf(validateCallRequest({ arguments: {}, constructor: 1, toString: 2 })), [
    '/constructor unknown_property',
    '/toString unknown_property',
  ]);
});

test('no regular expression is made while hot shapes are checked', () => {
  const calls: [(value: unknown) => Validation<unknown>, unknown][] = [
    [validateCallRequest, { arguments: { id: 'T-1' }, idempotencyKey: 'k', instanceId: 'desk' }],
    [validators.validateCallPath, { packageId: 'desk', operationId: 'tickets.get' }],
    [validators.validateWaitRequest, { untilUs: 5 }],
    [validators.validateReceiverPath, { receiverId: 'hook' }],
    [validators.validateReceiveRequest, { url: 'http://127.0.0.1:4000', secret: '0123456789abcdef' }],
    [validateDrill, drill],
  ];
  for (const [validate, value] of calls) assert.equal(validate(value).ok, true);
  const original = globalThis.RegExp;
  let made = 0;
  const counted = function counting(...parts: [pattern: string, flags?: string]) {
    made++;
    return original(...parts);
  };
  globalThis.RegExp = counted as unknown as RegExpConstructor;
  try {
    for (const [validate, value] of calls) validate(value);
    assert.equal(made, 0);
    new globalThis.RegExp(drill.id);
    assert.equal(made, 1, 'the count counts');
  } finally {
    globalThis.RegExp = original;
  }
});
