import { deepEqual, equal, notEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { Call, CallTable } from '../../src/actors/calls.js';
import { limits } from '../../src/contract/limits.js';

const ends = { ended: () => {} };

function call(kind: 'command' | 'query', actorId: string): Call {
  const made = new Call(kind, actorId, null, undefined, ends);
  made.reply.catch(() => {});
  made.sends = 1;
  return made;
}

test('slots are reused, and calls are listed in the order of their sending', () => {
  const table = new CallTable();
  const [first, second, third] = [call('command', 'a'), call('command', 'b'), call('query', 'c')];
  for (const [index, made] of [first!, second!, third!].entries()) {
    table.open(made);
    made.stamp = 10 - index;
  }
  notEqual(first!.slot, second!.slot);
  deepEqual(table.inOrder(), [third, second, first]);
  equal(table.close(second!.slot), second);
  equal(table.close(second!.slot), undefined);
  equal(table.at(second!.slot), undefined);
  const used = table.slotsUsed;
  const fourth = call('query', 'd');
  table.open(fourth);
  equal(fourth.slot, second!.slot);
  equal(table.slotsUsed, used);
});

test('a host takes so many calls and no more', () => {
  const table = new CallTable();
  for (let index = 0; index < limits.hostMessagesMax; index++) equal(table.open(call('query', 'a')), true);
  equal(table.open(call('query', 'a')), false);
  equal(table.size, limits.hostMessagesMax);
});
