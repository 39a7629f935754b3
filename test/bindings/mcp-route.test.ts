// MCP on the wire: what each revision is answered, byte for byte, and what is refused how.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import { validateErrorEnvelope } from '../../src/contract/validate/validators.js';
import { failureIn, listTool, mcpEndpoints, metaKey, modernMeta, ticketTool, version } from './mcp-kit.js';

const open = mcpEndpoints();
const info = `{"name":"drillyard","version":"${version}"}`;
const modernTail = (meta = ''): string => `"resultType":"complete","_meta":{${meta}"io.modelcontextprotocol/serverInfo":${info}}}}`;
const callText =
  '"content":[{"type":"text","text":"{\\"done\\":true}"}],"structuredContent":{"done":true},"_meta":{"drillyard/callId":"call_0000000000000000","drillyard/correlationId":"corr_0000000000000000"';
const tools =
  '{"name":"desk_ticket_close","description":"Closes a ticket.","inputSchema":{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"],"additionalProperties":false},"outputSchema":{"type":"object","properties":{"done":{"type":"boolean"}},"required":["done"],"additionalProperties":false},"_meta":{"drillyard/operation":{"packageId":"desk","instanceId":"desk","operationId":"ticket.close","idempotency":"optional"}}},' +
  '{"name":"desk_ticket_list","description":"The operation ticket.list of desk.","inputSchema":{"type":"object","additionalProperties":false},"outputSchema":{"type":"object","properties":{"value":{"type":"array","items":{"type":"string"}}},"required":["value"],"additionalProperties":false},"_meta":{"drillyard/operation":{"packageId":"desk","instanceId":"desk","operationId":"ticket.list","idempotency":"none"}}}';

// MCP-REVISIONS-1
test('2026-07-28: every request says who it is, and every result what it is', async () => {
  const { modern, reported } = await open();
  const discover = await modern('server/discover');
  assert.equal(discover.status, 200);
  assert.equal(discover.headers.get('content-type'), 'application/json; charset=utf-8');
  assert.equal(
    discover.text,
    `{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":300000,"cacheScope":"public",${modernTail()}`,
  );
  assert.equal(
    (await modern('tools/list')).text,
    `{"jsonrpc":"2.0","id":1,"result":{"tools":[${tools}],"ttlMs":300000,"cacheScope":"private",${modernTail()}`,
  );
  const called = await modern('tools/call', {
    name: 'desk.ticket.close',
    arguments: { id: 1 },
    _meta: { 'drillyard/idempotencyKey': 'k' },
  });
  const [callMeta] = [callText.slice(callText.indexOf('"_meta":{') + '"_meta":{'.length)];
  assert.equal(
    called.text,
    `{"jsonrpc":"2.0","id":1,"result":{${callText.slice(0, callText.indexOf('"_meta"'))}"_meta":{${callMeta},"io.modelcontextprotocol/serverInfo":${info}},"resultType":"complete"}}`,
  );
  assert.deepEqual(reported.asked.at(-1), {
    kind: 'call',
    actorId: 'agent',
    packageId: 'desk',
    operationId: 'ticket.close',
    instanceId: 'desk',
    arguments: { id: 1 },
    idempotencyKey: 'k',
  });
});

for (const revision of ['2025-11-25', '2025-06-18']) {
  // MCP-REVISIONS-1
  test(`${revision}: the handshake is answered and forgotten`, async () => {
    const { legacy, post } = await open();
    const opened = await legacy('initialize', { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'c', version: '1' } });
    assert.equal(
      opened.text,
      `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"${revision}","capabilities":{"tools":{}},"serverInfo":${info}}}`,
    );
    assert.equal(opened.headers.get('mcp-session-id'), null);
    const note = await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, { 'mcp-protocol-version': revision });
    assert.deepEqual([note.status, note.text, note.headers.get('content-type')], [202, '', null]);
    assert.equal((await legacy('ping', {}, revision)).text, '{"jsonrpc":"2.0","id":1,"result":{}}');
    assert.equal((await legacy('tools/list', {}, revision)).text, `{"jsonrpc":"2.0","id":1,"result":{"tools":[${tools}]}}`);
    const called = await legacy('tools/call', { name: 'desk.ticket.close', arguments: { id: 1 } }, revision);
    assert.equal(called.text, `{"jsonrpc":"2.0","id":1,"result":{${callText}}}}`);
    assert.deepEqual(failureIn(await legacy('prompts/list', {}, revision)), [200, -32601, 1]);
    assert.deepEqual(failureIn(await legacy('server/discover', {}, revision)), [200, -32601, 1]);
  });
}

