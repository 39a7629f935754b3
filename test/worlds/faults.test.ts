import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import type { FaultEntry } from '../../src/contract/world/evidence.js';
import { type Bank, bankWorlds, codeOf } from './bank-kit.js';

const { create } = bankWorlds();
const withFaults = (...ids: string[]) => create({ setup: { faults: ids.map((faultId) => ({ packageId: 'bank', faultId })) } });
const codes = async (bank: Bank, count: number): Promise<string[]> => {
  const found: string[] = [];
  for (let call = 0; call < count; call++) found.push(codeOf(await bank.add(1)));
  return found;
};
const fails = 'tool_error BUSY';

test('before: the handler never runs, and a fault entry says why', async () => {
  const bank = await withFaults('busy');
  const result = await bank.add(1);
  assert.deepEqual(result.outcome, { kind: 'tool_error', error: { code: 'BUSY', message: 'The bank is busy.', retryable: true } });
  assert.equal(await bank.balance(), 100);
  const [, fault, ...rest] = await bank.transaction(result.sequence);
  const { packageId, instanceId, faultId, operationId, timing, causeSequence } = fault as FaultEntry;
  assert.deepEqual(
    { packageId, instanceId, faultId, operationId, timing, causeSequence },
    { packageId: 'bank', instanceId: 'bank', faultId: 'busy', operationId: 'add', timing: 'before', causeSequence: result.sequence },
  );
  assert.deepEqual(rest, []);
});

test('a fault holds for its operations and its instance only', async () => {
  const bank = await withFaults('busy');
  assert.equal(codeOf(await bank.call('read', { account: 'main' })), 'ok');
  assert.equal(codeOf(await bank.add(1, { instanceId: 'bank-two' })), 'ok');
});

test('times, everyNth and windows', async () => {
  assert.deepEqual(await codes(await withFaults('busy-once'), 3), [fails, 'ok', 'ok']);
  assert.deepEqual(await codes(await withFaults('busy-third'), 7), ['ok', 'ok', fails, 'ok', 'ok', fails, 'ok']);
  const bank = await withFaults('busy-window');
  assert.deepEqual(await codes(bank, 1), ['ok']);
  await bank.advance(1000);
  assert.deepEqual(await codes(bank, 1), [fails]);
  await bank.advance(2000);
  assert.deepEqual(await codes(bank, 1), ['ok']);
});

test('a rate is drawn from the seeded stream: the same for the same seed, another for another', async () => {
  const one = await codes(await withFaults('busy-half'), 24);
  assert.deepEqual(await codes(await withFaults('busy-half'), 24), one);
  const hits = one.filter((code) => code === fails).length;
  assert.ok(hits > 3 && hits < 21, `${hits} of 24`);
  const other = await create({
    seed: { seed: '8', trial: 1, attempt: 1 },
    setup: { faults: [{ packageId: 'bank', faultId: 'busy-half' }] },
  });
  assert.notDeepEqual(await codes(other, 24), one);
});

test('what a fault draws after the handler follows from the call, not from the last event of the call', async () => {
  const bank = await create({ recordRandom: true, setup: { faults: [{ packageId: 'bank', faultId: 'slow-half' }] } });
  const { sequence } = await bank.add(1);
  const entries = await bank.transaction(sequence);
  assert.ok(entries.some((entry) => entry.kind === 'event' && entry.phase === 'handled'));
  assert.deepEqual(
    entries.filter(({ kind }) => kind === 'random').map(({ causeSequence }) => causeSequence),
    [sequence],
  );
});

test('the first fault that fires answers; those after it do not look', async () => {
  const bank = await withFaults('busy-once', 'busy-third');
  assert.deepEqual(await codes(bank, 5), [fails, 'ok', 'ok', fails, 'ok']);
});

