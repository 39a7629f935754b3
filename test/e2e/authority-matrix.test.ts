// Every row of the endpoint table against everybody who may not use it, from outside: nothing leaks, and nothing changes. On the second
// server a row of each kind, against everybody who comes without a credential or with too little authority.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { EndpointId } from '../../src/contract/hosted/endpoints.js';
import { type Authority, authoritiesOf, type Role } from '../../src/contract/world/authority.js';
import { startIdentityProvider } from '../control/identity-provider.js';
import { engines } from '../http/fake-control.js';
import { untilSettled } from '../until.js';
import { assertForbidden, assertRefused, namingBodies, possessions, startGround, textIds } from './matrix-ground.js';
import { endpointIds, faceOf, ruleOf } from './requests.js';
import { clientOf } from './service.js';
import { builtWorld, type Ids, idsIn } from './tenants.js';
import { exchange, newKey, type Received } from './wire.js';

const provider = await startIdentityProvider(Date.now);
after(() => provider.close());

const bearer = (token: string): string => `Bearer ${token}`;
const neededBy = (id: EndpointId): Authority[] => {
  const { authority } = ruleOf(id);
  return authority === 'identity' || authority === 'operator' || authority === 'authenticated' ? [] : ([authority].flat() as Authority[]);
};
const inProject = (id: EndpointId): boolean => ruleOf(id).path.includes('{projectId}');
/** Rows that a control credential may open. */
const tenantIds = endpointIds.filter((id) => ruleOf(id).authority !== 'identity' && ruleOf(id).authority !== 'operator');
const operatorIds = endpointIds.filter((id) => ruleOf(id).authority === 'operator');
/** The first row of each method and kind of authority, in a project and outside. */
function oneOfEach(of: readonly EndpointId[]): EndpointId[] {
  const kinds = new Map<string, EndpointId>();
  for (const id of of) {
    const { method, authority } = ruleOf(id);
    const kind = authority === 'identity' || authority === 'operator' || authority === 'authenticated' ? authority : 'granted';
    const name = `${method} ${kind} ${inProject(id)}`;
    if (!kinds.has(name)) kinds.set(name, id);
  }
  return [...kinds.values()];
}
/** Lists with pages; the accesses of a session come all at once. */
const lists = tenantIds.filter((id) => /^list/.test(id) && id !== 'listSessionAccess');

