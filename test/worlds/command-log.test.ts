// Commands under an operation key: done once, whatever happens between the first time and the repeat.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import { limits } from '../../src/contract/limits.js';
import type { WorldCommand } from '../../src/contract/world/world-protocol.js';
import { dueEvent } from './bank-build.js';
import { Bank, bankWorlds, createBank } from './bank-kit.js';
import { gaveUp, SlicingHost } from './slicing-host.js';

const host = bankWorlds();
const { create } = host;
const refused = (code: string) => (error: unknown) => error instanceof ServiceError && error.code === code;
/** An incarnation with every command that takes a key; each key is the command's place. */
const commands: WorldCommand[] = [
  { kind: 'schedule', events: [dueEvent(600), dueEvent(700, 2), dueEvent(5000, 3)] },
  { kind: 'setFault', packageId: 'bank', faultId: 'busy-third', active: true },
  { kind: 'setBudgets', budgets: { maxToolCalls: 50, maxEvents: null } },
  {
    kind: 'setOverrides',
    scope: 'run',
    rules: [{ id: 'r', operation: { packageId: 'bank', operationId: 'pay' }, outcome: { kind: 'return', value: 1 } }],
  },
  { kind: 'cancelEvent', scheduledEventId: 'pending_00000000000000000000000009' },
  { kind: 'advance', targetUs: 650, maxEvents: 10 },
  { kind: 'snapshot' },
  { kind: 'reset', packages: ['bank'] },
  { kind: 'verify', checkpointId: 'c', checkpointKind: 'final', result: { verdict: 'passed', assertions: [] } },
  { kind: 'snapshot' },
  { kind: 'close' },
  { kind: 'reset' },
  { kind: 'setFault', packageId: 'bank', faultId: 'busy-third', active: true },
  { kind: 'close' },
];
const keyed = (command: WorldCommand, index: number): WorldCommand => ({ ...command, operationKey: `op-${index}` }) as WorldCommand;

test('a repeat gets the first answer and changes nothing, and the key is in no byte of the evidence', async () => {
  const [plain, bank] = [await create(), await create()];
  for (const [index, command] of commands.entries()) {
    const expected = await plain.run(command);
    assert.deepEqual(await bank.run(keyed(command, index)), expected);
    if (index % 3 === 0) await bank.world.passivate();
    const before = await bank.position();
    assert.deepEqual(await bank.run(keyed(command, index)), expected, command.kind);
    assert.deepEqual(await bank.position(), before);
    assert.deepEqual(before, await plain.position());
  }
  assert.deepEqual(await bank.lines(), await plain.lines());
});

// COMMAND-LOG-2
test('what was done before a whole reset, and before the world was closed, is still done', async () => {
  const bank = await create();
  const answers: unknown[] = [];
  for (const [index, command] of commands.entries()) answers.push(await bank.run(keyed(command, index)));
  await bank.world.passivate();
  const before = await bank.position();
  for (const [index, command] of commands.entries()) assert.deepEqual(await bank.run(keyed(command, index)), answers[index]);
  assert.deepEqual(await bank.position(), before);
});

test('another request under a key is refused, of the same kind or another', async () => {
  const bank = await create();
  const fault = { kind: 'setFault' as const, packageId: 'bank', faultId: 'busy-third', active: true, operationKey: 'k' };
  await bank.run(fault);
  const others: WorldCommand[] = [
    { ...fault, active: false },
    { kind: 'reset', operationKey: 'k' },
    { kind: 'close', operationKey: 'k' },
  ];
  for (const other of others) await assert.rejects(bank.run(other), refused('control.IDEMPOTENCY_KEY_REUSED'));
  assert.deepEqual(await bank.run(fault), { changed: true, sequence: 2 });
  for (const operationKey of ['', 'x'.repeat(limits.operationKeyCharsMax + 1), 7 as never])
    await assert.rejects(bank.run({ kind: 'close', operationKey }), refused('control.INVALID_REQUEST'));
});

test('a keyed command that is not JSON is refused with its place, and changes nothing', async () => {
  const bank = await create();
  const before = await bank.position();
  const payload = { note: 'half of a pair: \ud83d' };
  const events = [{ ...dueEvent(700), payload }];
  await assert.rejects(bank.run({ kind: 'schedule', events, operationKey: 'k' }), (error) => {
    assert.ok(error instanceof ServiceError);
    assert.equal(error.code, 'control.INVALID_REQUEST');
    assert.match(error.message, /^The command is not JSON: \/events\/0\/payload\/note .*surrogate/);
    return true;
  });
  assert.deepEqual(await bank.position(), before);
  await bank.run({ kind: 'schedule', events: [dueEvent(700)], operationKey: 'k' });
});

