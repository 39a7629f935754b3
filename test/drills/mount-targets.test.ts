// Every kind of target gets the URL of each mount, in its environment and in its invocation alike, and what is there is the account that
// the mount is of: below paths, at host names and at ports.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { runDrills } from '../../src/index.js';
import { drill, temporaryRepositories } from './repository.js';

const repository = temporaryRepositories();
const fixture = fileURLToPath(new URL('../../../test/fixtures/mounts', import.meta.url));
const fixtureFiles = Object.fromEntries(
  readdirSync(join(fixture, 'drillyard')).map((name) => [`drillyard/${name}`, readFileSync(join(fixture, 'drillyard', name), 'utf8')]),
);

/** Makes a customer in one account of the vendor, and looks for it in both. Names below localhost lead to this machine. */
const work = `
import { request } from 'node:http';
const ask = (url, token, body) => new Promise((resolve, reject) => {
  const { host, port, pathname: path } = new URL(url);
  const headers = { host, authorization: 'Bearer ' + token, ...(body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }) };
  const sent = request({ host: '127.0.0.1', port, path, headers, method: body === undefined ? 'GET' : 'POST' }, (reply) => {
    reply.resume().on('end', () => resolve(reply.statusCode));
  });
  sent.on('error', reject).end(body);
});
export async function work(environment, invocation) {
  const { mounts } = invocation.bindings.http;
  const token = environment.SERVICE_HTTP_TOKEN;
  const [here, abroad] = [environment.SERVICE_HTTP_URL_PAY, environment.SERVICE_HTTP_URL_PAY__PAY_EU];
  if (here !== mounts.pay.url || abroad !== mounts['pay__pay-eu'].url) throw new Error(here + ' ' + abroad);
  return {
    made: await ask(abroad + '/v1/customers', token, 'email=ada%40example.com'),
    abroad: await ask(abroad + '/v1/customers/cus_1', token),
    here: await ask(here + '/v1/customers/cus_1', token),
    shape: [here, abroad].map((url) => url.replace(/\\d+$/, 'PORT').replace(/:\\d+\\//, ':PORT/')),
    isOnePort: new URL(here).port === new URL(abroad).port,
  };
}
`;
const targetsFiles = (httpMounts: string, httpUrl: string): { [path: string]: string | object } => {
  const common = { bindings: ['http'], timeoutMs: 20_000, httpMounts };
  const file = (target: { id: string }) => ({ [`drillyard/${target.id}.target.json`]: { schemaVersion: 1, target } });
  return {
    'agents/work.mjs': work,
    'agents/module.mjs': `import { work } from './work.mjs';\nexport default (invocation, { environment }) => work(environment, invocation);\n`,
    'agents/command.mjs': `import { work } from './work.mjs';
let text = '';
for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk;
console.log(JSON.stringify(await work(process.env, JSON.parse(text))));
`,
    ...file({ id: 'module', kind: 'module', module: 'agents/module.mjs', ...common } as { id: string }),
    ...file({ id: 'command', kind: 'command', executable: 'node', arguments: ['agents/command.mjs'], ...common } as { id: string }),
    ...file({ id: 'http', kind: 'http', method: 'POST', url: httpUrl, ...common } as { id: string }),
    ...file({ id: 'external', kind: 'external', ...common } as { id: string }),
  };
};
const kinds = ['module', 'command', 'http', 'external'];
const shapes: { readonly [httpMounts: string]: { shape: string[]; isOnePort: boolean } } = {
  path: { shape: ['http://127.0.0.1:PORT/~pay', 'http://127.0.0.1:PORT/~pay__pay-eu'], isOnePort: true },
  host: { shape: ['http://pay.localhost:PORT', 'http://pay__pay-eu.localhost:PORT'], isOnePort: true },
  port: { shape: ['http://127.0.0.1:PORT', 'http://127.0.0.1:PORT'], isOnePort: false },
};

for (const [httpMounts, wanted] of Object.entries(shapes))
  test(`each kind of target reaches two accounts of one vendor, its mounts by ${httpMounts}`, async () => {
    type Work = (environment: NodeJS.ProcessEnv, invocation: object) => Promise<object>;
    let workOf: Work | undefined;
    const server = createServer(async (request, response) => {
      let text = '';
      for await (const chunk of request.setEncoding('utf8')) text += chunk;
      const { environment, ...invocation } = JSON.parse(text) as { environment: NodeJS.ProcessEnv };
      const output = await workOf?.(environment, invocation).catch((error: unknown) => ({ error: String(error) }));
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(output));
    });
    after(() => server.close());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const httpUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/agent`;
    const assertion = {
      id: 'made',
      kind: 'state.count',
      packageId: 'pay',
      instanceId: 'pay-eu',
      namespace: 'customers',
      count: { equals: 1 },
    };
    const drills = kinds.map((kind) => drill(`by-${kind}`, kind, [assertion], { actorId: 'agent' }));
    const { root } = repository(
      { 'drillyard.json': { schemaVersion: 1, world: 'world.yaml' } },
      fixtureFiles,
      targetsFiles(httpMounts, httpUrl),
      ...drills,
    );
    ({ work: workOf } = (await import(pathToFileURL(join(root, 'agents', 'work.mjs')).href)) as { work: Work });
    const result = await runDrills({
      root,
      agent: (invocation, { environment }) => (workOf as Work)(environment as NodeJS.ProcessEnv, invocation) as Promise<never>,
    });
    const outputs = Object.fromEntries(
      result.drills.map(({ drillId, trials }) => [drillId, trials[0]?.attempts[0]?.result.interactions[0]?.targetResult]),
    );
    assert.equal(result.verdict, 'passed', JSON.stringify(outputs));
    for (const kind of kinds)
      assert.deepEqual(outputs[`by-${kind}`]?.output, { made: 200, abroad: 200, here: 404, ...wanted }, `${kind} ${httpMounts}`);
  });