for (const engine of engines) {
  test(`the authority matrix on ${engine}`, async (t) => {
    const [rows, tenantRows] = engine === engines[0] ? [endpointIds, tenantIds] : [oneOfEach(endpointIds), oneOfEach(tenantIds)];
    const ground = await startGround(engine, provider);
    const { requests, ids, never, manager, service, foreign, third, second, idle, operator } = ground;
    const { baseUrl } = service.ready;
    const { projectId } = ids as { projectId: string };
    const expired = await ground.credentialOf('manager', 1000);
    const revoked = await ground.credentialOf('manager');
    await ground.client.revokeCredential({ path: { credentialId: revoked.credentialId }, body: { confirm: revoked.credentialId } });
    const roles: { [name: string]: { role: Role | null; secret: string } } = {};
    for (const role of ['viewer', 'builder', null] as const)
      roles[String(role)] = { role, secret: (await ground.credentialOf(role)).secret };
    const granted = new Map<Role, string>();
    for (const role of ['viewer', 'builder', 'manager'] as const) {
      const { credentialId, secret } = await ground.credentialOf(null);
      await ground.client.createGrant({ path: { projectId }, body: { subject: { kind: 'credential', id: credentialId }, role } });
      granted.set(role, secret);
    }
    const identity = await provider.token({ sub: 'ann', organization: ids.organizationId });
    // Until a second of its life is over.
    await untilSettled(async () => (await requests.send('getMe', { ids, authorization: bearer(expired.secret) })).status === 401);
    const over = async (): Promise<void> => {
      await service.stop();
      assert.doesNotMatch(service.logged(), /a bug met/);
    };
    /** A subtest in which every request is refused: before and after it, everything is the same. */
    const refused = (name: string, attack: () => Promise<void>): Promise<void> =>
      t.test(name, async () => {
        const before = await possessions(ground);
        await attack();
        assert.deepEqual(await possessions(ground), before);
      });

    await t.test('a caller with every authority reads every resource: what follows is not vacuous', async () => {
      for (const id of tenantRows.filter((one) => ruleOf(one).method === 'GET')) {
        const sealed = /^compareRuns$|Evidence(Bundle|Manifest|Artifact)$/.test(id);
        const about = id === 'getSessionRuntime' ? { ...ids, sessionId: idle.sessionId } : ids;
        const reply = await requests.send(id, { ids: about, authorization: bearer(manager) });
        const fine = reply.status === 200 || (sealed && reply.status !== 403 && reply.status !== 401) || isUnset(id, reply);
        assert.ok(fine, `${id}: ${reply.status} ${JSON.stringify(reply.json)}`);
      }
    });

    await refused('no row opens without a valid control credential, and every reason looks the same', async () => {
      type Reasons = { readonly [reason: string]: string | undefined };
      const unknown: Reasons = {
        none: undefined,
        garbage: 'Bearer garbage',
        expired: bearer(expired.secret),
        revoked: bearer(revoked.secret),
        'a world credential': bearer(idle.worldCredential),
      };
      const unreadable: Reasons = {
        empty: '',
        'no token': 'Bearer',
        'a blank token': 'Bearer  ',
        'another scheme': `Basic ${Buffer.from(`a:${manager}`).toString('base64')}`,
        'a token under another scheme': `Token ${manager}`,
        'the token alone': manager,
        'two tokens': `Bearer ${manager} ${manager}`,
        'a token and more': `Bearer ${manager}, Bearer ${manager}`,
        'all but its last character': `Bearer ${manager.slice(0, -1)}`,
        'in other letters': `Bearer ${manager.toUpperCase()}`,
        'its id': `Bearer ${ids.credentialId}`,
      };
      const spelled = new Set(oneOfEach(rows));
      const faces = new Set<string>();
      for (const [row, id] of rows.entries()) {
        const clientAddress = `192.0.2.${row % 256}`;
        const speakers: { [kind: string]: string } = { control: bearer(manager), identity: bearer(identity), operator: bearer(operator) };
        const { authority } = ruleOf(id);
        const own = authority === 'identity' || authority === 'operator' ? authority : 'control';
        const others = Object.fromEntries(Object.entries(speakers).filter(([kind]) => kind !== own));
        // How a header is read is the same for every row.
        const misread = spelled.has(id) ? unreadable : {};
        for (const [reason, authorization] of Object.entries({ ...unknown, ...misread, ...others })) {
          // So many requests without a valid credential are more than one address may send at once: each row has its own.
          const reply = await requests.send(id, { ids, authorization, clientAddress });
          assertRefused(reply, 401, 'control.UNAUTHENTICATED', `${id} with ${reason}`);
          assert.match(String(reply.headers['www-authenticate']), /^Bearer realm="drillyard"(, error="invalid_token")?$/);
          faces.add(faceOf(reply));
        }
      }
      assert.equal(faces.size, 1, [...faces].join('\n'));
    });

    await refused('a role opens what it has and is shown what it lacks', async () => {
      for (const { role, secret } of Object.values(roles)) {
        for (const id of tenantRows) {
          const lacks = neededBy(id).find((needed) => role === null || !authoritiesOf[role].has(needed));
          if (lacks === undefined && ruleOf(id).unsafe) continue;
          const reply = await requests.send(id, { ids, authorization: bearer(secret) });
          const where = `${role} ${id}`;
          if (role === null && inProject(id)) assertRefused(reply, 404, 'control.NOT_FOUND', where);
          else if (lacks === undefined) assert.ok(reply.status !== 401 && reply.status !== 403, where);
          else assertForbidden(reply, lacks, where);
        }
      }
    });

    await refused('neither control credentials nor identities open a world route', async () => {
      const routes = [
        { method: 'GET', target: '/world/v1/tools' },
        { method: 'POST', target: '/world/v1/operations/ticket-desk/ticket.get', body: '{"arguments":{"ticketId":"TKT-1001"}}' },
        { method: 'POST', target: '/world/v1/wait', body: '{}' },
        { method: 'POST', target: '/world/mcp', body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' },
      ];
      const faces = new Set<string>();
      for (const { body, ...route } of routes) {
        for (const authorization of [
          undefined,
          'Bearer garbage',
          ...[manager, foreign.credential, expired.secret, identity, operator].map(bearer),
        ]) {
          const headers = { ...(authorization === undefined ? {} : { authorization }), 'content-type': 'application/json' };
          const reply = await exchange(baseUrl, { ...route, headers, ...(body === undefined ? {} : { body }) });
          assertRefused(reply, 401, 'control.UNAUTHENTICATED', route.target);
          faces.add(faceOf(reply));
        }
      }
      assert.equal(faces.size, 1);
      const mine = await exchange(baseUrl, {
        method: 'GET',
        target: '/world/v1/tools',
        headers: { authorization: bearer(idle.worldCredential) },
      });
      assert.equal(mine.status, 200);
    });

    await t.test('a suspended organization is refused in every row, its agents too, and has everything again afterwards', async () => {
      const before = await possessions(ground);
      const path = { organizationId: ids.organizationId as never };
      const runs = clientOf(service, operator);
      await runs.suspendOrganization({ path, body: { reason: 'unpaid' } });
      for (const id of tenantRows)
        assertRefused(await requests.send(id, { ids, authorization: bearer(manager) }), 403, 'control.ORGANIZATION_SUSPENDED', id);
      const agent = { method: 'GET', target: '/world/v1/tools', headers: { authorization: bearer(idle.worldCredential) } };
      assertRefused(await exchange(baseUrl, agent), 403, 'control.ORGANIZATION_SUSPENDED', 'an agent');
      assert.equal((await requests.send('getMe', { ids, authorization: bearer(third.credential) })).status, 200);
      await runs.resumeOrganization({ path });
      assert.equal((await exchange(baseUrl, agent)).status, 200);
      assert.deepEqual(await possessions(ground), {
        ...(before as object),
        audit: ((await possessions(ground)) as { audit: string }).audit,
      });
    });

    // What follows is decided behind the server, the same behind either: it is asked of the first.
    if (engine !== engines[0]) return await over();

    await refused('a grant opens its project, its project only, and nothing of the organization', async () => {
      for (const [role, secret] of granted) {
        const authorization = bearer(secret);
        for (const id of tenantIds) {
          const where = `granted ${role} ${id}`;
          if (!inProject(id)) {
            const lacks = neededBy(id)[0];
            if (lacks !== undefined) assertForbidden(await requests.send(id, { ids, authorization }), lacks, where);
            continue;
          }
          const lacks = neededBy(id).find((needed) => !authoritiesOf[role].has(needed));
          if (lacks !== undefined) assertForbidden(await requests.send(id, { ids, authorization }), lacks, where);
          const elsewhere = await requests.send(id, { ids: { ...ids, projectId: second.projectId }, authorization });
          const nowhere = await requests.send(id, { ids: { ...ids, projectId: never.projectId as string }, authorization });
          assertRefused(elsewhere, 404, 'control.NOT_FOUND', where);
          assert.equal(faceOf(elsewhere), faceOf(nowhere), where);
        }
        const { items } = (await requests.send('listProjects', { ids, authorization })).json as { items: { projectId: string }[] };
        assert.deepEqual(
          items.map((one) => one.projectId),
          [projectId],
        );
      }
    });

    await refused('what is of another organization, or of another project, is what never was', async () => {
      const callers = [
        { who: 'a foreign manager', authorization: bearer(foreign.credential), own: foreign },
        { who: 'a foreign manager of a third organization', authorization: bearer(third.credential), own: third },
        { who: 'the own manager from another project', authorization: bearer(manager), own: second },
      ];
      for (const { who, authorization, own } of callers) {
        for (const id of tenantIds.filter((one) => idsIn(ruleOf(one).path).length > 0)) {
          const named = idsIn(ruleOf(id).path);
          const [theirs, nothing] = [{ ...ids }, { ...never }];
          const places: [Ids, Ids][] = [];
          if (who.startsWith('a foreign')) places.push([theirs, nothing]);
          if (inProject(id) && named.length > 1) {
            // In the caller's own project; and with everything but the last id its own.
            const last = named.findLast((name) => name !== 'revision') as string;
            places.push([
              { ...theirs, projectId: own.projectId },
              { ...nothing, projectId: own.projectId },
            ]);
            places.push([theirs, nothing].map((one) => textIds({ ...one, ...own, [last]: one[last] })) as [Ids, Ids]);
          }
          for (const [real, unreal] of places) {
            // The tool library is open to all.
            if (JSON.stringify(named.map((name) => real[name])) === JSON.stringify(named.map((name) => unreal[name]))) continue;
            const [reply, control] = [
              await requests.send(id, { ids: real, authorization }),
              await requests.send(id, { ids: unreal, authorization }),
            ];
            assertRefused(reply, 404, 'control.NOT_FOUND', `${who}: ${id}`);
            assert.equal(faceOf(reply), faceOf(control), `${who}: ${id}`);
            const reported = named.filter((name) => name !== 'revision' && String(reply.bytes).includes(real[name] as string));
            assert.deepEqual(reported, [], `${who}: ${id}`);
          }
        }
      }
    });

    await refused('each organization is to each other what never was, whichever way one looks', async () => {
      const tenants = [
        { credential: manager, own: { ...ids, organizationId: ids.organizationId } as Ids },
        { credential: foreign.credential, own: textIds(foreign) },
        { credential: third.credential, own: textIds(third) },
      ];
      let asked = 0;
      for (const { credential } of tenants) {
        for (const { own } of tenants.filter((one) => one.credential !== credential)) {
          for (const id of tenantIds) {
            const named = idsIn(ruleOf(id).path);
            if (named.length === 0 || named.some((name) => own[name] === undefined)) continue;
            asked++;
            const reply = await requests.send(id, { ids: { ...ids, ...own }, authorization: bearer(credential) });
            assertRefused(reply, 404, 'control.NOT_FOUND', id);
          }
        }
      }
      // Every row with an id from the first one's side, and those of a small project from the other two.
      assert.ok(asked > 3 * tenantIds.length, String(asked));
    });

    await t.test('the operator opens every row of the operator, whichever organization it is about, and no other', async () => {
      const about = { ...ids, organizationId: third.organizationId };
      for (const id of operatorIds.filter((one) => ruleOf(one).method === 'GET')) {
        for (const of of [about, ids]) {
          const reply = await requests.send(id, { ids: of, authorization: bearer(operator) });
          // One machine is no cluster, and says so to its operator alone.
          assert.equal(reply.status, id === 'getCluster' ? 409 : 200, `${id}: ${JSON.stringify(reply.json)}`);
        }
      }
      // Of the right organization only: a member or credential of one is not one of another.
      for (const id of operatorIds.filter((one) => /\{(userId|credentialId)\}/.test(ruleOf(one).path))) {
        const body = /^(remove|revoke)/.test(id) ? { confirm: 'x' } : { role: 'viewer' };
        assertRefused(await requests.send(id, { ids: about, authorization: bearer(operator), body }), 404, 'control.NOT_FOUND', id);
        const nobody = { ...ids, organizationId: never.organizationId as string };
        assertRefused(await requests.send(id, { ids: nobody, authorization: bearer(operator), body }), 404, 'control.NOT_FOUND', id);
      }
    });

    await t.test('what lies in another resource is found below its own only', async () => {
      const { environmentId } = (await ground.client.createEnvironment({ path: { projectId }, body: { name: 'beside' } })).environment;
      const { authoringSessionId } = (await ground.client.createAuthoringSession({ path: { projectId }, body: { author: 'manual' } }))
        .session;
      const cases: [EndpointId, Ids][] = [
        ['startRun', { ...ids, environmentId }],
        ['getAuthoringProposal', { ...ids, authoringSessionId }],
        ['publishAuthoringProposal', { ...ids, authoringSessionId }],
        ['putAttachmentContent', { ...ids, hostedRunId: ground.also.hostedRunId }],
        ['completeAttachment', { ...ids, hostedRunId: ground.also.hostedRunId }],
        ['getSourceArchive', { ...ids, revision: '2' }],
        ['getDatasetRevision', { ...ids, revision: '2' }],
      ];
      for (const [id, about] of cases)
        assertRefused(await requests.send(id, { ids: about, authorization: bearer(manager) }), 404, 'control.NOT_FOUND', id);
    });

    await t.test('the same source is a build of its own in each organization', async () => {
      const { projectId: own, client } = foreign;
      const about = { ...ids, projectId: own, buildHash: ground.also.buildHash };
      const authorization = bearer(foreign.credential);
      for (const id of ['getBuild', 'getBuildWorld'] as const)
        assertRefused(await requests.send(id, { ids: about, authorization }), 404, 'control.NOT_FOUND', id);
      const { buildHash, sourceDraft } = await builtWorld(client, own, 'small-world');
      assert.equal(buildHash, about.buildHash);
      const { build } = await client.getBuild({ path: { projectId: own, buildHash } });
      assert.deepEqual(
        [build.organizationId, build.projectId, build.source?.sourceDraftId],
        [foreign.organizationId, own, sourceDraft.sourceDraftId],
      );
      const { build: theirs } = await ground.client.getBuild({ path: { projectId, buildHash } });
      assert.deepEqual([theirs.organizationId, theirs.source?.sourceDraftId], [ids.organizationId, ids.sourceDraftId]);
    });

    await t.test('no list of another organization or project has anything of it', async () => {
      const secrets = Object.entries(ids).filter(([name]) => name !== 'revision' && name !== 'libraryEntryId');
      for (const id of lists) {
        if (inProject(id) && idsIn(ruleOf(id).path).length > 1) continue;
        const places: [string, Ids, Set<string>][] = [[bearer(foreign.credential), { ...ids, projectId: foreign.projectId }, new Set()]];
        if (inProject(id)) places.push([bearer(manager), { ...ids, projectId: second.projectId }, new Set(['organizationId'])]);
        for (const [authorization, about, expected] of places) {
          const reply = await requests.send(id, { ids: about, authorization });
          assert.equal(reply.status, 200, `${id}: ${JSON.stringify(reply.json)}`);
          const reported = secrets
            .filter(([name, value]) => !expected.has(name) && String(reply.bytes).includes(value))
            .map(([name]) => name);
          assert.deepEqual(reported, [], id);
        }
      }
    });

    await refused('filters by what is of somebody else find as much as filters by what never was', async () => {
      const filters: [EndpointId, string, string][] = [
        ['listAuditEvents', 'projectId', 'projectId'],
        ['listSessions', 'environmentId', 'environmentId'],
        ['listSnapshots', 'sessionId', 'sessionId'],
        ['listRuns', 'sessionId', 'sessionId'],
        ['listRuns', 'environmentId', 'environmentId'],
        ['listOperations', 'resourceId', 'sessionId'],
      ];
      for (const [id, filter, name] of filters) {
        const authorization = bearer(foreign.credential);
        const about = { ...ids, projectId: foreign.projectId };
        const [real, unreal] = [ids, never].map((values) =>
          requests.send(id, { ids: about, authorization, query: `${filter}=${values[name]}` }),
        );
        assert.equal(faceOf(await real!), faceOf(await unreal!), id);
        assert.deepEqual((await real!).json, { items: [] }, id);
      }
    });

    await refused('ids inside of bodies and queries reach no further than those in paths', async () => {
      const entry = (await ground.client.getToolLibraryEntry({ path: { projectId, libraryEntryId: ids.libraryEntryId as string } })).entry;
      for (const [id, make] of namingBodies) {
        for (const [who, authorization, own] of [
          ['a foreign manager', bearer(foreign.credential), foreign],
          ['the own manager from another project', bearer(manager), second],
        ] as const) {
          const about = textIds({ ...ids, ...own });
          const [real, unreal] = [make(ids, own, entry), make(never, own, entry)];
          const [reply, control] = [
            await requests.send(id, { ids: about, authorization, ...real }),
            await requests.send(id, { ids: about, authorization, ...unreal }),
          ];
          if (id === 'advanceTime') assertRefused(reply, 409, 'control.STATE_CONFLICT', `${who}: ${id}`);
          else assertRefused(reply, 404, 'control.NOT_FOUND', `${who}: ${id}`);
          assert.equal(faceOf(reply), faceOf(control), `${who}: ${id} ${JSON.stringify(real)}`);
        }
      }
      const stranger = (await foreign.client.getMe()).credential.credentialId;
      const body = (subject: string) => ({ subject: { kind: 'credential', id: subject }, role: 'manager' });
      const [real, unreal] = [stranger, never.credentialId as string].map((one) =>
        requests.send('createGrant', { ids, authorization: bearer(manager), body: body(one) }),
      );
      assert.equal(faceOf(await real!), faceOf(await unreal!), 'a grant for a foreign credential');
      assertRefused(await real!, 404, 'control.NOT_FOUND', 'a grant for a foreign credential');
    });

    await t.test('a cursor works in its own list, for its own organization, with its own filters', async () => {
      const authorization = bearer(manager);
      const cursorOf = async (id: EndpointId, query = 'limit=1'): Promise<string | undefined> =>
        (await requests.send(id, { ids, authorization, query })).json?.nextCursor as string | undefined;
      let found = 0;
      for (const id of lists) {
        const cursor = await cursorOf(id);
        if (cursor === undefined) continue;
        found++;
        const query = `limit=1&cursor=${encodeURIComponent(cursor)}`;
        assert.equal((await requests.send(id, { ids, authorization, query })).status, 200, id);
        const own = { ...ids, projectId: foreign.projectId };
        const other = { ...ids, projectId: second.projectId };
        const stolen = await requests.send(id, { ids: own, authorization: bearer(foreign.credential), query });
        if (idsIn(ruleOf(id).path).length < 2) assertRefused(stolen, 400, 'control.CURSOR_INVALID', `${id} of another organization`);
        if (idsIn(ruleOf(id).path).length === 1)
          assertRefused(
            await requests.send(id, { ids: other, authorization, query }),
            400,
            'control.CURSOR_INVALID',
            `${id} of another project`,
          );
        for (const elsewhere of lists.filter(
          (one) => one !== id && one !== 'listState' && one !== 'listEvidence' && one !== 'listStateNamespaces',
        )) {
          assertRefused(
            await requests.send(elsewhere, { ids, authorization, query }),
            400,
            'control.CURSOR_INVALID',
            `${id} in ${elsewhere}`,
          );
        }
        for (const at of [0, cursor.length >> 1, cursor.length - 1]) {
          const forged = cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1);
          const reply = await requests.send(id, { ids, authorization, query: `cursor=${encodeURIComponent(forged)}` });
          assertRefused(reply, 400, 'control.CURSOR_INVALID', `${id} forged at ${at}`);
        }
      }
      assert.ok(found >= 8, `${found} lists had a second page`);
      const filtered = encodeURIComponent((await cursorOf('listSessions')) as string);
      assertRefused(
        await requests.send('listSessions', { ids, authorization, query: `state=ready&cursor=${filtered}` }),
        400,
        'control.CURSOR_INVALID',
        'filters',
      );
    });

    await t.test('an idempotency key is of one organization, one project and one endpoint', async () => {
      const key = newKey();
      const body = { name: 'keyed' };
      const made = await requests.send('createEnvironment', { ids, authorization: bearer(manager), key, body });
      assert.equal(made.status, 201);
      const elsewhere = await requests.send('createEnvironment', {
        ids: { ...ids, ...textIds(second) },
        authorization: bearer(manager),
        key,
        body,
      });
      const abroad = await requests.send('createEnvironment', {
        ids: { ...ids, ...textIds(foreign) },
        authorization: bearer(foreign.credential),
        key,
        body,
      });
      const other = await requests.send('createAuthoringSession', { ids, authorization: bearer(manager), key, body: { author: 'manual' } });
      for (const reply of [elsewhere, abroad, other]) {
        assert.equal(reply.status, 201, JSON.stringify(reply.json));
        assert.equal(reply.headers['idempotent-replayed'], undefined);
      }
      const again = await requests.send('createEnvironment', { ids, authorization: bearer(manager), key, body });
      assert.deepEqual([again.status, again.headers['idempotent-replayed'], again.json], [200, 'true', made.json]);
      // A key lends no authority to a caller that knows it.
      const viewer = await requests.send('createEnvironment', { ids, authorization: bearer(roles.viewer!.secret), key, body });
      assertForbidden(viewer, 'environment.manage', 'a replay by a viewer');
    });

    await t.test('a deleted project is to everybody what never was, but for its deletion, which its manager may look up', async () => {
      const path = { projectId: second.projectId };
      const { operation } = await ground.client.deleteProject({ path, body: { confirm: second.projectId } });
      await ground.client.waitForOperation({ ...path, ...operation });
      const body = { confirm: second.projectId };
      const callers = [manager, roles.viewer!.secret, granted.get('manager')!, foreign.credential];
      for (const id of tenantIds.filter(inProject)) {
        const ask = (secret: string, of: Ids): Promise<Received> =>
          requests.send(id, { ids: of, authorization: bearer(secret), ...(id === 'deleteProject' ? { body } : {}) });
        const unreal = faceOf(await ask(manager, { ...ids, projectId: never.projectId as string }));
        for (const secret of callers) {
          const gone = await ask(secret, { ...ids, ...path });
          assertRefused(gone, 404, 'control.NOT_FOUND', id);
          // Who may look up operations is shown that this one was none of it.
          if (id !== 'getOperation') assert.equal(faceOf(gone), unreal, id);
        }
      }
      const operationId = operation.operationId;
      const lookedUp = await Promise.all(
        callers.map((secret) =>
          requests
            .send('getOperation', { ids: { ...ids, ...path, operationId }, authorization: bearer(secret) })
            .then(({ status }) => status),
        ),
      );
      assert.deepEqual(lookedUp, [200, 200, 404, 404], 'only with a role in the organization');
    });

    await over();
  });
}

/** Reads of something that may not have been chosen. */
function isUnset(id: EndpointId, { status, json }: Received): boolean {
  return id === 'getSourceDatasets' && status === 404 && json?.code === 'control.NOT_FOUND';
}