test('a revision that is not served is offered the newest of the handshake', async () => {
  const { legacy, post } = await open();
  for (const protocolVersion of ['2024-11-05', '2025-03-26', '2026-07-28', 'x']) {
    const { result } = JSON.parse((await legacy('initialize', { protocolVersion })).text);
    assert.equal(result.protocolVersion, '2025-11-25');
  }
  assert.deepEqual(failureIn(await legacy('initialize')), [200, -32602, 1]);
  const headerOnly = await post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, { 'mcp-protocol-version': '1999-01-01' });
  assert.deepEqual(failureIn(headerOnly), [400, -32022, 1]);
  assert.deepEqual(JSON.parse(headerOnly.text).error.data, { supported: ['2026-07-28'], requested: '1999-01-01' });
  assert.equal((await post({ jsonrpc: '2.0', id: 'a', method: 'ping' })).text, '{"jsonrpc":"2.0","id":"a","result":{}}');
});

// MCP-REVISIONS-2
test('2026-07-28: headers and body must agree, in the order of the checks', async () => {
  const { modern, post, reported } = await open();
  const call = { name: 'desk.ticket.close', arguments: { id: 1 } };
  const claim = (value: string) => ({ _meta: { [metaKey('protocolVersion')]: value } });
  const cases: [Promise<Parameters<typeof failureIn>[0]>, number, number][] = [
    [modern('tools/list', claim('v999.0.0')), 400, -32020],
    [modern('tools/list', claim('v999.0.0'), { 'mcp-protocol-version': 'v999.0.0' }), 400, -32022],
    [modern('tools/list', claim('2025-11-25'), { 'mcp-protocol-version': '2025-11-25' }), 400, -32022],
    [post({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: modernMeta } }, { 'mcp-method': 'tools/list' }), 400, -32020],
    [modern('tools/list', {}, { 'mcp-method': 'TOOLS/LIST' }), 400, -32020],
    [modern('tools/list', {}, { 'mcp-method': 'tools/call' }), 400, -32020],
    [
      post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }),
      400,
      -32602,
    ],
    [modern('tools/list', { _meta: { [metaKey('clientCapabilities')]: null } }), 400, -32602],
    [modern('initialize', { protocolVersion: '2025-11-25' }), 404, -32601],
    [modern('ping'), 404, -32601],
    [modern('logging/setLevel'), 404, -32601],
    [modern('tools/call', call, { 'mcp-name': 'desk.ticket.open' }), 400, -32020],
    [modern('tools/call', call, { 'mcp-name': '=?base64?ZGVzay50aWNrZXQuY2xvc2?=' }), 400, -32020],
  ];
  for (const [reply, status, code] of cases) assert.deepEqual(failureIn(await reply), [status, code, 1]);
  assert.deepEqual(
    reported.asked.filter(({ kind }) => kind === 'call'),
    [],
  );
  const encoded = `=?base64?${Buffer.from(call.name).toString('base64')}?=`;
  for (const name of [encoded, `  ${call.name}\t`]) assert.equal((await modern('tools/call', call, { 'mcp-name': name })).status, 200);
});

test('what is no message is a JSON-RPC error with 400, with the id where it can be read', async () => {
  const { post } = await open();
  const cases: [unknown, number, unknown][] = [
    ['{', -32700, undefined],
    ['\u00ff', -32700, undefined],
    [[{ jsonrpc: '2.0', id: 1, method: 'ping' }], -32600, undefined],
    ['null', -32600, undefined],
    [{ id: 3, method: 'ping' }, -32600, 3],
    [{ jsonrpc: '2.0', id: 3 }, -32600, 3],
    [{ jsonrpc: '2.0', id: null, method: 'ping' }, -32600, undefined],
    [{ jsonrpc: '2.0', id: 1.5, method: 'ping' }, -32600, undefined],
    [{ jsonrpc: '2.0', id: 3, method: 'ping', params: [] }, -32602, 3],
    [{ jsonrpc: '2.0', id: 3, method: 'ping', params: { _meta: 1 } }, -32602, 3],
  ];
  for (const [body, code, id] of cases) assert.deepEqual(failureIn(await post(body)), [400, code, id], JSON.stringify(body));
  assert.equal((await post({ jsonrpc: '2.0', id: 7, result: {} })).status, 202);
  const response = await post({ jsonrpc: '2.0', id: 7, result: {} }, { 'mcp-protocol-version': '2026-07-28' });
  assert.deepEqual(failureIn(response), [400, -32600, 7]);
});

