import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import { type Bank, bankWorlds, codeOf } from './bank-kit.js';

const { create } = bankWorlds();
const refused = (code: string) => (error: unknown) => error instanceof ServiceError && error.code === code;

test('a success has its effects, its entry first, and their cause', async () => {
  const bank = await create();
  const result = await bank.add(5);
  assert.deepEqual(result.outcome, { kind: 'ok', value: { balance: 105 } });
  assert.equal(await bank.balance(), 105);
  const entries = await bank.transaction(result.sequence);
  assert.deepEqual(
    entries.map((entry) => [entry.kind, entry.causeSequence]),
    [
      ['operation', undefined],
      ['state_change', 2],
      ['event', 2],
      ['event', 4],
      ['state_change', 5],
      ['event', 4],
      ['state_change', 7],
    ],
  );
  assert.ok(
    entries.every(
      ({ transactionId, correlationId }) => transactionId === entries[0]?.transactionId && correlationId === result.correlationId,
    ),
  );
  const [operation] = entries;
  assert.equal(operation?.kind === 'operation' && operation.invocation.callId, result.callId);
  assert.equal(operation?.kind === 'operation' && operation.idempotency, 'not_requested');
});

test('the order of refusals: operation, grant, arguments, budget, key', async () => {
  const bank = await create({ budgets: { maxToolCalls: 1, maxEvents: null } });
  const bad = { account: 5 };
  assert.equal(codeOf(await bank.call('nothing', bad, { actorId: 'reader' })), 'unsupported UNKNOWN_OPERATION');
  assert.equal(codeOf(await bank.call('add', bad, { actorId: 'reader', packageId: 'unknown' })), 'unsupported UNKNOWN_OPERATION');
  assert.equal(codeOf(await bank.call('add', bad, { actorId: 'reader', instanceId: 'bank-three' })), 'unsupported UNKNOWN_OPERATION');
  assert.equal(codeOf(await bank.call('add', bad, { actorId: 'reader' })), 'denied NOT_GRANTED');
  assert.equal(codeOf(await bank.call('add', bad)), 'invalid INVALID_ARGUMENTS');
  assert.equal(codeOf(await bank.call('pay', { account: 'main', amount: 1 })), 'invalid IDEMPOTENCY_KEY_REQUIRED');
  assert.equal(codeOf(await bank.call('pay', { account: 'main', amount: 1 }, { idempotencyKey: '' })), 'invalid IDEMPOTENCY_KEY_INVALID');
  assert.equal(
    codeOf(await bank.call('pay', { account: 'main', amount: 1 }, { idempotencyKey: 'x'.repeat(257) })),
    'invalid IDEMPOTENCY_KEY_INVALID',
  );
  assert.equal(codeOf(await bank.add(1)), 'ok');
  assert.equal(codeOf(await bank.add(1)), 'denied TOOL_CALL_BUDGET_EXHAUSTED');
  assert.deepEqual((await bank.world.query({ kind: 'budgets' })).toolCalls, { limit: 1, attempted: 2, rejected: 1 });
  assert.equal(await bank.balance(), 101);
  const kinds = (await bank.evidence()).map(({ kind, transactionSize }) => `${kind} ${transactionSize}`);
  assert.deepEqual(kinds.slice(1, 9), Array(8).fill('operation 1'), 'each refusal is one entry');
});

test('issues name the place', async () => {
  const bank = await create();
  const { outcome } = await bank.call('add', { account: 'main', amount: 'much', more: 1 });
  assert.deepEqual(outcome.kind === 'invalid' && outcome.error.details, {
    issues: [
      { path: '/more', code: 'additionalProperties', message: 'is not a known property' },
      { path: '/amount', code: 'type', message: 'must be integer' },
    ],
  });
});

test('a grant for one instance is none for another', async () => {
  const bank = await create();
  const teller = { actorId: 'teller', actorInstanceId: 'north' };
  assert.equal(codeOf(await bank.add(3, { ...teller, instanceId: 'bank-two' })), 'ok');
  assert.equal(codeOf(await bank.add(3, teller)), 'denied NOT_GRANTED');
  assert.equal(await bank.balance('main', 'bank-two'), 3);
  assert.equal(await bank.balance(), 100);
});

test('an actor is found by id and instance; one that is not there is a refusal', async () => {
  const bank = await create();
  await assert.rejects(bank.add(1, { actorId: 'nobody' }), refused('control.INVALID_REQUEST'));
  await assert.rejects(bank.add(1, { actorId: 'teller' }), refused('control.INVALID_REQUEST'), 'two actors have that id');
  await assert.rejects(bank.add(1, { actorId: 'clerk', actorInstanceId: 'north' }), refused('control.INVALID_REQUEST'));
  const { outcome } = await bank.call('read', { account: 'main' }, { actorId: 'teller', actorInstanceId: 'south' });
  assert.deepEqual(outcome.kind === 'ok' && (outcome.value as { actor: unknown }).actor, {
    id: 'teller',
    instanceId: 'south',
    attributes: {},
    grants: [{ packageId: 'bank', operationId: 'read' }],
  });
});

test('a handler knows its call and its time', async () => {
  const bank = await create();
  const { outcome, callId } = await bank.call('read', { account: 'main' });
  assert.equal(outcome.kind, 'ok');
  const { nowUs, source, balance } = (outcome as unknown as { value: { nowUs: number; source: unknown; balance: number } }).value;
  assert.deepEqual({ nowUs, source, balance }, { nowUs: 500, source: { kind: 'operation', operationId: 'read', callId }, balance: 100 });
});