test('a refusal is not kept: the same key may be tried again', async () => {
  const bank = await create();
  const reset = { kind: 'reset' as const, snapshotId: 'snap_x', operationKey: 'k' };
  await assert.rejects(bank.run(reset), refused('control.NOT_FOUND'));
  await bank.run({ kind: 'reset', operationKey: 'k' });
  await assert.rejects(bank.run(reset), refused('control.IDEMPOTENCY_KEY_REUSED'));
});

// COMMAND-LOG-2
test('keys belong to one world: a fork has none of them, and a world of the same id made later has none', async () => {
  const bank = await create();
  const budgets = { kind: 'setBudgets' as const, budgets: { maxToolCalls: 5, maxEvents: null }, operationKey: 'k' };
  await bank.run(budgets);
  const { world } = await bank.world.fork({ worldId: 'world_0000000000fork' });
  await new Bank(world).run({ ...budgets, budgets: { maxToolCalls: 6, maxEvents: null } });
  const first = await create();
  await first.run({ kind: 'close', operationKey: 'k' });
  const { worldId } = first.world;
  await first.world.destroy();
  const again = await createBank(host.worlds, worldId);
  await again.run({
    kind: 'verify',
    checkpointId: 'c',
    checkpointKind: 'final',
    result: { verdict: 'passed', assertions: [] },
    operationKey: 'k',
  });
});

test('a closed world refuses every change but a whole reset, which opens it again', async () => {
  const bank = await create();
  await bank.add(5);
  const { snapshotId } = await bank.run({ kind: 'snapshot' });
  const { position } = await bank.run({ kind: 'close' });
  const isClosed = (error: unknown) => {
    assert.ok(error instanceof ServiceError && error.code === 'control.STATE_CONFLICT');
    assert.deepEqual(error.extra.details, { closed: true });
    return true;
  };
  await assert.rejects(bank.add(5), isClosed);
  await assert.rejects(bank.advance(1000), isClosed);
  await assert.rejects(bank.run({ kind: 'wait', actorId: 'clerk' }), isClosed);
  for (const command of commands.filter(({ kind, ...rest }) => kind !== 'close' && (kind !== 'reset' || 'packages' in rest)))
    await assert.rejects(bank.run(command), isClosed, command.kind);
  assert.deepEqual(await bank.position(), position);
  for (const reset of [{ kind: 'reset' as const, snapshotId }, { kind: 'reset' as const }]) {
    const answer = await bank.run(reset);
    assert.deepEqual(await bank.position(), answer.position);
    await bank.add(1);
    await bank.run({ kind: 'close' });
  }
  assert.equal(await bank.balance(), 101);
});

async function slicing(context: TestContext, worldId: string): Promise<SlicingHost> {
  const directory = mkdtempSync(join(tmpdir(), 'drillyard-keys-'));
  const made = await SlicingHost.create(directory, worldId);
  context.after(async () => {
    await made.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return made;
}

// WORLD-1, WORLD-2, COMMAND-LOG-1
test('an incarnation may end at any slice, committed or not: the repeat finds all of it or nothing', async (context) => {
  const [plain, crashed] = [await slicing(context, 'run_000000000001'), await slicing(context, 'run_000000000002')];
  for (const [index, command] of commands.entries()) {
    const expected = await plain.command(command);
    // Every slice is committed and then lost with its incarnation, one later each time, until the command ends within its incarnation.
    for (let survived = 0, answer: unknown = gaveUp; answer === gaveUp; survived++) {
      let slices = 0;
      answer = await crashed.command(keyed(command, index), {
        sliceOver: () => true,
        commits: () => true,
        crashes: () => slices++ === survived && survived < 12,
      });
      if (answer !== gaveUp) assert.deepEqual(answer, expected, command.kind);
    }
    crashed.crash();
    assert.deepEqual(await crashed.command(keyed(command, index)), expected);
    assert.deepEqual(crashed.query({ kind: 'position' }), plain.query({ kind: 'position' }));
  }
});
