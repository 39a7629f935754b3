import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import type { JsonObject } from '../../src/contract/json.js';
import type { WorldsOptions } from '../../src/worlds/api.js';
import { openWorlds } from '../../src/worlds/worlds.js';
import { bankBuild } from './bank-build.js';
import { Bank, createBank } from './bank-kit.js';

const refused = (code: string) => (error: unknown) => error instanceof ServiceError && error.code === code;
const idOf = (index: number): string => `world_${String(index).padStart(12, '0')}`;
type Context = { after(cleanup: () => unknown): void };
function scratch(context: Context): string {
  const directory = mkdtempSync(join(tmpdir(), 'drillyard-worlds-'));
  context.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
const plain: Omit<WorldsOptions, 'directory'> = { layout: 'shared', durability: 'committed', hosts: 1, isolation: 'thread' };

/** Steps of every kind; what they leave depends on nothing but the commands. */
async function live(bank: Bank): Promise<void> {
  await bank.add(5, { idempotencyKey: 'k' });
  await bank.call('roll', { most: 10 });
  await bank.call('later', { inUs: 150, account: 'other', amount: 4 });
  await bank.run({ kind: 'setFault', packageId: 'bank', faultId: 'busy-half', active: true });
  for (let amount = 0; amount < 6; amount++) await bank.add(amount);
  await bank.advance(2000);
  await bank.run({ kind: 'reset', packages: ['audit'] });
  await bank.run({ kind: 'snapshot' });
  await bank.call('misbehave', { how: 'throw' });
}

test('the same commands give the same bytes: one host or many, threads or processes, either layout, either durability', {
  timeout: 60_000,
}, async (context) => {
  const kinds: Partial<WorldsOptions>[] = [{}, { hosts: 4 }, { isolation: 'process', hosts: 2 }, { layout: 'run', durability: 'flushed' }];
  const found: unknown[] = [];
  for (const kind of kinds) {
    const worlds = await openWorlds({ ...plain, directory: scratch(context), ...kind });
    const banks = await Promise.all([0, 1, 2].map((index) => createBank(worlds, idOf(index), { recordRandom: true })));
    await Promise.all(banks.map(live));
    for (const bank of banks) found.push([await bank.position(), await bank.lines()]);
    await worlds.close();
  }
  for (const other of found) assert.deepEqual(other, found[0]);
});

test('both hashes can be recomputed from the exported lines and rows with nothing of ours', async (context) => {
  const worlds = await openWorlds({ ...plain, directory: scratch(context) });
  context.after(() => worlds.close());
  const bank = await createBank(worlds, idOf(0));
  for (let round = 0; round < 4; round++) await bank.call('chain', { length: 150, width: 2 });
  await live(bank);
  const { stateHash, evidenceHash, evidenceSequence } = await bank.position();
  const lines = await bank.lines();
  assert.ok(evidenceSequence > 2 * 1024 && lines.length === evidenceSequence);
  const sha256 = (content: string | Buffer): Buffer => createHash('sha256').update(content).digest();
  const leaves: Buffer[] = [];
  for (let from = 0; from < lines.length; from += 1024)
    leaves.push(
      sha256(
        lines
          .slice(from, from + 1024)
          .map((line) => `${line}\n`)
          .join(''),
      ),
    );
  assert.equal(evidenceHash, `sha256:${sha256(Buffer.concat(leaves)).toString('hex')}`);
  const summary: string[] = [];
  for (const { packageId, instanceId, namespace } of await bank.world.query({ kind: 'namespaces' })) {
    const { rows, nextAfterRowId } = await bank.world.query({ kind: 'state', packageId, instanceId, namespace, limit: 200 });
    assert.equal(nextAfterRowId, undefined);
    if (rows.length === 0) continue;
    const buckets = Array.from({ length: 256 }, () => '');
    for (const { rowId, value } of rows)
      buckets[sha256(rowId)[0] as number] += `${canonical({ instanceId, namespace, packageId, rowId, value })}\n`;
    const digest = sha256(Buffer.concat(buckets.map((bucket) => (bucket === '' ? Buffer.alloc(32) : sha256(bucket))))).toString('hex');
    summary.push(`${canonical({ digest, instanceId, namespace, packageId })}\n`);
  }
  assert.equal(stateHash, `sha256:${sha256(summary.sort(bySpace).join('')).toString('hex')}`);
});
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical((value as JsonObject)[key])}`)
    .join(',')}}`;
}
function bySpace(one: string, other: string): number {
  const key = (line: string) => (({ packageId, instanceId, namespace }) => [packageId, instanceId, namespace].join('\0'))(JSON.parse(line));
  return key(one) < key(other) ? -1 : 1;
}

