// Idempotency, order of checks and what is kept beside an effect (docs/decisions/011), through the one door of the control plane.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { canonicalJson } from '../../src/contract/canonical-json.js';
import { type ErrorCode, ServiceError } from '../../src/contract/errors.js';
import { endpointTable } from '../../src/contract/hosted/endpoint-table.js';
import { limits } from '../../src/contract/limits.js';
import { auditTable } from '../../src/control/catalog/audit-records.js';
import type { ChangeEndpoint, PreparedEndpoint } from '../../src/control/catalog/endpoint.js';
import { countOf, moveCount } from '../../src/control/catalog/quotas.js';
import { claimTable, requestHashOf } from '../../src/control/core/idempotency.js';
import type { ControlServices } from '../../src/control/core/services.js';
import type { Dispatch, Endpoints } from '../../src/control/dispatch.js';
import { organizationEndpoints } from '../../src/control/organizations/organization-endpoints.js';
import { projectEndpoints } from '../../src/control/organizations/project-endpoints.js';
import fc from '../fast-check.js';
import { until } from '../until.js';
import { type ControlKit, type ControlKitOptions, openControlKit } from './control-kit.js';

const kits: ControlKit[] = [];
after(async () => {
  for (const kit of kits) await kit.close();
});
const refused = (code: ErrorCode) => (error: unknown) => error instanceof ServiceError && error.code === code;

/** `archiveDataset` counts its effects, whatever it is called on; what it waits for is the test's. */
interface Bench {
  kit: ControlKit;
  /** Times the effect is there. */
  effects(): number;
  prepared: number;
}
type Wait = (n: number) => Promise<void>;
type AnyPrepared = PreparedEndpoint<'archiveDataset', number>;

interface BenchOptions extends ControlKitOptions {
  /** Whether a prepared request under the key waits for nothing. Default: each waits. */
  isReady?(key: string): boolean;
}
async function openBench(wait: Wait = async () => {}, { isReady = () => false, ...options }: BenchOptions = {}): Promise<Bench> {
  const bench = { prepared: 0 } as Bench;
  const counting = (kind: 'change' | 'prepared') => {
    const apply: AnyPrepared['apply'] = (tx, call) => {
      if (call.body.confirm === 'refuse') throw new ServiceError('control.STATE_CONFLICT');
      moveCount(tx, 'effects', 1);
      return { reply: { nth: countOf(tx, 'effects') } as never, resource: { type: 'dataset', id: call.path.datasetId } };
    };
    if (kind === 'change') return { kind, apply: (tx, call) => apply(tx, call, 0) } satisfies ChangeEndpoint<'archiveDataset'>;
    return {
      kind,
      prepareAtOnce: (_, { idempotencyKey }) => (isReady(idempotencyKey) ? { prepared: 0 } : undefined),
      prepare: async () => {
        await wait(++bench.prepared);
        return bench.prepared;
      },
      apply,
    } satisfies AnyPrepared;
  };
  const endpoints = (services: ControlServices): Endpoints => ({
    ...projectEndpoints(services),
    ...organizationEndpoints(services),
    archiveDataset: counting('prepared'),
    archiveEnvironment: counting('change') as never,
  });
  bench.kit = await openControlKit({ endpoints, ...options });
  bench.effects = () => countOf(bench.kit.services.catalog.view, 'effects');
  kits.push(bench.kit);
  return bench;
}

type Asked = { key: string; id?: string; confirm?: string; prepared?: boolean; caller?: ControlKit['caller'] };
function ask({ kit }: Bench, { key, id = '1', confirm = '', prepared = true, caller }: Asked): Promise<Dispatch<never>> {
  const [endpoint, path] = prepared
    ? ['archiveDataset', { datasetId: `dataset_${id}` }]
    : ['archiveEnvironment', { environmentId: `env_${id}` }];
  const how = { key, ...(caller === undefined ? {} : { caller }) };
  return kit.dispatch(endpoint as 'archiveDataset', { path: path as never, body: { confirm } as never }, how) as never;
}
const nth = ({ reply }: Dispatch<never>): number => (reply as { nth: number }).nth;

