// What a client wants and no wire route answers: reported in the report of the attempt, and nowhere in its evidence.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createBindings } from '../../src/bindings/create-bindings.js';
import { limits } from '../../src/contract/limits.js';
import type { RunReport } from '../../src/contract/run/run-events.js';
import { runDrills } from '../../src/index.js';
import { verifyReport } from '../../src/reports/verify-report.js';
import { createWire, openWireWorlds } from '../bindings/wire-kit.js';

const fixture = fileURLToPath(new URL('../../../test/fixtures/wire', import.meta.url));
const agent = (wants: boolean): string => `export default async (_, { binding }) => {
  const { url, token } = binding.http;
  const authorization = 'Bearer ' + token;
  await fetch(url + '/notes/a', { headers: { authorization } });
  if (!${wants}) return;
  for (let k = 0; k < 2; k++) await fetch(url + '/calendars/primary/acl?key=hidden', { headers: { authorization } });
  await fetch(url + '/notes/a', { method: 'DELETE', headers: { authorization } });
  await fetch(url + '/notes/a', { headers: { authorization: 'Bearer another' } });
  await fetch(url + '/bot' + token + '/send', { method: 'POST' });
};
`;
const drill = `schemaVersion: 1
id: wants
targetId: client
actorId: agent
task: { instruction: Look. }
assertions:
  - { id: asked, kind: operation.count, operation: { packageId: probe, operationId: note.get }, count: { equals: 1 } }
`;

// UNANSWERED-REQUESTS-1, UNANSWERED-REQUESTS-2
test('requests that no route answered are in the report, without secrets, and change no hash', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'drillyard-unanswered-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  cpSync(fixture, root, { recursive: true });
  mkdirSync(join(root, 'drillyard/drills'));
  writeFileSync(
    join(root, 'drillyard/client.target.yaml'),
    'schemaVersion: 1\ntarget: { id: client, kind: module, module: agent.mjs, bindings: [http], timeoutMs: 10000 }\n',
  );
  writeFileSync(join(root, 'drillyard/drills/wants.drill.yaml'), drill);
  const reportOf = async (agentWants: boolean) => {
    writeFileSync(join(root, 'agent.mjs'), agent(agentWants));
    const { drills } = await runDrills({ root });
    const folder = join(root, drills[0]?.trials[0]?.attempts[0]?.report ?? '');
    return { folder, report: JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as RunReport };
  };
  const wants = await reportOf(true);
  const asks = await reportOf(false);
  assert.deepEqual(wants.report.unanswered, {
    requests: [
      { method: 'GET', path: '/calendars/primary/acl', status: 404, times: 2 },
      { method: 'DELETE', path: '/notes/a', status: 405, times: 1 },
      { method: 'GET', path: '/notes/a', status: 401, times: 1 },
      { method: 'POST', path: '/[redacted]/send', status: 404, times: 1 },
    ],
    left: 0,
  });
  assert.equal(asks.report.unanswered, undefined);
  assert.equal(wants.report.result.evidenceHash, asks.report.result.evidenceHash);
  assert.doesNotMatch(readFileSync(join(wants.folder, 'evidence.jsonl'), 'utf8'), /acl/);
  assert.match(
    readFileSync(join(wants.folder, 'report.txt'), 'utf8'),
    /Requests that no route answered\n {2}GET {4}\/calendars\/primary\/acl {2}404 {2}2 times\n/,
  );
  assert.match(readFileSync(join(wants.folder, 'index.html'), 'utf8'), /GET \/calendars\/primary\/acl/);
  assert.equal((await verifyReport(wants.folder)).ok, true);
});

// UNANSWERED-REQUESTS-2
test('an access keeps a bounded list of them', async (t) => {
  const worlds = await openWireWorlds('unanswered');
  t.after(() => worlds.close());
  const bindings = createBindings();
  t.after(() => bindings.close());
  const access = await bindings.open({ world: await createWire(worlds), actorId: 'agent', bindings: ['http'] });
  const { url } = access.endpoints.http ?? assert.fail('no http endpoint');
  assert.equal(access.unanswered(), undefined);
  for (let k = 0; k < limits.unansweredRequestsMax + 3; k++) await fetch(`${url}/none/${k}`);
  assert.deepEqual([access.unanswered()?.requests.length, access.unanswered()?.left], [limits.unansweredRequestsMax, 3]);
});
