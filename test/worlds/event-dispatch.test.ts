import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventEntry } from '../../src/contract/world/evidence.js';
import { bankWorlds, codeOf } from './bank-kit.js';

const { create } = bankWorlds();

test('an event of another package reaches every instance, in order; one of its own package its own instance only', async () => {
  const bank = await create();
  const { sequence } = await bank.add(5);
  const handled = (await bank.transaction(sequence)).filter(
    (entry): entry is EventEntry => entry.kind === 'event' && entry.phase === 'handled',
  );
  assert.deepEqual(
    handled.map(({ handlerPackageId, handlerInstanceId, subscriptionId }) => [handlerPackageId, handlerInstanceId, subscriptionId]),
    [
      ['audit', 'audit', 'on-changed'],
      ['audit', 'audit-two', 'on-changed'],
    ],
  );
  assert.deepEqual(await bank.row('seen', 'main', { packageId: 'audit' }), { count: 1, last: 105 });
  await bank.call('chain', { length: 0, width: 1 });
  assert.notEqual(await bank.row('log', 'link-0'), null);
  assert.equal(await bank.row('log', 'link-0', { instanceId: 'bank-two' }), null);
});

// TURN-1
test('a cascade goes breadth first, in the turn of its cause', async () => {
  const bank = await create();
  const { sequence } = await bank.call('chain', { length: 2, width: 2 });
  const entries = (await bank.transaction(sequence)).filter(
    (entry): entry is EventEntry => entry.kind === 'event' && entry.phase === 'handled',
  );
  assert.deepEqual(
    entries.map(({ payload }) => payload.left),
    [2, 2, 1, 1, 0, 0],
  );
  const { value } = await bank.world.query({ kind: 'row', packageId: 'bank', namespace: 'log', rowId: 'link-0' });
  assert.deepEqual(value?.source, {
    kind: 'event',
    event: { packageId: 'bank', instanceId: 'bank', eventId: 'link' },
    subscriptionId: 'on-link',
  });
});

test('a turn emits and delivers at most 10,000 times', async () => {
  const bank = await create();
  assert.equal(codeOf(await bank.call('chain', { length: 9_999, width: 1 })), 'ok');
  const result = await bank.call('chain', { length: 10_000, width: 1 });
  assert.equal(codeOf(result), 'tool_error HANDLER_FAILED');
  assert.match(result.outcome.kind === 'ok' ? '' : result.outcome.error.message, /more than 10000 events in one turn/);
  assert.equal((await bank.transaction(result.sequence)).length, 1);
});