for (const [kind, prepared, waits] of [
  ['a change', false, false],
  ['a prepared endpoint', true, true],
  ['a prepared endpoint that waits for nothing', true, false],
] as const) {
  const options: BenchOptions = { isReady: () => !waits };

  // IDEMPOTENCY-1
  test(`${kind}: the same key tells the first answer, another request under it is refused`, async () => {
    const bench = await openBench(undefined, options);
    const first = await ask(bench, { key: 'key-0001', prepared });
    assert.deepEqual([nth(first), first.replayed], [1, false]);
    const again = await ask(bench, { key: 'key-0001', prepared });
    assert.deepEqual([nth(again), again.replayed], [1, true]);
    assert.deepEqual(again.reply, first.reply);
    for (const other of [{ id: '2' }, { confirm: 'x' }]) {
      await assert.rejects(ask(bench, { key: 'key-0001', prepared, ...other }), refused('control.IDEMPOTENCY_KEY_REUSED'));
    }
    assert.equal(nth(await ask(bench, { key: 'key-0002', prepared })), 2);
  });

  // IDEMPOTENCY-3
  test(`${kind}: a refusal leaves no claim, so the key can be used again, even for another request`, async () => {
    const bench = await openBench(undefined, options);
    await assert.rejects(ask(bench, { key: 'key-0001', confirm: 'refuse', prepared }), refused('control.STATE_CONFLICT'));
    assert.equal(claimsOf(bench), 0);
    assert.equal(auditsOf(bench), 0);
    const { replayed } = await ask(bench, { key: 'key-0001', prepared });
    assert.deepEqual([replayed, bench.effects(), claimsOf(bench), auditsOf(bench)], [false, 1, 1, 1]);
  });

  // DISPATCH-4
  test(`${kind}: what the disk did not take is not there, and a retry makes it`, async () => {
    const bench = await openBench(undefined, options);
    bench.kit.disk.full = true;
    await assert.rejects(ask(bench, { key: 'key-0001', prepared }), refused('control.STORAGE_FULL'));
    bench.kit.disk.full = false;
    const retried = await ask(bench, { key: 'key-0001', prepared });
    assert.deepEqual([nth(retried), retried.replayed, bench.effects()], [1, false, 1]);
  });

  test(`${kind}: a key belongs to organization, project and endpoint`, async () => {
    const bench = await openBench(undefined, options);
    const { kit } = bench;
    const { project } = await kit.call('createProject', { body: { name: 'two' } });
    await ask(bench, { key: 'key-0001', prepared });
    const { caller } = await kit.callerWith('manager');
    assert.equal((await ask(bench, { key: 'key-0001', prepared, caller })).replayed, true, 'another credential of the organization');
    const there = {
      path: { projectId: project.projectId, datasetId: 'dataset_1', environmentId: 'env_1' } as never,
      body: { confirm: '' } as never,
    };
    const elsewhere = await kit.dispatch(prepared ? 'archiveDataset' : 'archiveEnvironment', there, { key: 'key-0001' });
    assert.equal(elsewhere.replayed, false, 'another project');
    assert.equal((await ask(bench, { key: 'key-0001', prepared: !prepared })).replayed, false, 'another endpoint');
    const foreigner = await kit.foreigner();
    const theirs = await kit.call('createProject', { body: { name: 'theirs' } }, { caller: foreigner.caller, key: 'key-0001' });
    const mine = await kit.dispatch('createProject', { body: { name: 'mine' } }, { key: 'key-0001' });
    assert.equal(mine.replayed, false, 'another organization');
    assert.notEqual(mine.reply.project.projectId, theirs.project.projectId);
  });

  test(`${kind}: a replay still needs the authority`, async () => {
    const bench = await openBench(undefined, options);
    const { caller, credentialId } = await bench.kit.callerWith(null);
    await assert.rejects(ask(bench, { key: 'key-0001', prepared, caller }), refused('control.NOT_FOUND'));
    const grant = async (role: 'manager' | 'viewer') =>
      (await bench.kit.call('createGrant', { body: { subject: { kind: 'credential', id: credentialId }, role } })).grant.grantId;
    const take = (grantId: string) => bench.kit.call('deleteGrant', { body: { grantId, confirm: grantId } });
    const manager = await grant('manager');
    assert.equal((await ask(bench, { key: 'key-0001', prepared, caller })).replayed, false);
    await take(manager);
    await grant('viewer');
    await assert.rejects(ask(bench, { key: 'key-0001', prepared, caller }), refused('control.FORBIDDEN'));
  });

  test(`${kind}: answers are kept a day and forgotten after`, async () => {
    const bench = await openBench(undefined, options);
    const { kit } = bench;
    await ask(bench, { key: 'key-0001', prepared });
    kit.clock.nowMs += limits.idempotencyKeptMs;
    await kit.plane.purge();
    assert.equal((await ask(bench, { key: 'key-0001', prepared })).replayed, true);
    kit.clock.nowMs += 1;
    await kit.plane.purge();
    assert.equal(claimsOf(bench), 0);
    assert.equal((await ask(bench, { key: 'key-0001', prepared })).replayed, false);
  });
}

