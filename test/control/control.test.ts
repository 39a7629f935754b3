// The whole control plane on real worlds: its first start, its next incarnations, and who may do what at every endpoint there is.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import { endpointTable } from '../../src/contract/hosted/endpoint-table.js';
import type { EndpointId, EndpointInput } from '../../src/contract/hosted/endpoints.js';
import { newId } from '../../src/contract/ids.js';
import { type Authority, authorities } from '../../src/contract/world/authority.js';
import { auditTable } from '../../src/control/catalog/audit-records.js';
import type { Caller } from '../../src/control/catalog/endpoint.js';
import type { ControlSettings } from '../../src/control/catalog/settings.js';
import { claimTable } from '../../src/control/core/idempotency.js';
import { type Control, openControl } from '../../src/control/open-control.js';
import { quietSettings } from './control-kit.js';

const dataDirectory = mkdtempSync(join(tmpdir(), 'drillyard-control-'));
const settings: ControlSettings = { ...quietSettings, dataDirectory };
const open = (): Promise<Control> => {
  const bindings = {
    available: new Set<never>(),
    httpMounts: new Set<never>(),
    open: () => Promise.reject(new Error('no agents here')),
    close: async () => {},
  };
  return openControl({ settings, bindings, log: { info: () => {}, warn: () => {}, error: () => {} } });
};
let control = await open();
const { projectId, organizationId, environmentId, buildHash } = control.first;
const secret = control.first.secret!;
after(async () => {
  await control.close(1000);
  rmSync(dataDirectory, { recursive: true, force: true });
});
const ids = Object.keys(endpointTable) as EndpointId[];
const manager = (): Caller => control.plane.authenticate(secret);

/** What the path names is not there: no test here gets as far as reading it. */
function ask(id: EndpointId, caller: Caller, { projectId: of = projectId } = {}): Promise<unknown> {
  const names = [...endpointTable[id].path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const path = names.length === 0 ? undefined : Object.fromEntries(names.map((name) => [name, name === 'projectId' ? of : 'nothing']));
  const input = { path, query: {}, body: {} } as unknown as EndpointInput<typeof id>;
  return control.plane.dispatch(id, input, { caller, correlationId: newId('corr'), idempotencyKey: newId('corr') });
}
const refusalOf = async (work: Promise<unknown>): Promise<ServiceError> => {
  const error = await work.catch((thrown: unknown) => thrown);
  assert.ok(error instanceof ServiceError, `not refused: ${JSON.stringify(error)}`);
  return error;
};
/** Has these and nothing else, in the organization and in its projects. */
const holder = (held: Iterable<Authority>): Caller => {
  const set = new Set(held);
  // A role stands for what it holds in the organization; there it is all or nothing.
  return { ...manager(), role: null, authoritiesIn: (of) => (of === projectId ? set : new Set()) };
};

test('the first start leaves an environment with the example build, and a manager', async () => {
  const { plane } = control;
  const context = { caller: manager(), correlationId: 'corr_1' };
  const { reply } = await plane.dispatch(
    'getEnvironment',
    { path: { projectId, environmentId: environmentId as never }, query: undefined, body: undefined },
    context,
  );
  assert.deepEqual([reply.environment.buildHash, reply.environment.state], [buildHash, 'active']);
  const { reply: build } = await plane.dispatch(
    'getBuild',
    { path: { projectId, buildHash: buildHash as never }, query: undefined, body: undefined },
    context,
  );
  assert.equal(build.build.buildHash, buildHash);
});

test('the next incarnation is the same place', async () => {
  await control.first.markShown();
  await control.close(1000);
  control = await open();
  const { markShown: _, ...first } = control.first;
  assert.deepEqual(first, { organizationId, projectId, environmentId, buildHash });
  assert.equal(manager().organizationId, organizationId);
  // Hosts start with the first message to a world.
  const { worlds, hosts, catalogCommits } = await control.figures();
  assert.deepEqual([worlds, hosts.length], [0, 0]);
  assert.ok(catalogCommits >= 0);
});

/** What refusals must not leave behind. */
function kept(): number[] {
  const { view } = control.plane.services.catalog;
  const claims = view.list(claimTable, { index: 'byTime', prefix: [], limit: 1000 });
  const events = view.list(auditTable, { index: 'byOrganization', prefix: [organizationId], limit: 1000 });
  return [claims.records.length, events.records.length];
}

for (const id of ids) {
  const { authority, path } = endpointTable[id];
  const unnamed = ['authenticated', 'identity', 'operator'];
  const needed = unnamed.includes(authority as string) ? [] : ([authority].flat() as Authority[]);
  const ofProject = path.includes('{projectId}');

  test(`${id}: refused without its authority, for every caller`, async () => {
    const before = kept();
    const speakers: { [kind: string]: Caller } = {
      control: manager(),
      identity: { ...manager(), credentialId: '', identity: { issuer: 'i', subject: 's' } },
      operator: { ...manager(), credentialId: 'operator', operator: true },
    };
    const own = authority === 'identity' || authority === 'operator' ? authority : 'control';
    for (const [kind, caller] of Object.entries(speakers))
      if (kind !== own) assert.equal((await refusalOf(ask(id, caller))).code, 'control.UNAUTHENTICATED', kind);
    if (ofProject) {
      const missing = await refusalOf(ask(id, manager(), { projectId: 'prj_000000000000' }));
      for (const nobody of [holder([]), { ...manager(), organizationId: 'org_000000000000', authoritiesIn: () => new Set<Authority>() }]) {
        const refusal = await refusalOf(ask(id, nobody));
        assert.deepEqual([refusal.code, refusal.message, refusal.extra], [missing.code, missing.message, missing.extra]);
        assert.equal(refusal.code, 'control.NOT_FOUND');
      }
    }
    for (const one of needed) {
      const rest = authorities.filter((other) => other !== one);
      const refusal = await refusalOf(ask(id, ofProject ? holder(rest) : { ...manager(), role: null }));
      assert.deepEqual([refusal.code, refusal.extra.details], ['control.FORBIDDEN', { required: ofProject ? one : needed[0]! }]);
    }
    assert.deepEqual(kept(), before, 'a refusal leaves nothing');
  });
}
