// What an assertion names is there, or is reported with its place and a suggestion.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileWith, edited } from './repository.js';

const drill = 'drillyard/add.drill.yaml';
const asserting = (assertion: string) =>
  edited(drill, 'kind: operation.count, operation: { packageId: notes, operationId: notes.add }, count: { equals: 1 }', assertion);

test('dangling names in the further kinds', async (t) => {
  const rows = '{ packageId: notes, namespace: notes }';
  const cases: [assertion: string, expected: string | null][] = [
    ['kind: fault.count, fault: { packageId: notes, faultId: dwon }, count: { equals: 0 }', 'DY3008 /assertions/0/fault/faultId'],
    [
      'kind: fault.count, fault: { packageId: notes, faultId: down, operationId: notes.ad }, count: { equals: 0 }',
      'DY3006 /assertions/0/fault/operationId',
    ],
    ['kind: fault.count, fault: { packageId: notes, faultId: down, operationId: notes.add }, count: { equals: 0 }', null],
    [
      'kind: operation.count, count: { equals: 1 }, operation: { anyOf: [{ packageId: notes, operationId: notes.add, outcome: [ok, denied] }, { packageId: notes, operationId: notes.ad }] }',
      'DY3006 /assertions/0/operation/anyOf/1/operationId',
    ],
    [
      'kind: operation.order, operations: [{ packageId: notes, operationId: notes.add }, { anyOf: [{ packageId: notes, operationId: notes.add, actorId: anne }] }]',
      'DY3010 /assertions/0/operations/1/anyOf/0/actorId',
    ],
    ['kind: operation.count, count: { equals: 1 }, operation: { anyOf: [] }', 'DY2003 /assertions/0/operation/anyOf'],
    [
      'kind: operation.count, count: { equals: 1 }, operation: { packageId: notes, operationId: notes.add, outcome: [ok, fine] }',
      'DY2003 /assertions/0/operation/outcome/1',
    ],
    [
      'kind: operation.count, count: { equals: 1 }, operation: { anyOf: [{ packageId: notes, operationId: notes.add, outcom: ok }] }',
      'DY2001 /assertions/0/operation/anyOf/0/outcom',
    ],
    ['kind: effect.at_most_once, operation: { packageId: notes, operationId: notes.ad }', 'DY3006 /assertions/0/operation/operationId'],
    [
      'kind: effect.at_most_once, operation: { packageId: notes, operationId: notes.add, actorId: anne }',
      'DY3010 /assertions/0/operation/actorId',
    ],
    ['kind: state.unchanged, except: [{ packageId: nots }]', 'DY3005 /assertions/0/except/0/packageId'],
    ['kind: state.unchanged, except: [{ packageId: notes, namespace: note }]', 'DY3009 /assertions/0/except/0/namespace'],
    ['kind: state.unchanged, scope: [{ packageId: notes, instanceId: eu }]', 'DY3012 /assertions/0/scope/0/instanceId'],
    [`kind: state.diff, changes: [{ change: insert, packageId: notes, namespace: note }]`, 'DY3009 /assertions/0/changes/0/namespace'],
    ['kind: state.unchanged, scope: []', 'DY2003 /assertions/0/scope'],
    ['kind: state.diff, changes: [], exact: false', 'DY2003 /assertions/0/changes'],
    ['kind: output.value, expected: 1', null],
    ['kind: time.reached, afterStartUs: 5', null],
    [`kind: expr, expression: size(state.notes) > 0, state: { notes: ${rows} }`, null],
    [
      'kind: expr, expression: "true", state: { notes: { packageId: notes, namespace: note } }',
      'DY3009 /assertions/0/state/notes/namespace',
    ],
    [`kind: expr, expression: size(state.note) > 0, state: { notes: ${rows} }`, 'DY3016 /assertions/0/expression'],
    ['kind: expr, expression: "operations.all(o, p.sequence > 0)"', 'DY3016 /assertions/0/expression'],
    ['kind: expr, expression: "operations.all(o, [o].map(state, state.sequence)[0] > 0)"', null],
    ['kind: expr, expression: sizeof(operations) > 0', 'DY3016 /assertions/0/expression'],
    ['kind: expr, expression: "google.protobuf.Timestamp{} == clock"', 'DY3016 /assertions/0/expression'],
    ["kind: expr, expression: \"type(clock) == map && {'a': int('1')}.a == 1\"", null],
  ];
  for (const [assertion, expected] of cases) {
    const { diagnostics } = await compileWith(t, asserting(assertion));
    assert.deepEqual(
      diagnostics.map(({ code, path }) => `${code} ${path}`),
      expected === null ? [] : [expected],
      assertion,
    );
  }
});

test('an occurrence of a workload is an interaction, as far as it occurs', async (t) => {
  const timeline = 'timeline: { workloads: [{ id: rounds, actorIds: [ann], task: { instruction: Go. }, everyUs: 5, occurrences: 3 }] }';
  for (const [interactionId, codes] of [
    ['rounds-ann-3', []],
    ['rounds-ann-4', ['DY3015']],
    ['rounds-ann-0', ['DY3015']],
  ] as const) {
    const files = {
      ...asserting(`kind: output.value, interactionId: ${interactionId}, expected: 1`),
    };
    const long = String(files[drill]).replace('actorId: ann\ntask: { instruction: Add a note. }', timeline);
    const { diagnostics } = await compileWith(t, { [drill]: long });
    assert.deepEqual(
      diagnostics.map(({ code }) => code),
      codes,
      interactionId,
    );
  }
});
