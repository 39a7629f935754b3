// One rule says which actor a name means, at each door that takes a name: the compiler, a world, and the binding of an agent. The door of
// the hosted service is in test/control/session-refusals.test.ts.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createBindings } from '../../src/bindings/create-bindings.js';
import { compileProject } from '../../src/compiler/compile.js';
import { ServiceError } from '../../src/contract/errors.js';
import { createLocalWorld, type LocalWorld } from '../../src/index.js';
import { createRepository, drill, moduleAgent, written } from '../drills/repository.js';

const grant = (operationId: string) => ({ packageId: 'notes', operationId });
const wait = { packageId: 'world', operationId: 'clock.wait' };
/** By what each is granted one can tell them apart. The first of the namesakes may wait. */
const actors = [
  { id: 'sole', instanceId: 'one', grants: [grant('note.write')] },
  { id: 'pair', instanceId: 'north', grants: [grant('note.get'), wait] },
  { id: 'pair', instanceId: 'south', grants: [grant('note.remind')] },
  { id: 'mixed', instanceId: 'north', grants: [grant('note.get'), wait] },
  { id: 'mixed', grants: [grant('note.break-later')] },
];
type Case = [actorId: string, actorInstanceId: string | undefined, means: { tool: string; mayWait: boolean } | string];
const cases: Case[] = [
  ['sole', undefined, { tool: 'note.write', mayWait: false }],
  ['sole', 'one', { tool: 'note.write', mayWait: false }],
  ['sole', 'two', "actor 'sole' has no instance 'two'"],
  ['pair', 'north', { tool: 'note.get', mayWait: true }],
  ['pair', 'south', { tool: 'note.remind', mayWait: false }],
  ['pair', undefined, "there are 2 actors 'pair'; say which instance"],
  ['mixed', undefined, { tool: 'note.break-later', mayWait: false }],
  ['mixed', 'north', { tool: 'note.get', mayWait: true }],
  ['nobody', undefined, "there is no actor 'nobody'"],
  ['nobody', 'north', "there is no actor 'nobody'"],
];
const nameOf = ([actorId, actorInstanceId]: Case) => ({ actorId, ...(actorInstanceId === undefined ? {} : { actorInstanceId }) });

const files = { ...moduleAgent('agent', ''), 'drillyard/world.json': { schemaVersion: 1, id: 'test', actors } };
const repository = createRepository(files);
const bindings = createBindings();
let local: LocalWorld;
before(async () => {
  local = await createLocalWorld({ root: repository.root });
});
after(async () => {
  await local.close();
  await bindings.close();
  repository.remove();
});

test('the compiler refuses the names that mean no actor, and says why', async () => {
  const drills = cases.map((one, index) => drill(`d${index}`, 'agent', [written({ equals: 0 })], { ...nameOf(one), actorId: one[0] }));
  const { root, remove } = createRepository(Object.assign({}, files, ...drills));
  const { diagnostics } = await compileProject({ root });
  remove();
  const said = new Map(diagnostics.map(({ code, file, message }) => [file, `${code} ${message}`]));
  for (const [index, [, , means]] of cases.entries()) {
    const expected = typeof means === 'string' ? `DY3010 ${means}` : undefined;
    assert.equal(said.get(`drillyard/d${index}.drill.json`), expected, JSON.stringify(cases[index]));
  }
});

// PERSONA-1, PERSONA-2, PERSONA-3
test('a world and the binding of an agent mean the same actor, and refuse the same names', async () => {
  for (const one of cases) {
    const [actorId, actorInstanceId, means] = one;
    const access = await bindings.open({ world: local.world, ...nameOf(one), bindings: ['http'] });
    const { url, token } = access.endpoints.http ?? assert.fail('no http endpoint');
    const reply = await fetch(`${url}/v1/tools`, { headers: { authorization: `Bearer ${token}` } });
    const body = (await reply.json()) as { tools: { operationId: string }[]; mayWait: boolean; code: string };
    if (typeof means === 'string') {
      const refused = (error: unknown) =>
        error instanceof ServiceError && error.code === 'control.INVALID_REQUEST' && error.message.includes(means);
      await assert.rejects(local.tools(actorId, actorInstanceId), refused, JSON.stringify(one));
      assert.deepEqual([reply.status, body.code], [400, 'control.INVALID_REQUEST'], JSON.stringify(one));
    } else {
      const tools = (await local.tools(actorId, actorInstanceId)).map(({ operationId }) => operationId);
      assert.deepEqual(tools, [means.tool], JSON.stringify(one));
      assert.deepEqual([body.tools.map(({ operationId }) => operationId), body.mayWait], [tools, means.mayWait], JSON.stringify(one));
    }
    await access.revoke();
  }
});
