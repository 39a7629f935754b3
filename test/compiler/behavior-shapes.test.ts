// Every shape in which a behavior module may give its behavior, in every kind of file: each answers a call and a wire route.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBindings } from '../../src/bindings/create-bindings.js';
import { createLocalWorld } from '../../src/index.js';
import { folder } from './repository.js';

const body = `{
  operations: { ping: (input) => ({ pong: input.n }) },
  http: { ping: { decode: ({ path }) => ({ arguments: { n: path.n } }), encode: ({ outcome }) => ({ body: { kind: 'json', value: outcome.value } }) } },
}`;
const shapes: { [file: string]: string } = {
  'behavior.ts': `import { defineToolBehavior } from 'other-sdk';\nexport default defineToolBehavior(${body} as never);\n`,
  'behavior.mts': `export default ${body} as never;\n`,
  'behavior.mjs': `import { defineTool } from 'drillyard/tool-sdk';\nexport default defineTool({ manifest: {}, behavior: ${body} });\n`,
  'behavior.js': `const behavior = ${body};\nexport { behavior as default };\n`,
  'behavior.cjs': `module.exports = ${body};\n`,
  'lib/index.js': `export default { behavior: ${body} };\n`,
};

test('a behavior is what the default export gives, wrapped or not, in TypeScript, ES or CommonJS', async (t) => {
  const bindings = createBindings();
  t.after(() => bindings.close());
  for (const [file, text] of Object.entries(shapes)) {
    const operation = { id: 'ping', inputSchema: true, outputSchema: true, idempotency: 'none', fidelity: 'exact' };
    const route = { id: 'ping', operationId: 'ping', method: 'GET', path: '/ping/{n}', auth: { kind: 'bearer' }, requestBody: 'none' };
    const root = folder(t, {
      'drillyard.json': '{ "schemaVersion": 1, "compat": { "toolSdk": ["other-sdk"] } }',
      'drillyard/world.yaml': 'schemaVersion: 1\nid: w\nactors: [{ id: agent, grants: [{ packageId: pinger, operationId: ping }] }]\n',
      'drillyard/pinger.tool.json': JSON.stringify({
        schemaVersion: 1,
        module: file.replace('/index.js', ''),
        manifest: {
          schemaVersion: 1,
          id: 'pinger',
          version: '1.0.0',
          engine: '*',
          operations: [operation],
          http: [{ ...route, response: { successStatus: 200, errors: [] } }],
        },
      }),
      [`drillyard/${file}`]: text,
    });
    const local = await createLocalWorld({ root });
    try {
      const { outcome } = await local.call({ actorId: 'agent', packageId: 'pinger', operationId: 'ping', arguments: { n: 1 } });
      assert.deepEqual(outcome, { kind: 'ok', value: { pong: 1 } }, file);
      const { url, token } =
        (await bindings.open({ world: local.world, actorId: 'agent', bindings: ['http'] })).endpoints.http ?? assert.fail();
      const reply = await fetch(`${url}/ping/two`, { headers: { authorization: `Bearer ${token}` } });
      assert.deepEqual(await reply.json(), { pong: 'two' }, file);
    } finally {
      await local.close();
    }
  }
});