test('a world is found again by its id, with fewer hosts too', async (context) => {
  const directory = scratch(context);
  const first = await openWorlds({ ...plain, directory, hosts: 3 });
  const made = await Promise.all([0, 1, 2, 3, 4, 5].map((index) => createBank(first, idOf(index))));
  await Promise.all(made.map((bank, index) => bank.add(index)));
  const child = await made[0]?.world.fork({ worldId: 'run_00000000child' });
  await first.close();
  assert.deepEqual(readdirSync(directory).sort(), ['host-0', 'host-1', 'host-2']);
  for (const hosts of [1, 2]) {
    const second = await openWorlds({ ...plain, directory, hosts });
    for (const [index, bank] of made.entries()) {
      const again = new Bank(await second.open(idOf(index)));
      assert.equal(again.world.worldInstanceId, bank.world.worldInstanceId);
      assert.equal(await again.balance(), 100 + index);
    }
    assert.equal((await second.open('run_00000000child')).worldInstanceId, child?.world.worldInstanceId);
    await assert.rejects(second.open(idOf(99)), refused('control.NOT_FOUND'));
    await assert.rejects(createBank(second, idOf(3)), refused('control.STATE_CONFLICT'));
    await second.close();
  }
});

test('layout run: a folder a world, which goes when it is destroyed', async (context) => {
  const directory = scratch(context);
  const worlds = await openWorlds({ ...plain, layout: 'run', directory, hosts: 2 });
  context.after(() => worlds.close());
  const [one, two] = [await createBank(worlds, idOf(1)), await createBank(worlds, idOf(2))];
  await one.add(1);
  for (const at of [{ snapshotId: 'snap_none' }, { atSequence: 99 }, { atSequence: 0 }])
    await assert.rejects(one.world.fork({ worldId: idOf(3), ...at }));
  assert.deepEqual(readdirSync(directory).sort(), [idOf(1), idOf(2)]);
  await one.world.destroy();
  assert.deepEqual(readdirSync(directory), [idOf(2)]);
  await assert.rejects(one.add(1), refused('control.NOT_FOUND'));
  await assert.rejects(createBank(worlds, idOf(2)), refused('control.STATE_CONFLICT'));
  const again = await createBank(worlds, idOf(1));
  assert.equal(await again.balance(), 100);
  assert.equal(await two.balance(), 100);
});

test('layout shared: a destroyed world is gone, and its id is free', async (context) => {
  const worlds = await openWorlds({ ...plain, directory: scratch(context) });
  context.after(() => worlds.close());
  const bank = await createBank(worlds, idOf(1));
  await bank.add(1);
  await bank.world.destroy();
  await assert.rejects(worlds.open(idOf(1)), refused('control.NOT_FOUND'));
  assert.equal(await (await createBank(worlds, idOf(1))).balance(), 100);
});

test('an exclusive world has a host of its own while it lives', async (context) => {
  const directory = scratch(context);
  const worlds = await openWorlds({ ...plain, directory });
  context.after(() => worlds.close());
  const bank = await createBank(worlds, idOf(1), { placement: 'exclusive' });
  await bank.add(1);
  assert.deepEqual(
    (await worlds.stats()).hosts.map(({ worldsLive }) => worldsLive),
    [0, 1],
  );
  const { world } = await bank.world.fork({ worldId: idOf(2) });
  assert.equal(await new Bank(world).balance(), 101);
  await bank.world.destroy();
  assert.equal((await worlds.stats()).hosts.length, 1);
  assert.equal(await new Bank(world).balance(), 101);
});

