// A project that has at least one of everything is deleted through the served API, the plug pulled in the midst of it. Afterwards the disk
// and the catalog know nothing of it but the trail of who deleted it, and owners of other projects have lost nothing.
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { EndpointId } from '../../src/contract/hosted/endpoints.js';
import { bundleFolder } from '../../src/control/runs/evidence-records.js';
import { projectFolder } from '../../src/control/sessions/project-worlds.js';
import { openCatalogFile } from '../../src/control/verify-catalog.js';
import { verifyDataDirectory } from '../../src/data-verification.js';
import { until } from '../until.js';
import { assertRefused } from './matrix-ground.js';
import { endpointIds, faceOf, Requests, ruleOf, servedDocument } from './requests.js';
import { asAgent, clientOf, type Service, startedDirectory, startService } from './service.js';
import { neverIds, startTenantsWith } from './tenants.js';

/** More than a few changes can take away. */
const environmentsMore = 600;
const dataDirectory = await startedDirectory();

/** Every record of a stopped service that names this, by its key, without the id. */
async function recordsThatName(id: string): Promise<string[]> {
  const { database, close } = openCatalogFile(dataDirectory);
  const found: string[] = [];
  for (const { key, value } of database.getRange({ snapshot: false })) {
    const text = decodeURIComponent(key.toString('latin1'));
    if (text.includes(id) || value.toString().includes(id)) found.push(text.replaceAll(id, '<id>'));
  }
  await close();
  return found;
}

async function requireWholeData(): Promise<void> {
  assert.deepEqual((await verifyDataDirectory({ dataDirectory })).findings, []);
}

const quotasOf = async (client: ReturnType<typeof clientOf>): Promise<{ [name: string]: number }> =>
  Object.fromEntries((await client.getUsage()).usage.quotas.map(({ quota, used }) => [quota, used]));

