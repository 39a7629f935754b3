import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import type { JsonObject } from '../../src/contract/json.js';
import { type Bank, bankWorlds } from './bank-kit.js';

const { create } = bankWorlds();
const refused = (code: string) => (error: unknown) => error instanceof ServiceError && error.code === code;

// WORLDS-HISTORY-1
test('the state at a sequence is what folding the state_change entries gives, inside transactions too', async () => {
  const bank = await create();
  const stateOf = async (atSequence?: number): Promise<{ [name: string]: JsonObject }> => {
    const rows: { [name: string]: JsonObject } = {};
    const at = atSequence === undefined ? {} : { atSequence };
    for (const { packageId, instanceId, namespace, rowCount } of await bank.world.query({ kind: 'namespaces', ...at })) {
      const page = await bank.world.query({ kind: 'state', packageId, instanceId, namespace, limit: 200, ...at });
      assert.equal(page.rows.length, rowCount);
      for (const { rowId, value } of page.rows) rows[`${packageId} ${instanceId} ${namespace} ${rowId}`] = value;
    }
    return rows;
  };
  const folded = [await stateOf()];
  await bank.add(5);
  await bank.call('chain', { length: 2, width: 1 });
  await bank.run({ kind: 'snapshot' });
  await bank.call('later', { inUs: 50, account: 'new', amount: 4 });
  await bank.advance(600);
  await bank.run({ kind: 'reset', packages: ['bank'] });
  await bank.add(1);
  await bank.world.passivate();
  for (const entry of await bank.evidence(2)) {
    const next = { ...(folded.at(-1) as { [name: string]: JsonObject }) };
    if (entry.kind === 'state_change') {
      const name = `${entry.packageId} ${entry.instanceId} ${entry.namespace} ${entry.rowId}`;
      assert.deepEqual(next[name] ?? null, entry.before);
      if (entry.after === null) delete next[name];
      else next[name] = entry.after;
    }
    folded.push(next);
  }
  for (let sequence = 1; sequence <= folded.length; sequence++)
    assert.deepEqual(await stateOf(sequence), folded[sequence - 1], `at ${sequence}`);
  assert.deepEqual(await stateOf(), folded.at(-1));
  await assert.rejects(stateOf(folded.length + 1), refused('control.NOT_FOUND'));
  await assert.rejects(stateOf(0), refused('control.INVALID_REQUEST'));
});

test('pages of state follow each other in the order of row ids', async () => {
  const bank = await create();
  for (const account of ['b', 'ä', 'a', 'Z', '𐀀', '\uffff']) await bank.call('add', { account, amount: 1 });
  const ids: string[] = [];
  for (let afterRowId: string | undefined; ; ) {
    const page = await bank.world.query({
      kind: 'state',
      packageId: 'bank',
      namespace: 'accounts',
      limit: 3,
      ...(afterRowId === undefined ? {} : { afterRowId }),
    });
    ids.push(...page.rows.map(({ rowId }) => rowId));
    if (page.nextAfterRowId === undefined) break;
    afterRowId = page.nextAfterRowId;
  }
  assert.deepEqual(ids, ['main', 'other', 'b', 'ä', 'a', 'Z', '𐀀', '\uffff'].sort());
});

test('pages of evidence cover the journal, and its lines are the same entries as RFC 8785 text', async () => {
  const bank = await create();
  await bank.call('chain', { length: 300, width: 1 });
  const { evidenceSequence } = await bank.position();
  assert.ok(evidenceSequence > 500);
  const [entries, lines] = [await bank.evidence(), await bank.lines()];
  assert.equal(entries.length, evidenceSequence);
  assert.deepEqual(
    entries,
    lines.map((line) => JSON.parse(line)),
  );
  assert.deepEqual(
    entries.map(({ sequence }) => sequence),
    Array.from({ length: evidenceSequence }, (_, index) => index + 1),
  );
  const beyond = await bank.world.query({ kind: 'evidence', fromSequence: evidenceSequence + 1, limit: 10 });
  assert.deepEqual(beyond, { entries: [] });
});

test('the tools an actor sees are those it is granted, in order', async () => {
  const bank = await create();
  const names = async (actorId: string, actorInstanceId?: string): Promise<string[]> =>
    (await bank.world.query({ kind: 'tools', actorId, ...(actorInstanceId === undefined ? {} : { actorInstanceId }) })).map(
      ({ packageId, instanceId, operationId }) => `${packageId} ${instanceId} ${operationId}`,
    );
  assert.deepEqual(await names('teller', 'north'), ['bank bank-two add']);
  assert.deepEqual(await names('reader'), ['bank bank read', 'bank bank-two read']);
  const clerk = await names('clerk');
  assert.deepEqual(clerk, clerk.toSorted());
  assert.equal(clerk.length, 7 * 2 + 2);
  const [tool] = await bank.world.query({ kind: 'tools', actorId: 'teller', actorInstanceId: 'north' });
  assert.deepEqual(
    [tool?.idempotency, (tool?.inputSchema as JsonObject | undefined)?.type, tool?.declaredErrors.length],
    ['optional', 'object', 3],
  );
  await assert.rejects(names('nobody'), refused('control.INVALID_REQUEST'));
});

test('the operations of a world are all of them, in order, by their names', async () => {
  const bank = await create();
  const operations = await bank.world.query({ kind: 'operations' });
  const granted = await bank.world.query({ kind: 'tools', actorId: 'clerk' });
  assert.deepEqual(
    operations,
    granted.map(({ packageId, instanceId, operationId }) => ({ packageId, instanceId, operationId })),
  );
});

test('actors show what their grants reach', async () => {
  const bank = await create();
  const actors = await bank.world.query({ kind: 'actors' });
  assert.deepEqual(
    actors.map(({ actorId, actorInstanceId, capabilities }) => [actorId, actorInstanceId, capabilities.length]),
    [
      ['clerk', undefined, 17],
      ['reader', undefined, 2],
      ['teller', 'north', 1],
      ['teller', 'south', 2],
    ],
  );
  assert.deepEqual(actors[0]?.capabilities.at(-1), { packageId: 'world', instanceId: 'world', operationId: 'clock.wait' });
});

test('a namespace that is not there is not found; a row that is not there is null', async () => {
  const bank = await create();
  assert.equal(await bank.row('accounts', 'nobody'), null);
  const missing = [{ namespace: 'nowhere' }, { packageId: 'nobody' }, { instanceId: 'bank-three' }];
  for (const place of missing) {
    await assert.rejects(
      bank.world.query({ kind: 'row', packageId: 'bank', namespace: 'accounts', rowId: 'main', ...place }),
      refused('control.NOT_FOUND'),
    );
  }
});

test('a query that no world knows is refused', async () => {
  const bank: Bank = await create();
  await assert.rejects(bank.world.query({ kind: 'nothing' } as never), refused('control.INVALID_REQUEST'));
  await assert.rejects(bank.world.command({ kind: 'nothing' } as never), refused('control.INVALID_REQUEST'));
});
