// Quotas: the count is exactly what is there, over refusals, failures and incarnations.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import { quotaUsed, returnQuota, takeQuota } from '../../src/control/catalog/quotas.js';
import { projectEndpoints } from '../../src/control/organizations/project-endpoints.js';
import { type ControlKit, openControlKit, quietSettings } from './control-kit.js';

const kits: ControlKit[] = [];
after(async () => {
  for (const kit of kits) await kit.close();
});
async function open(directory?: string): Promise<ControlKit> {
  const kit = await openControlKit({
    endpoints: projectEndpoints,
    settings: { quotas: { ...quietSettings.quotas, projectsMax: 3 } },
    ...(directory === undefined ? {} : { directory }),
  });
  kits.push(kit);
  return kit;
}

test('as many as the quota says, for each organization, and no more', async () => {
  const kit = await open();
  const { caller: foreigner } = await kit.foreigner();
  const create = (key?: string, caller = kit.caller) =>
    kit.call('createProject', { body: { name: 'x' } }, { caller, ...(key === undefined ? {} : { key }) });
  // The first start made one.
  const made = await Promise.allSettled(Array.from({ length: 5 }, () => create()));
  assert.equal(made.filter(({ status }) => status === 'fulfilled').length, 2);
  const refusal = await create().catch((error: ServiceError) => error);
  assert.ok(refusal instanceof ServiceError);
  assert.deepEqual([refusal.code, refusal.extra.details?.quota, refusal.extra.details?.max], ['control.QUOTA_EXCEEDED', 'projectsMax', 3]);
  assert.ok(refusal.extra.retryAfterMs! > 0);
  for (let n = 0; n < 3; n++) await create(undefined, foreigner);
  await assert.rejects(create(undefined, foreigner), (error: ServiceError) => error.code === 'control.QUOTA_EXCEEDED');
  assert.equal((await kit.call('listProjects')).items.length, 3);
});

test('what failed and what was reported again does not count, and the count outlives a crash', async () => {
  const kit = await open();
  const create = (key: string) => kit.dispatch('createProject', { body: { name: 'x' } }, { key });
  const use = { organizationId: kit.organizationId, name: 'projectsMax' as const };
  kit.disk.full = true;
  for (let n = 0; n < 5; n++) await assert.rejects(create('key-0001'));
  kit.disk.full = false;
  for (let n = 0; n < 5; n++) assert.equal((await create('key-0001')).replayed, n > 0);
  assert.equal(quotaUsed(kit.services.catalog.view, use), 2);
  await kit.end('crash');
  const next = await open(kit.directory);
  assert.equal(quotaUsed(next.services.catalog.view, use), 2);
});

test('what ends gives its place back; more than there was is a bug', async () => {
  const { services, organizationId } = await open();
  const use = { organizationId, name: 'sessionsLiveMax' as const };
  await services.catalog.change((tx) => takeQuota(tx, services, { ...use, amount: 100 }));
  await assert.rejects(
    services.catalog.change((tx) => takeQuota(tx, services, use)),
    (error: ServiceError) => error.code === 'control.QUOTA_EXCEEDED',
  );
  await services.catalog.change((tx) => returnQuota(tx, use));
  await services.catalog.change((tx) => takeQuota(tx, services, use));
  await services.catalog.change((tx) => returnQuota(tx, { ...use, amount: 100 }));
  assert.equal(quotaUsed(services.catalog.view, use), 0);
  await assert.rejects(
    services.catalog.change((tx) => returnQuota(tx, use)),
    /below zero/,
  );
});