const claimsOf = ({ kit }: Bench): number =>
  kit.services.catalog.view.list(claimTable, { index: 'byTime', prefix: [], limit: 1000 }).records.length;
const auditsOf = ({ kit }: Bench): number => auditActions(kit).length;
function auditActions(kit: ControlKit): string[] {
  const keys = kit.services.catalog.view.list(auditTable, { index: 'byOrganization', prefix: [kit.organizationId], limit: 1000 });
  return keys.records.map(({ action }) => action);
}

test('thousands of old answers are forgotten in one purge', async () => {
  const bench = await openBench();
  const { kit } = bench;
  const count = limits.purgeRecordsMax * 2 + 7;
  await Promise.all(Array.from({ length: count }, (_, n) => ask(bench, { key: `key-${1000 + n}`, prepared: false })));
  assert.equal(bench.effects(), count);
  kit.clock.nowMs += limits.idempotencyKeptMs + 1;
  await kit.plane.purge();
  assert.equal(claimsOf(bench), 0);
});

for (const prepared of [false, true]) {
  test(`duplicates at once of ${prepared ? 'what waits for nothing' : 'a change'}: one effect, and every answer is the first`, async () => {
    const bench = await openBench(undefined, { isReady: () => true });
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(bench, { key: 'key-0001', prepared })));
    assert.deepEqual([bench.effects(), bench.prepared, answers.filter(({ replayed }) => !replayed).length], [1, 0, 1]);
    assert.ok(answers.every((answer) => nth(answer) === 1));
  });
}

test('while the first is being prepared, duplicates are asked to come again; a different request is refused even then', async () => {
  let go = () => {};
  const bench = await openBench(() => new Promise((resolve) => (go = resolve)));
  const first = ask(bench, { key: 'key-0001' });
  await until(() => bench.prepared > 0);
  await assert.rejects(ask(bench, { key: 'key-0001' }), (error: ServiceError) => {
    assert.equal(error.code, 'control.IDEMPOTENCY_IN_PROGRESS');
    return (error.extra.retryAfterMs ?? 0) > 0;
  });
  await assert.rejects(ask(bench, { key: 'key-0001', id: '2' }), refused('control.IDEMPOTENCY_KEY_REUSED'));
  // Even a very old claim is not forgotten while it is worked on.
  bench.kit.clock.nowMs += limits.idempotencyKeptMs * 2;
  await bench.kit.plane.purge();
  await assert.rejects(ask(bench, { key: 'key-0001' }), refused('control.IDEMPOTENCY_IN_PROGRESS'));
  go();
  assert.equal((await first).replayed, false);
  assert.equal((await ask(bench, { key: 'key-0001' })).replayed, true);
  assert.deepEqual([bench.effects(), bench.prepared], [1, 1]);
});

// IDEMPOTENCY-1, IDEMPOTENCY-2
test('a crash between claim and answer: a retry of the next incarnation finishes the work, duplicates of it wait', async () => {
  const bench = await openBench(() => new Promise(() => {}));
  void ask(bench, { key: 'key-0001' }).catch(() => {});
  await until(() => bench.prepared > 0);
  assert.equal(claimsOf(bench), 1);
  await bench.kit.end('crash');

  let go = () => {};
  const next = await openBench(() => new Promise((resolve) => (go = resolve)), { directory: bench.kit.directory });
  await assert.rejects(ask(next, { key: 'key-0001', id: '2' }), refused('control.IDEMPOTENCY_KEY_REUSED'));
  const retry = ask(next, { key: 'key-0001' });
  await until(() => next.prepared > 0);
  await assert.rejects(ask(next, { key: 'key-0001' }), refused('control.IDEMPOTENCY_IN_PROGRESS'));
  go();
  assert.deepEqual([nth(await retry), (await ask(next, { key: 'key-0001' })).replayed, next.effects()], [1, true, 1]);
});

