// Sound requests of an agent, made wrong in every way there is a mutation for, to a world whose tool has routes of its own. For all that is
// sent:
//   F1. There is an answer in time, and no bug is met.
//   F2. What the platform refuses, it refuses in the envelope or, over MCP, as an error of JSON-RPC; and the refused request is no
//       evidence.
//   F3. Everything else is an answer of the world, and evidence.
// DRILLYARD_FUZZ=10000 sends so many; DRILLYARD_SEED=any sends others; their title says how to repeat them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createBindings } from '../../src/bindings/create-bindings.js';
import { type ErrorCode, errorTable } from '../../src/contract/errors.js';
import { validateErrorEnvelope } from '../../src/contract/validate/validators.js';
import type { RouteFailure } from '../../src/http/route-failure.js';
import { createLocalWorld } from '../../src/local-world.js';
import { type Draft, mutated, mutation, written } from '../e2e/mutations.js';
import { exchange, type Received } from '../e2e/wire.js';
import fc, { seed } from '../fast-check.js';
import { engines } from '../http/fake-control.js';
import { modernMeta } from './mcp-kit.js';

const cases = Number(process.env.DRILLYARD_FUZZ ?? 400);
const root = fileURLToPath(new URL('../../../library/mailbox/conformance', import.meta.url));

type Sketch = Pick<Draft, 'method' | 'path'> & Partial<Draft>;
const mcp = (method: string, params: object, modern: boolean): Sketch => ({
  method: 'POST',
  path: '/mcp',
  headers: modern
    ? { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, 'mcp-name': 'mail_list_labels' }
    : { 'mcp-protocol-version': '2025-06-18' },
  value: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: { ...(modern ? modernMeta : {}), progressToken: 'p' } } },
});
const call = { name: 'mail_list_labels', arguments: { mailbox: 'ada@brand.example' } };
const sound: readonly Sketch[] = [
  { method: 'GET', path: '/health' },
  { method: 'GET', path: '/v1/tools' },
  { method: 'POST', path: '/v1/operations/mailbox/label.list', value: { arguments: {} } },
  { method: 'POST', path: '/v1/operations/mailbox/message.search', value: { arguments: { query: 'from:ada is:unread', limit: 5 } } },
  {
    method: 'POST',
    path: '/v1/operations/mailbox/message.send',
    value: { arguments: { to: ['bo@else.example'], subject: 'Hello', text: 'Hello.' }, idempotencyKey: 'key-1', instanceId: 'mailbox' },
  },
  { method: 'POST', path: '/v1/wait', value: {} },
  { method: 'PUT', path: '/v1/receivers/crm', value: { url: 'http://127.0.0.1:9/hooks' } },
  mcp('tools/call', call, true),
  mcp('tools/call', call, false),
  mcp('tools/list', {}, true),
  mcp('server/discover', {}, true),
  mcp('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } }, false),
  {
    method: 'GET',
    path: '/mail/v1/messages',
    query: [
      ['q', 'is:unread'],
      ['maxResults', '5'],
    ],
  },
  { method: 'GET', path: '/mail/v1/messages/m1/attachments/a1' },
  { method: 'POST', path: '/mail/v1/messages/send', value: { to: ['bo@else.example'], subject: 'Hello', text: 'Hello.' } },
  {
    method: 'POST',
    path: '/mail/v1/messages/submit',
    headers: { 'content-type': 'text/plain' },
    text: 'To: bo@else.example\r\nSubject: x\r\n\r\nx',
  },
  { method: 'PATCH', path: '/mail/v1/messages/m1/labels', value: { add: ['STARRED'], remove: [] } },
  { method: 'DELETE', path: '/mail/v1/messages/m1' },
  {
    method: 'POST',
    path: '/mail/v1/settings/vacation',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    text: 'enabled=true&text=Away',
  },
];
const anyCase = fc.record({ at: fc.nat(sound.length - 1), mutations: fc.array(mutation, { minLength: 1, maxLength: 3 }) });

/**
 * uWebSockets.js hangs up on methods that are not of RFC 9110, and on HEAD with a body; node:http may while a client still sends what is
 * refused.
 */
const mayHangUp = (error: Error): boolean => /hang up|ECONNRESET|EPIPE/.test(String(error));

for (const [index, engine] of engines.entries()) {
  const runs = Math.ceil(cases / engines.length);
  test(`${runs} requests of an agent made wrong are answered by ${engine} in good order (DRILLYARD_SEED=${seed})`, async () => {
    const { world, close } = await createLocalWorld({ root });
    const bugs: RouteFailure[] = [];
    const bindings = createBindings({ engine, onFailure: (failure) => bugs.push(failure) });
    const { endpoints } = await bindings.open({ world, actorId: 'operator', bindings: ['http', 'mcp'] });
    const { url, token } = endpoints.http ?? assert.fail();
    const sequence = async () => (await world.query({ kind: 'position' })).evidenceSequence;
    const tally = { refused: 0, answered: 0, lost: 0 };
    let before = await sequence();

    const probe = async ({ at, mutations }: { at: number; mutations: Parameters<typeof mutated>[1] }): Promise<void> => {
      const { headers = {}, query = [], value, ...sketch } = sound[at] as Sketch;
      const typed = value === undefined ? headers : { 'content-type': 'application/json', ...headers };
      const sent = written(mutated({ ...sketch, query, value, headers: { authorization: `Bearer ${token}`, ...typed } }, mutations));
      const reply = await exchange(url, sent).catch((error: Error) => {
        if (mayHangUp(error)) return undefined;
        throw error;
      });
      const where = `${sent.method} ${sent.target.slice(0, 300)} ${String(sent.body).slice(0, 300)}: ${reply?.status} ${reply?.bytes.toString().slice(0, 500)}`;
      assert.deepEqual(bugs, [], where);
      const now = await sequence();
      if (reply === undefined) tally.lost += 1;
      else if (isRefusal(reply, where)) {
        tally.refused += 1;
        assert.equal(now, before, `evidence of what was refused: ${where}`);
      } else tally.answered += 1;
      before = now;
    };
    await fc.assert(fc.asyncProperty(anyCase, probe), {
      seed: seed + index,
      numRuns: runs,
      endOnFailure: true,
      includeErrorInReport: true,
    });
    if (process.env.DRILLYARD_FUZZ_TALLY) console.log(engine, tally);
    assert.ok(tally.answered > runs / 10 && tally.refused > runs / 10 && tally.lost < runs / 10, JSON.stringify(tally));
    await bindings.close();
    await close();
  });
}

/** Of the platform; false of what the world says. */
function isRefusal({ status, headers, json }: Received, where: string): boolean {
  if (json === undefined) return false;
  if (json.jsonrpc === '2.0') {
    if (json.error === undefined) return false;
    const { code, message } = json.error as { code: number; message: string };
    assert.ok(Number.isInteger(code) && code !== -32603 && message.length > 0, where);
    // The world has been asked for it where the name is a package's and an operation's.
    return !message.startsWith('Unknown tool');
  }
  const code = json.code as ErrorCode;
  if (typeof code !== 'string' || !code.startsWith('control.')) {
    assert.ok(status < 500 || status === 503 || status === 507, where);
    return false;
  }
  assert.ok(validateErrorEnvelope(json).ok && Object.hasOwn(errorTable, code), where);
  assert.deepEqual(
    [status, json.correlationId, code === 'control.INTERNAL'],
    [errorTable[code].status, headers['x-correlation-id'], false],
    where,
  );
  return true;
}