const broken: [how: string, code: string][] = [
  ['throw', 'tool_error HANDLER_FAILED'],
  ['undeclared', 'tool_error UNDECLARED_ERROR'],
  ['retryable', 'tool_error BUSY'],
  ['output', 'tool_error HANDLER_FAILED'],
  ['nothing', 'tool_error HANDLER_FAILED'],
  ['promise', 'tool_error HANDLER_FAILED'],
  ['row', 'tool_error HANDLER_FAILED'],
  ['namespace', 'tool_error HANDLER_FAILED'],
  ['event', 'tool_error HANDLER_FAILED'],
  ['payload', 'tool_error HANDLER_FAILED'],
  ['listener', 'tool_error HANDLER_FAILED'],
  ['kept undeclared', 'tool_error UNDECLARED_ERROR'],
  ['kept listener', 'tool_error HANDLER_FAILED'],
];
// TURN-2, JOURNAL-1
test('however a handler fails, nothing of its turn stays but the entry', async () => {
  const bank = await create();
  const { stateHash } = await bank.position();
  for (const [how, code] of broken) {
    const result = await bank.call('misbehave', { how });
    assert.equal(codeOf(result), code, how);
    assert.equal((await bank.transaction(result.sequence)).length, 1, how);
  }
  assert.equal((await bank.position()).stateHash, stateHash);
  assert.equal((await bank.world.query({ kind: 'pending', limit: 10 })).total, 0);
});

test('messages say what was wrong', async () => {
  const bank = await create();
  const message = async (how: string): Promise<string> => {
    const { outcome } = await bank.call('misbehave', { how });
    return outcome.kind === 'ok' ? '' : outcome.error.message;
  };
  assert.match(await message('row'), /row 'main' of 'accounts' breaks its schema: \/balance must be >= 0/);
  assert.match(await message('namespace'), /declares no namespace 'nowhere'/);
  assert.match(await message('event'), /declares no event 'nothing'/);
  assert.match(await message('payload'), /payload of 'changed' breaks its schema/);
  assert.match(await message('output'), /\/balance must be integer/);
  assert.match(await message('promise'), /synchronous/);
  assert.match(await message('listener'), /Subscription 'on-link' of 'bank' \(bank\) on 'bank\/link': Error: a broken link/);
});

test('a refusal of the context may be caught; what is given out is frozen; a kept context is dead', async () => {
  const bank = await create();
  assert.deepEqual((await bank.call('misbehave', { how: 'caught' })).outcome, { kind: 'ok', value: { balance: 1 } });
  assert.equal(codeOf(await bank.call('misbehave', { how: 'frozen' })), 'tool_error HANDLER_FAILED');
  assert.equal(await bank.balance('other'), 0);
  assert.equal(codeOf(await bank.call('misbehave', { how: 'stash' })), 'ok');
});

test('a declared failure keeps its details, and its effects are taken back', async () => {
  const bank = await create();
  const { outcome } = await bank.add(1001);
  assert.deepEqual(outcome, {
    kind: 'tool_error',
    error: { code: 'TOO_MUCH', message: '1001 is above 1000', retryable: false, details: { amount: 1001 } },
  });
  assert.equal(await bank.balance(), 100);
});

test('a failure that keeps its effects is an error whose rows, events, schedule and draws stand', async () => {
  const bank = await create({ recordRandom: true });
  const { outcome, sequence } = await bank.call('misbehave', { how: 'kept' });
  assert.deepEqual(outcome, {
    kind: 'tool_error',
    error: { code: 'LIMIT_REACHED', message: 'declined', retryable: false },
    committed: true,
  });
  assert.deepEqual((await bank.operation(sequence)).outcome, outcome);
  const kinds = (await bank.transaction(sequence)).map((entry) => ('phase' in entry ? `${entry.kind} ${entry.phase}` : entry.kind));
  assert.deepEqual(kinds, [
    ...['operation', 'state_change', 'state_change', 'event scheduled', 'random', 'event emitted'],
    // The audit has two instances.
    ...['event handled', 'state_change', 'event handled', 'state_change'],
  ]);
  assert.deepEqual([await bank.balance(), await bank.row('log', 'scribble')], [undefined, { atUs: 500 }]);
  assert.deepEqual(await bank.row('seen', 'other', { packageId: 'audit' }), { count: 1, last: 7 });
  assert.equal((await bank.world.query({ kind: 'pending', limit: 10 })).total, 1);
});

test('arguments that are no JSON for a tool are invalid, and evidence holds null for them', async () => {
  const bank = await create();
  let deep: unknown = 1;
  for (let depth = 0; depth < 70; depth++) deep = [deep];
  const result = await bank.call('add', { account: deep } as never);
  assert.equal(codeOf(result), 'invalid INVALID_ARGUMENTS');
  assert.equal((await bank.operation(result.sequence)).invocation.arguments, null);
});

test('keys like __proto__ are data', async () => {
  const bank = await create();
  const args = JSON.parse('{"account":"main","amount":1,"__proto__":{"polluted":true}}');
  const result = await bank.call('add', args);
  assert.equal(codeOf(result), 'invalid INVALID_ARGUMENTS');
  assert.equal(({} as { polluted?: boolean }).polluted, undefined);
  assert.match(JSON.stringify((await bank.operation(result.sequence)).invocation.arguments), /"__proto__":\{"polluted":true\}/);
});

test('module state lives as long as the world is in memory, and each world has its own', async () => {
  const bank = await create();
  const other = await create();
  const remember = (of: Bank) => of.call('misbehave', { how: 'remember' }).then(({ outcome }) => outcome.kind === 'ok' && outcome.value);
  assert.deepEqual(await remember(bank), { balance: 1 });
  assert.deepEqual(await remember(bank), { balance: 2 });
  assert.deepEqual(await remember(other), { balance: 1 });
});
