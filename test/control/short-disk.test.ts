// A disk that is short of space: what is let in, and how much of it one tenant may write.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type ErrorCode, ServiceError } from '../../src/contract/errors.js';
import { endpointTable } from '../../src/contract/hosted/endpoint-table.js';
import type { EndpointId } from '../../src/contract/hosted/endpoints.js';
import { limits } from '../../src/contract/limits.js';
import { pathNames } from '../../src/contract/route-table.js';
import { auditTable } from '../../src/control/catalog/audit-records.js';
import { countOf, moveCount } from '../../src/control/catalog/quotas.js';
import { everyRecord } from '../../src/control/catalog/tables.js';
import { claimTable } from '../../src/control/core/idempotency.js';
import type { ControlServices } from '../../src/control/core/services.js';
import type { Endpoints } from '../../src/control/dispatch.js';
import { organizationEndpoints } from '../../src/control/organizations/organization-endpoints.js';
import { projectEndpoints } from '../../src/control/organizations/project-endpoints.js';
import { diskFull } from '../../src/files/disk-full.js';
import { type CallOptions, type ControlKit, openControlKit } from './control-kit.js';

const kits: ControlKit[] = [];
after(async () => {
  for (const kit of kits) await kit.close();
});
const refused = (code: ErrorCode) => (error: unknown) => error instanceof ServiceError && error.code === code;

interface Bench {
  kit: ControlKit;
  disk: { isShort: boolean };
}
async function openBench(endpoints: (services: ControlServices) => Endpoints): Promise<Bench> {
  const state = { isShort: false };
  const disk: ControlServices['disk'] = {
    refusal: () => (state.isShort ? diskFull() : undefined),
    release: () => false,
    restore: () => {},
    figures: () => ({ freeBytes: 0, keptBytes: 0, reserveBytes: 0 }),
  };
  const kit = await openControlKit({ endpoints, services: { disk } });
  kits.push(kit);
  return { kit, disk: state };
}
const kept = ({ services: { catalog } }: ControlKit): { claims: number; audits: number; commits: number } => ({
  claims: [...everyRecord(catalog.view, claimTable)].length,
  audits: [...everyRecord(catalog.view, auditTable)].length,
  commits: catalog.commits,
});

// DISPATCH-3, REFUSAL-TRAIL-2
test('on a short disk what changes nothing writes neither a claim nor an audit event, however often it is asked for', async () => {
  const { kit, disk } = await openBench((services) => ({ ...organizationEndpoints(services), ...projectEndpoints(services) }));
  const { credentialId } = await kit.callerWith('viewer');
  const { caller: viewer } = await kit.callerWith('viewer');
  const revoke = () => kit.call('revokeCredential', { path: { credentialId }, body: { confirm: credentialId } });
  disk.isShort = true;
  const first = await revoke();
  assert.ok(first.credential.revokedAtMs !== undefined);
  const before = kept(kit);
  assert.deepEqual([before.claims, before.audits], [1, 1]);
  for (let n = 0; n < 3; n++) assert.deepEqual(await revoke(), first);
  // Nor does what is refused.
  await assert.rejects(kit.call('createProject', { body: { name: 'new' } }, { caller: viewer }), refused('control.FORBIDDEN'));
  assert.deepEqual(kept(kit), before);
  disk.isShort = false;
  await revoke();
  const { claims, audits } = kept(kit);
  assert.deepEqual([claims, audits], [2, 2]);
});

// DISPATCH-3, SHORT-DISK-1
test('on a short disk a tenant makes so many changes that free nothing, and keeps nobody else from theirs', async () => {
  const counting = {
    kind: 'change',
    apply: (tx: Parameters<typeof moveCount>[0]) => {
      moveCount(tx, 'effects', 1);
      return { reply: {}, resource: { type: 'any', id: 'any' } };
    },
  };
  const { kit, disk } = await openBench(
    (services) => ({ ...projectEndpoints(services), archiveDataset: counting, deleteEvidence: counting }) as never,
  );
  const foreigner = await kit.foreigner();
  const { project } = await kit.call('createProject', { body: { name: 'theirs' } }, { caller: foreigner.caller });
  const archive = (how: CallOptions = {}, projectId = kit.projectId) =>
    kit.dispatch('archiveDataset', { path: { projectId, datasetId: 'dataset_1' }, body: { confirm: '' } as never }, how);
  const effects = (): number => countOf(kit.services.catalog.view, 'effects');
  disk.isShort = true;
  await archive({ key: 'the-first' });
  await Promise.all(Array.from({ length: limits.shortDiskChangesMax - 1 }, () => archive()));
  const before = kept(kit);
  for (let n = 0; n < 2; n++) await assert.rejects(archive(), refused('control.STORAGE_FULL'));
  assert.deepEqual([effects(), kept(kit)], [limits.shortDiskChangesMax, before]);
  assert.equal((await archive({ key: 'the-first' })).replayed, true);
  await archive({ caller: foreigner.caller }, project.projectId);
  await kit.dispatch('deleteEvidence', { path: { evidenceBundleId: 'evb_1' }, body: { confirm: '' } });
  assert.equal(effects(), limits.shortDiskChangesMax + 2);
  // There is space, and then none again.
  disk.isShort = false;
  await archive();
  disk.isShort = true;
  await archive();
});

// DISPATCH-3, SHORT-DISK-1
test('all that removes, revokes or stops something is let in on a short disk, and nothing else of the route table', async () => {
  const missing = (): never => {
    throw new ServiceError('control.NOT_FOUND');
  };
  const ids = Object.keys(endpointTable) as EndpointId[];
  const all = ids.map((id) => [id, endpointTable[id].unsafe ? { kind: 'change', apply: missing } : { kind: 'read', run: missing }]);
  const { kit, disk } = await openBench(() => Object.fromEntries(all) as Endpoints);
  const operator = { organizationId: '', credentialId: '', role: null, operator: true as const, authoritiesIn: () => new Set<never>() };
  const ends = (id: EndpointId): boolean =>
    endpointTable[id].method === 'DELETE' ||
    /^(revoke|remove|delete|destroy|discard|archive|cancel|suspend)/.test(id) ||
    // The operator lowers a quota, and ends what an earlier key opens.
    ['updateOrganization', 'rotateServerKey'].includes(id);
  disk.isShort = true;
  for (const id of ids.filter((one) => endpointTable[one].unsafe && endpointTable[one].authority !== 'identity')) {
    const { authority, path } = endpointTable[id];
    const values = pathNames(path).map((name) => [name, name === 'projectId' ? kit.projectId : '1']);
    const input = { path: Object.fromEntries(values), body: {} };
    const asked = kit.dispatch(id, input as never, { caller: authority === 'operator' ? operator : kit.caller });
    await assert.rejects(asked, refused(ends(id) ? 'control.NOT_FOUND' : 'control.STORAGE_FULL'), id);
  }
});