test('a crash after the answer was written: the next incarnation tells it', async () => {
  const bench = await openBench();
  const first = await ask(bench, { key: 'key-0001' });
  await bench.kit.end('crash');
  const next = await openBench(undefined, { directory: bench.kit.directory });
  const again = await ask(next, { key: 'key-0001' });
  assert.deepEqual([again.reply, again.replayed, next.prepared], [first.reply, true, 0]);
});

test('whatever comes in whatever order, over crashes and full disks: one effect a key, and one answer', async () => {
  const action = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant('ask' as const),
        key: fc.integer({ min: 0, max: 3 }),
        prepared: fc.boolean(),
        times: fc.integer({ min: 1, max: 3 }),
      }),
    },
    { weight: 2, arbitrary: fc.constant({ kind: 'full' as const }) },
    { weight: 2, arbitrary: fc.constant({ kind: 'free' as const }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'crash' as const }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 3, maxLength: 20 }), async (actions) => {
      const isReady = (key: string): boolean => Number(key.at(-1)) % 2 === 1;
      let bench = await openBench(async () => new Promise(setImmediate), { isReady });
      const answers = new Map<string, number>();
      let asked: Promise<void>[] = [];
      const note = (name: string) => (answer: Dispatch<never>) => {
        const known = answers.get(name);
        assert.ok(known === undefined ? true : known === nth(answer), 'every answer to a key is the same');
        answers.set(name, nth(answer));
      };
      const excuse = (error: unknown): void => {
        if (
          !(error instanceof ServiceError) ||
          !['control.IDEMPOTENCY_IN_PROGRESS', 'control.STORAGE_FULL', 'control.UNAVAILABLE'].includes(error.code)
        )
          throw error;
      };
      for (const one of [...actions, { kind: 'free' as const }]) {
        if (one.kind === 'ask') {
          const { prepared } = one;
          const key = `key-000${one.key}`;
          for (let n = 0; n < one.times; n++) asked.push(ask(bench, { key, prepared }).then(note(`${key} ${prepared}`), excuse));
          // Let it come to somewhere.
          for (let n = 0; n < one.times; n++) await new Promise(setImmediate);
        } else if (one.kind === 'crash') {
          await bench.kit.end('crash');
          await Promise.all(asked);
          asked = [];
          bench = await openBench(async () => new Promise(setImmediate), { directory: bench.kit.directory, isReady });
        } else {
          bench.kit.disk.full = one.kind === 'full';
        }
      }
      await Promise.all(asked);
      for (const prepared of [false, true]) {
        for (let n = 0; n < 4; n++) note(`key-000${n} ${prepared}`)(await ask(bench, { key: `key-000${n}`, prepared }));
      }
      assert.equal(bench.effects(), 8);
      assert.equal(new Set(answers.values()).size, 8);
    }),
    { numRuns: 25 },
  );
});

// DISPATCH-1, DISPATCH-2
test('the order is authority, then the key, then everything else', async () => {
  const bench = await openBench();
  const { kit } = bench;
  const { caller: viewer } = await kit.callerWith('viewer');
  const { caller: foreigner } = await kit.foreigner();
  await ask(bench, { key: 'key-0001' });
  // The key was used for another request: a caller without authority does not even learn that.
  await assert.rejects(ask(bench, { key: 'key-0001', id: '2', caller: viewer }), (error: ServiceError) => {
    assert.deepEqual([error.code, error.extra.details], ['control.FORBIDDEN', { required: 'dataset.write' }]);
    return true;
  });
  const strange = await ask(bench, { key: 'key-0001', caller: foreigner }).catch((error: ServiceError) => error);
  const missing = await kit
    .dispatch(
      'archiveDataset',
      { path: { projectId: 'prj_000000000000', datasetId: 'dataset_1' }, body: { confirm: '' } as never },
      { caller: foreigner },
    )
    .catch((error: ServiceError) => error);
  assert.ok(strange instanceof ServiceError && missing instanceof ServiceError);
  assert.deepEqual([strange.code, strange.message, strange.extra], [missing.code, missing.message, missing.extra]);
  assert.equal(strange.code, 'control.NOT_FOUND');
});