test('latency moves the clock, adds up, and fires nothing by itself', async () => {
  const bank = await withFaults('slow', 'slower');
  await bank.call('later', { inUs: 100, account: 'main', amount: 7 });
  const result = await bank.add(1);
  assert.equal(codeOf(result), 'ok');
  const { virtualTimeUs } = await bank.position();
  assert.equal(virtualTimeUs, 500 + 250 + 1000);
  assert.equal(await bank.balance(), 101);
  const entries = await bank.transaction(result.sequence);
  const faults = entries.filter(({ kind }) => kind === 'fault' || kind === 'clock').map(({ kind, virtualTimeUs: at }) => [kind, at]);
  assert.deepEqual(faults, [
    ['fault', 500],
    ['clock', 500],
    ['fault', 500],
    ['clock', 500],
  ]);
  await bank.advance(virtualTimeUs);
  assert.equal(await bank.balance(), 108);
  const fired = (await bank.evidence()).find(
    (entry) => entry.kind === 'event' && entry.phase === 'handled' && entry.event.eventId === 'due',
  );
  assert.deepEqual(fired?.kind === 'event' && [fired.scheduledForUs, fired.virtualTimeUs], [600, 1750]);
});

test('a latent answer is late whatever it is; a lost one is only lost when there was one', async () => {
  const bank = await withFaults('slow', 'lost');
  assert.equal(codeOf(await bank.add(1001)), 'tool_error TOO_MUCH');
  assert.equal((await bank.position()).virtualTimeUs, 750);
  const views = await bank.world.query({ kind: 'faults' });
  assert.deepEqual(
    views.filter(({ active }) => active).map(({ faultId, instanceId, triggered }) => [faultId, instanceId, triggered]),
    [
      ['lost', 'bank', 0],
      ['slow', 'bank', 1],
    ],
  );
});

test('the answer of a failure that kept its effects can be lost as that of a success', async () => {
  const bank = await withFaults('lost-way');
  const { outcome, sequence } = await bank.call('misbehave', { how: 'kept' });
  assert.deepEqual(outcome, { kind: 'tool_error', error: { code: 'BUSY', message: 'The answer was lost.', retryable: true } });
  const { committedOutcome } = await bank.operation(sequence);
  assert.deepEqual(committedOutcome, {
    kind: 'tool_error',
    error: { code: 'LIMIT_REACHED', message: 'declined', retryable: false },
    committed: true,
  });
  assert.deepEqual(await bank.row('log', 'scribble'), { atUs: 500 });
});

test('a toggle is evidence, a no-op too; switching on counts afresh', async () => {
  const bank = await create();
  const toggle = (active: boolean) => bank.run({ kind: 'setFault', packageId: 'bank', faultId: 'busy-once', active });
  assert.equal((await toggle(true)).changed, true);
  assert.deepEqual(await codes(bank, 2), [fails, 'ok']);
  assert.equal((await toggle(true)).changed, false);
  assert.deepEqual(await codes(bank, 1), ['ok']);
  await toggle(false);
  await toggle(true);
  assert.deepEqual(await codes(bank, 2), [fails, 'ok']);
  const controls = (await bank.evidence()).filter((entry) => entry.kind === 'fault_control');
  assert.deepEqual(
    controls.map(({ active, changed }) => [active, changed]),
    [
      [true, true],
      [true, false],
      [false, true],
      [true, true],
    ],
  );
});

test('an unknown fault or instance is a refusal', async () => {
  const bank = await create();
  for (const place of [{ faultId: 'none' }, { faultId: 'busy', instanceId: 'bank-three' }, { faultId: 'busy', packageId: 'nobody' }]) {
    await assert.rejects(
      bank.run({ kind: 'setFault', packageId: 'bank', active: true, ...place }),
      (error) => error instanceof ServiceError && error.code === 'control.INVALID_REQUEST',
    );
  }
});

test('counters survive passivation', async () => {
  const bank = await withFaults('busy-third');
  await codes(bank, 2);
  await bank.world.passivate();
  assert.deepEqual(await codes(bank, 2), [fails, 'ok']);
});
