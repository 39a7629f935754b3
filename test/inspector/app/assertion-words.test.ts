import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Assertion } from '../../../src/contract/run/assertion.js';
import { assertionWords } from '../../../src/inspector/app/kit/assertion-words.js';

const words = (assertion: object): string => assertionWords({ id: 'a', gate: true, ...assertion } as Assertion);
const operation = { packageId: 'notes', operationId: 'note.write' };

test('what must hold is said in words, with how often and of what', () => {
  const found = [
    { kind: 'state.value', packageId: 'notes', namespace: 'notes', rowId: 'a', path: ['tags', 0], comparison: 'one_of', expected: [1, 2] },
    { kind: 'state.count', packageId: 'notes', instanceId: 'other', namespace: 'notes', count: { atLeast: 2, atMost: 4 } },
    { kind: 'operation.count', operation: { ...operation, outcome: 'tool_error' }, count: { equals: 0 } },
    { kind: 'operation.order', operations: [operation, { ...operation, operationId: 'note.read', actorId: 'reader' }] },
    { kind: 'operation.arguments', operation, occurrence: 2, path: ['id'], comparison: 'not_equals', expected: 'a' },
    { kind: 'operation.denied', operation },
    { kind: 'event.count', event: { packageId: 'notes', eventId: 'note.written' }, phase: 'emitted', count: { equals: 1 } },
    { kind: 'callback.count', packageId: 'notes', callbackId: 'told', phase: 'retry_scheduled', count: { atMost: 1 } },
    { kind: 'fault.count', fault: { packageId: 'notes', faultId: 'lost' }, count: { equals: 2 } },
    { kind: 'time.reached', afterStartUs: 3_600_000_000 },
    { kind: 'output.value', interactionId: 'main', path: [], comparison: 'equals', expected: null },
    { kind: 'effect.at_most_once', operation, identity: { arguments: [['id']] } },
    { kind: 'state.unchanged', except: [{ packageId: 'notes', namespace: 'notes', rowId: 'a' }] },
    {
      kind: 'state.diff',
      exact: true,
      changes: [{ change: 'insert', packageId: 'notes', namespace: 'notes', after: { text: 'x' } }],
    },
    { kind: 'expr', expression: 'size(state.notes) == 1', state: {} },
    { kind: 'custom', module: 'judge.mjs', export: 'polite', with: {}, state: {}, timeoutMs: 1 },
  ].map(words);
  assert.deepEqual(found, [
    'notes/notes/a tags[0] is one of [1,2]',
    'notes@other/notes has between 2 and 4 rows',
    'notes.note.write, answered with an error, is never called',
    'notes.note.write, then notes.note.read by reader',
    'in call 2 of notes.note.write, id is not "a"',
    'notes.note.write is denied at least once',
    'notes.note.written is emitted exactly once',
    'notes.told is retry scheduled at most once',
    'the fault notes.lost happens exactly 2 times',
    'the clock reaches 1 h after the start',
    'the output of main is null',
    'no effect of notes.note.write happens twice, where calls with the same id are one',
    'no row changes but for notes/notes/a',
    'a row of notes/notes is added ({"text":"x"}); nothing else changes',
    'size(state.notes) == 1',
    'polite of judge.mjs says so',
  ]);
});