// PROJECT-DELETION-2, PROJECT-PARTS-1, PROJECT-PARTS-2
test('a deleted project leaves nothing behind, whenever the service dies, and touches no other one', async () => {
  const tenants = await startTenantsWith(startService, { dataDirectory, flags: ['--projects-max', '2'] });
  const { manager, client, ids, second, foreign, idle } = tenants;
  const projectId = ids.projectId as string;
  const path = { projectId };
  const bearer = { ids, authorization: `Bearer ${manager}` };
  for (let made = 0; made < environmentsMore; made += 100) {
    const names = Array.from({ length: 100 }, (_, index) => ({ path, body: { name: `environment ${made + index}` } }));
    await Promise.all(names.map((input) => client.createEnvironment(input)));
  }
  const draft = await client.createSourceDraft({ path, body: { name: 'gone', files: [{ path: 'a.txt', content: 'a' }] } });
  const { sourceDraftId, version: expectedVersion } = draft.sourceDraft;
  await client.deleteSourceDraft({ path: { ...path, sourceDraftId }, body: { expectedVersion, confirm: sourceDraftId } });
  const { dataset } = await client.createDataset({
    path,
    body: { name: 'archived', buildHash: ids.buildHash as string, packageId: 'ticket-desk', collections: [] },
  });
  const archived = { path: { ...path, datasetId: dataset.datasetId }, body: { expectedVersion: 1, confirm: dataset.datasetId } };
  await client.archiveDataset(archived);
  await assert.rejects(client.createProject({ body: { name: 'a third' } }), { code: 'control.QUOTA_EXCEEDED' });
  const kept = await runtimeOf(client, second);
  const keptAbroad = await runtimeOf(foreign.client, foreign);
  const folder = join(dataDirectory, 'worlds', projectFolder(projectId));
  assert.ok(existsSync(folder) && existsSync(bundleFolder(dataDirectory, ids.evidenceBundleId as string)));

  const requests = new Requests(tenants.service.ready.baseUrl, await servedDocument(tenants.service.ready.baseUrl));
  const key = 'delete-the-project-1';
  const mismatch = await requests.send('deleteProject', { ...bearer, body: { confirm: second.projectId } });
  assertRefused(mismatch, 422, 'control.CONFIRMATION_MISMATCH', 'another id');
  const asked = { ...bearer, key, body: { confirm: projectId } };
  const accepted = await requests.send('deleteProject', asked);
  assert.equal(accepted.status, 202, JSON.stringify(accepted.json));
  const { operation } = accepted.json as { operation: { operationId: string; kind: string; resourceType: string; resourceId: string } };
  const { operationId } = operation;
  assert.deepEqual([operation.kind, operation.resourceType, operation.resourceId], ['project.delete', 'project', projectId]);
  const agent = await asAgent(idle.worldUrl, idle.worldCredential, '/v1/tools');
  assert.deepEqual([agent.status, agent.body.code], [401, 'control.UNAUTHENTICATED']);

  await until(async () => {
    const now = (await client.getOperation({ path: { ...path, operationId } })).operation;
    assert.ok(now.state === 'running' || now.state === 'pending', `too fast to be killed in the midst: ${JSON.stringify(now)}`);
    return ((now.result as { recordsRemoved?: number } | undefined)?.recordsRemoved ?? 0) > 0;
  });
  await tenants.service.stop('SIGKILL');
  assert.ok((await recordsThatName(projectId)).includes('r project <id>'), 'it was over before the end of the service');
  await requireWholeData();

  const service = await startService({ dataDirectory, flags: ['--projects-max', '2', '--durability', 'committed'] });
  const again = clientOf(service, manager);
  const { result } = await again.waitForOperation({ ...path, operationId });
  assert.deepEqual({ ...(result as object), deletedAtMs: 0 }, { schemaVersion: 1, kind: 'project.delete', projectId, deletedAtMs: 0 });
  await assertGone(service, { ...asked, accepted: accepted.json, never: neverIds(ids).projectId as string });

  assert.deepEqual(await runtimeOf(again, second), kept);
  assert.deepEqual(await runtimeOf(clientOf(service, foreign.credential), foreign), keptAbroad);
  const quotas = await quotasOf(again);
  const { sessionsLiveMax, runsActiveMax, sourceDraftsMax, datasetsMax, projectsMax, organizationBytesMax } = quotas;
  assert.deepEqual({ sessionsLiveMax, runsActiveMax, sourceDraftsMax, datasetsMax, projectsMax }, usedBySecond);
  const ofSecond = (await again.getUsage({ query: { projectId: second.projectId } })).usage.quotas.find(
    ({ quota }) => quota === 'projectBytesMax',
  );
  assert.equal(organizationBytesMax, ofSecond?.used);
  await again.createProject({ body: { name: 'a third' } });
  const trail = (await again.listAuditEvents({ query: { projectId, limit: 5 } })).items;
  assert.deepEqual([trail[0]?.action, trail[0]?.resourceId], ['deleteProject', projectId]);
  assert.equal((await service.stop()).code, 0);
  assert.doesNotMatch(service.said().stderr, /a bug met|a runner threw/);

  assert.deepEqual(readdirSync(join(dataDirectory, 'worlds')).filter((name) => name.startsWith('p-')).length, 3);
  assert.ok(!existsSync(folder) && !existsSync(bundleFolder(dataDirectory, ids.evidenceBundleId as string)));
  const left = await recordsThatName(projectId);
  const stays = /^[ir] audit |^[ir] operation | <id> deleteProject delete-the-project-1$/;
  assert.deepEqual(
    left.filter((one) => !stays.test(one)),
    [],
  );
  assert.equal(left.filter((one) => one.startsWith('r operation ')).length, 1);
  for (const name of ['sessionId', 'hostedRunId', 'sourceDraftId', 'datasetId', 'authoringSessionId', 'hostedSnapshotId', 'buildHash']) {
    const found = await recordsThatName(ids[name] as string);
    assert.deepEqual(
      found.filter((one) => !/^[ir] audit /.test(one)),
      [],
      name,
    );
  }
  await requireWholeData();
  const last = await startService({ dataDirectory });
  assert.equal('projectId' in last.ready, false, 'the first project is made once');
  assert.equal((await last.stop()).code, 0);
});

const usedBySecond = { sessionsLiveMax: 1, runsActiveMax: 0, sourceDraftsMax: 1, datasetsMax: 0, projectsMax: 1 };

type Session = { projectId: string; sessionId: string };
async function runtimeOf(client: ReturnType<typeof clientOf>, { projectId, sessionId }: Session): Promise<unknown> {
  return (await client.getSessionRuntime({ path: { projectId, sessionId } })).position;
}

interface Deletion {
  ids: { readonly [name: string]: string };
  authorization: string;
  key: string;
  body: { confirm: string };
  accepted: unknown;
  /** Of a project that never was. */
  never: string;
}
/** To every row it is what never was, but for the same request and its operation. */
async function assertGone(service: Service, { ids, authorization, key, body, accepted, never }: Deletion): Promise<void> {
  const { baseUrl } = service.ready;
  const requests = new Requests(baseUrl, await servedDocument(baseUrl));
  const replay = await requests.send('deleteProject', { ids, authorization, key, body });
  assert.deepEqual([replay.status, replay.headers['idempotent-replayed'], replay.json], [200, 'true', accepted]);
  const inProject = endpointIds.filter((id: EndpointId) => ruleOf(id).path.includes('{projectId}'));
  for (const id of inProject) {
    const about = { authorization, ...(id === 'deleteProject' ? { body } : {}) };
    const gone = await requests.send(id, { ...about, ids });
    const unreal = await requests.send(id, { ...about, ids: { ...ids, projectId: never } });
    assertRefused(gone, 404, 'control.NOT_FOUND', id);
    if (id !== 'deleteProject' && id !== 'getOperation') assert.equal(faceOf(gone), faceOf(unreal), id);
  }
}