test('what is wrong with the HTTP request is reported in the envelope, and reaches no world', async () => {
  const { access, post, reported } = await open();
  const { url, token } = access.endpoints.mcp ?? assert.fail();
  const ping = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const authorization = `Bearer ${token}`;
  const cases: [Promise<{ status: number; headers: Headers; text: string | Promise<string> }>, number, string][] = [
    [post(ping, { authorization: 'Bearer wrong' }), 401, 'control.UNAUTHENTICATED'],
    [post(ping, { authorization: '' }), 401, 'control.UNAUTHENTICATED'],
    [post(ping, { origin: 'http://evil.example' }), 403, 'control.ORIGIN_REJECTED'],
    [post(ping, { 'content-type': 'text/plain' }), 415, 'control.UNSUPPORTED_MEDIA_TYPE'],
    [post(JSON.stringify({ ...ping, params: { x: 'x'.repeat(1024 * 1024) } })), 413, 'control.PAYLOAD_TOO_LARGE'],
    ...['GET', 'DELETE'].map((method): [Promise<{ status: number; headers: Headers; text: Promise<string> }>, number, string] => [
      fetch(url, { method, headers: { authorization } }).then((reply) => ({
        status: reply.status,
        headers: reply.headers,
        text: reply.text(),
      })),
      405,
      'control.METHOD_NOT_ALLOWED',
    ]),
  ];
  for (const [sent, status, code] of cases) {
    const reply = await sent;
    const envelope = validateErrorEnvelope(JSON.parse(await reply.text));
    assert.ok(envelope.ok && envelope.value.code === code, code);
    assert.equal(reply.status, status);
    if (status === 405) assert.equal(reply.headers.get('allow'), 'POST');
  }
  const challengeTo = async (sent: string) => (await post(ping, { authorization: sent })).headers.get('www-authenticate');
  assert.equal(await challengeTo(''), 'Bearer realm="drillyard"');
  assert.equal(await challengeTo('Bearer wrong'), 'Bearer realm="drillyard", error="invalid_token"');
  assert.deepEqual(reported.asked, []);
  await access.revoke();
  assert.equal((await post(ping)).status, 401);
});

test('outcomes that are no success are results with isError, and refusals are errors with the code', async () => {
  const { legacy, modern, reported } = await open();
  const call = { name: 'desk.ticket.close', arguments: { id: 1 } };
  reported.outcome = { kind: 'tool_error', error: { code: 'CLOSED', message: 'It is closed.', retryable: false } };
  const { result } = JSON.parse((await legacy('tools/call', call)).text);
  assert.deepEqual(
    [result.isError, result.structuredContent, JSON.parse(result.content[0].text)],
    [true, undefined, { kind: 'tool_error', error: { code: 'CLOSED', message: 'It is closed.', retryable: false } }],
  );
  reported.outcome = { kind: 'denied', error: { code: 'NOT_GRANTED', message: 'No.', retryable: false } };
  // Of a tool that is not listed the world is asked all the same: an attempt without the right to it leaves evidence of it.
  const denied = JSON.parse((await modern('tools/call', { name: 'desk.ticket.delete__desk-two', arguments: {} })).text);
  assert.equal(denied.result.isError, true);
  assert.deepEqual(reported.asked.at(-1), {
    kind: 'call',
    actorId: 'agent',
    packageId: 'desk',
    instanceId: 'desk-two',
    operationId: 'ticket.delete',
    arguments: {},
  });
  reported.outcome = { kind: 'unsupported', error: { code: 'UNKNOWN_OPERATION', message: 'None.', retryable: false } };
  for (const name of ['desk.none', 'none', 'No Name', '']) {
    assert.deepEqual(failureIn(await legacy('tools/call', { name })), [200, -32602, 1]);
  }
  // What no package and no operation could be called is not asked for.
  const asked = reported.asked.length;
  for (const name of [7, 'http://127.0.0.1/x', 'Desk.none', 'desk.None'])
    assert.deepEqual(failureIn(await legacy('tools/call', { name })), [200, -32602, 1]);
  assert.equal(reported.asked.length, asked);
  assert.deepEqual(failureIn(await legacy('tools/call', { name: 'desk.ticket.close', arguments: [] })), [200, -32602, 1]);
  assert.deepEqual(failureIn(await legacy('tools/call', { ...call, _meta: { 'drillyard/idempotencyKey': '' } })), [200, -32602, 1]);
  reported.outcome = new ServiceError('control.WORLD_BUSY', { retryAfterMs: 20 });
  const busy = await modern('tools/call', call);
  assert.deepEqual(failureIn(busy), [200, -32603, 1]);
  assert.deepEqual(JSON.parse(busy.text).error.data, { code: 'control.WORLD_BUSY', retryable: true, source: 'platform', retryAfterMs: 20 });
});