test('a world can be given its host, in either layout; one that exists keeps the host it has', async (context) => {
  for (const layout of ['run', 'shared'] as const) {
    const worlds = await openWorlds({ ...plain, layout, directory: scratch(context), hosts: 3, hostsAtStart: 1 });
    context.after(() => worlds.close());
    const live = async () => (await worlds.stats()).hosts.map(({ index, worldsLive }) => [index, worldsLive]);
    assert.deepEqual(await live(), [[0, 0]], 'the others start when they are needed');
    const home = worlds.hostOf(idOf(1));
    const host = (home + 1) % 3;
    const bank = await createBank(worlds, idOf(1), { placement: { host } });
    assert.equal(worlds.hostOf(idOf(1)), host);
    await bank.add(1);
    assert.equal((await live()).find(([index]) => index === host)?.[1], 1);
    await assert.rejects(createBank(worlds, idOf(1), { placement: { host: home } }), refused('control.STATE_CONFLICT'));
    assert.equal(worlds.hostOf(idOf(1)), host);
    const { world } = await bank.world.fork({ worldId: idOf(2) });
    assert.equal(worlds.hostOf(idOf(2)), host);
    assert.equal(await new Bank(world).balance(), 101);
    await bank.world.destroy();
    assert.equal(worlds.hostOf(idOf(1)), home);
    for (const none of [3, -1, 0.5])
      await assert.rejects(createBank(worlds, idOf(3), { placement: { host: none } }), refused('control.INVALID_REQUEST'));
  }
});

test('a host can be ended: its worlds continue from their last commit, those of others notice nothing', async (context) => {
  const worlds = await openWorlds({ ...plain, directory: scratch(context), hosts: 2 });
  context.after(() => worlds.close());
  const [one, other] = [
    await createBank(worlds, idOf(1), { placement: { host: 0 } }),
    await createBank(worlds, idOf(2), { placement: { host: 1 } }),
  ];
  await Promise.all([one.add(1), other.add(2)]);
  await worlds.killHost(worlds.hostOf(idOf(1)));
  assert.deepEqual([await one.balance(), await other.balance()], [101, 102]);
  await assert.rejects(worlds.killHost(2), refused('control.NOT_FOUND'));
});

test('what a world cannot be made of is refused', async (context) => {
  const worlds = await openWorlds({ ...plain, directory: scratch(context) });
  context.after(() => worlds.close());
  for (const worldId of ['', 'x', 'run_SHOUTING0000', '../../../etc/passwd', 'op_000000000000'])
    await assert.rejects(createBank(worlds, worldId), refused('control.INVALID_REQUEST'));
  await assert.rejects(
    createBank(worlds, idOf(1), { seed: { seed: '18446744073709551616', trial: 1, attempt: 1 } }),
    refused('control.INVALID_REQUEST'),
  );
  const bad = { action: 'upsert' as const, packageId: 'bank', namespace: 'accounts', rowId: 'x', value: { balance: -1 } };
  await assert.rejects(
    createBank(worlds, idOf(1), {
      setup: { state: [bad, { ...bad, namespace: 'none' }], faults: [{ packageId: 'bank', faultId: 'none' }] },
    }),
    (error) => {
      assert.ok(error instanceof ServiceError && error.code === 'control.INVALID_REQUEST');
      assert.deepEqual(
        error.extra.issues?.map(({ path }) => path),
        ['/state/0/value/balance', '/state/1', '/faults/0'],
      );
      return true;
    },
  );
});

test('code that does not compile, or does not load, is reported at once or by its calls', async (context) => {
  const worlds = await openWorlds({ ...plain, directory: scratch(context) });
  context.after(() => worlds.close());
  const withCode = (code: string) => {
    const tools = bankBuild.tools.map((tool) =>
      tool.packageId === 'audit' ? tool : { ...tool, artifactHash: code, behavior: { code, codeHash: code } },
    );
    return { ...bankBuild, tools, buildHash: code };
  };
  const { setup, setupHash } = bankBuild.baseline;
  const seed = { seed: '1', trial: 1, attempt: 1 };
  await assert.rejects(
    worlds.create({ worldId: idOf(1), build: withCode('(function ('), setup, setupHash, seed }),
    refused('world.HANDLER_FAILED'),
  );
  const world = await worlds.create({
    worldId: idOf(2),
    build: withCode('(function () { throw new Error("no") })'),
    setup,
    setupHash,
    seed,
  });
  const { outcome } = await new Bank(world).add(1);
  assert.equal(outcome.kind === 'tool_error' && outcome.error.code, 'HANDLER_FAILED');
});

test('a fresh module each turn: what a module keeps in a variable does not last a turn', async (context) => {
  const worlds = await openWorlds({ ...plain, directory: scratch(context), freshModulePerTurn: true });
  context.after(() => worlds.close());
  const bank = await createBank(worlds, idOf(1));
  for (let round = 0; round < 2; round++) {
    const { outcome } = await bank.call('misbehave', { how: 'remember' });
    assert.deepEqual(outcome, { kind: 'ok', value: { balance: 1 } });
  }
});