test('a key is needed and has its shape', async () => {
  const { kit } = await openBench();
  const context = { caller: kit.caller, correlationId: 'corr_1' };
  const input = { path: undefined, query: undefined, body: { name: 'x' } };
  await assert.rejects(kit.plane.dispatch('createProject', input, context), refused('control.IDEMPOTENCY_KEY_REQUIRED'));
  for (const idempotencyKey of ['', 'short', 'x'.repeat(129), 'key with space', 'schlüssel-1', 'key-0001\n']) {
    await assert.rejects(
      kit.plane.dispatch('createProject', input, { ...context, idempotencyKey }),
      refused('control.IDEMPOTENCY_KEY_INVALID'),
    );
  }
  for (const idempotencyKey of ['12345678', 'A.b_c:d-e', 'x'.repeat(128)]) {
    assert.equal((await kit.plane.dispatch('createProject', input, { ...context, idempotencyKey })).replayed, false);
  }
});

test('the request hash is of method, path and what the body means', () => {
  const rule = endpointTable.archiveDataset;
  const hash = (path: string, body: unknown): string => requestHashOf(rule, path, body);
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (left, right) => {
      assert.match(hash('/a', left), /^sha256:[0-9a-f]{64}$/);
      assert.equal(hash('/a', left) === hash('/a', right), canonicalJson(left as never) === canonicalJson(right as never));
      assert.notEqual(hash('/a', left), hash('/b', left));
    }),
  );
  assert.equal(hash('/a', { x: 1, y: [2] }), hash('/a', { y: [2], x: 1 }));
  assert.equal(hash('/a', Buffer.from('bytes')), hash('/a', new Uint8Array(Buffer.from('bytes'))));
  assert.notEqual(hash('/a', Buffer.from('bytes')), hash('/a', Buffer.from('other')));
  assert.notEqual(hash('/a', undefined), requestHashOf({ ...rule, method: 'DELETE' }, '/a', undefined));
});

// DISPATCH-4
test('an accepted change is in the audit trail once, with who and what', async () => {
  const { kit } = await openBench();
  const key = 'key-0001';
  const { project } = await kit.call('createProject', { body: { name: 'one' } }, { key });
  await kit.call('createProject', { body: { name: 'one' } }, { key });
  const { items } = await kit.call('listAuditEvents');
  assert.equal(items.length, 1);
  const { action, resourceType, resourceId, credentialId, organizationId } = items[0]!;
  assert.deepEqual(
    [action, resourceType, resourceId, credentialId, organizationId],
    ['createProject', 'project', project.projectId, kit.caller.credentialId, kit.organizationId],
  );
});

test('no secret is in the store of answers, and a replay tells none: not even to who asked first', async () => {
  const { kit } = await openBench();
  const asked = { body: { name: 'ci', role: 'builder' as const } };
  const first = await kit.dispatch('createCredential', asked, { key: 'key-0001' });
  const again = await kit.dispatch('createCredential', asked, { key: 'key-0001' });
  assert.deepEqual([again.reply, again.replayed], [{ credential: first.reply.credential }, true]);
  assert.match(first.reply.secret!, /^dyc_[\w-]{43}$/);
  const { records } = kit.services.catalog.view.list(claimTable, { index: 'byTime', prefix: [], limit: 10 });
  assert.equal(JSON.stringify(records).includes(first.reply.secret!), false);
  assert.equal(kit.plane.authenticate(first.reply.secret!).credentialId, first.reply.credential.credentialId);
});

test('while the control plane is drained, changes are refused and reads are answered', async () => {
  let go = () => {};
  const bench = await openBench(() => new Promise((resolve) => (go = resolve)));
  const first = ask(bench, { key: 'key-0001' });
  await until(() => bench.prepared > 0);
  const drained = bench.kit.plane.drain(1000);
  await assert.rejects(ask(bench, { key: 'key-0002' }), refused('control.UNAVAILABLE'));
  assert.equal((await bench.kit.call('listProjects')).items.length, 1);
  go();
  await drained;
  assert.equal((await first).replayed, false);
});