test('values and arguments that are no objects lie in `value`', async () => {
  const { legacy, reported } = await open({ outcome: { kind: 'ok', value: ['a'] } });
  const { result } = JSON.parse((await legacy('tools/call', { name: 'desk_ticket_list' })).text);
  assert.deepEqual([result.structuredContent, result.content[0].text], [{ value: ['a'] }, '{"value":["a"]}']);
  assert.deepEqual(reported.asked.at(-1), {
    kind: 'call',
    actorId: 'agent',
    packageId: 'desk',
    instanceId: 'desk',
    operationId: 'ticket.list',
    arguments: {},
  });
});

// MCP-ROUTE-1
test('only the modern revision takes a client that goes away for a cancellation', async () => {
  const { modern, legacy, reported } = await open({ mayWait: true });
  const call = { name: 'world.wait', arguments: { untilUs: 7 } };
  await legacy('tools/call', call);
  await modern('tools/call', call);
  assert.deepEqual(
    reported.options.map(({ signal }) => signal !== undefined),
    [false, true],
  );
  const { result } = JSON.parse((await legacy('tools/call', { name: 'world.wait', arguments: { untilUs: 0.5 } })).text);
  assert.equal(result.isError, true);
  assert.deepEqual(reported.asked.slice(-2), [
    { kind: 'wait', actorId: 'agent', untilUs: 7 },
    { kind: 'wait', actorId: 'agent', untilUs: 7 },
  ]);
});

test('an actor without the grant has no wait', async () => {
  const { legacy, reported } = await open();
  reported.outcome = { kind: 'unsupported', error: { code: 'UNKNOWN_OPERATION', message: 'None.', retryable: false } };
  assert.deepEqual(failureIn(await legacy('tools/call', { name: 'world.wait' })), [200, -32602, 1]);
  assert.ok(reported.asked.every(({ kind }) => kind !== 'wait'));
});

test('arguments that are no values are a result with isError, and what is no key is named as one only where one was sent', async () => {
  const { post, reported } = await open({ tools: [ticketTool, { ...listTool, inputSchema: { type: 'array' } }] });
  const call = (name: string, args: string, meta = '') =>
    post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${args},"_meta":{${meta}}}}`);
  for (const [name, args, path] of [
    ['desk.ticket.close', '{"id":1,"note":"\\ud800"}', '/note'],
    ['desk.ticket.close', '{"id":1e400}', '/id'],
    ['desk.ticket.list', '{"value":[1e400]}', '/value/0'],
  ] as const)
    for (const meta of ['', '"drillyard/idempotencyKey":5']) {
      const { result } = JSON.parse((await call(name, args, meta)).text);
      const { kind, error } = JSON.parse(result.content[0].text);
      assert.deepEqual([result.isError, kind, error.code, error.details.issues[0].path], [true, 'invalid', 'INVALID_ARGUMENTS', path]);
    }
  const { error } = JSON.parse((await call('desk.ticket.close', '{"id":1}', '"drillyard/idempotencyKey":5')).text);
  assert.deepEqual([error.code, error.message], [-32602, "'drillyard/idempotencyKey' is not a key."]);
  assert.ok(reported.asked.every(({ kind }) => kind !== 'call'));
});
