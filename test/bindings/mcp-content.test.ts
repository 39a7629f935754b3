// How an operation looks to a client of MCP, as its manifest wants it: over a real socket.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonValue } from '../../src/contract/json.js';
import { limits } from '../../src/contract/limits.js';
import type { McpContent, ToolMcp } from '../../src/contract/world/tool-mcp.js';
import { failureIn, type McpReply, mcpEndpoints, metaKey, ticketTool } from './mcp-kit.js';

const open = mcpEndpoints();
const name = 'desk.ticket.close';
const opened = (mcp: ToolMcp, value: JsonValue = { done: true }) =>
  open({ tools: [{ ...ticketTool, mcp }], outcome: { kind: 'ok', value } });
const resultIn = ({ text }: McpReply) => (JSON.parse(text) as { result: { [member: string]: unknown } }).result;

async function reported(mcp: ToolMcp, value?: JsonValue): Promise<{ [member: string]: unknown }> {
  const { legacy } = await opened(mcp, value);
  return resultIn(await legacy('tools/call', { name, arguments: { id: 1 } }));
}

test('blocks are made of what is written down and of what is found in the value', async () => {
  const { content, structuredContent } = await reported(
    {
      content: [
        { type: 'text', text: { from: ['title'] }, annotations: { audience: ['user'], priority: 0.5 } },
        { type: 'text', text: { from: [] } },
        { type: 'image', data: { from: ['shots', 0, 'png'] }, mimeType: 'image/png' },
        { type: 'audio', data: 'AAAA', mimeType: { from: ['sound'] } },
        { type: 'resource', resource: { uri: 'desk://1', mimeType: 'application/json', text: { from: ['shots', 1] } } },
        { type: 'resource', resource: { uri: 'desk://2', blob: { from: ['shots', 0, 'png'] } } },
      ],
    },
    { title: 'A page', shots: [{ png: 'iVBO' }, { png: null }], sound: 'audio/wav' },
  );
  assert.deepEqual(content, [
    { type: 'text', text: 'A page', annotations: { audience: ['user'], priority: 0.5 } },
    { type: 'text', text: '{"title":"A page","shots":[{"png":"iVBO"},{"png":null}],"sound":"audio/wav"}' },
    { type: 'image', data: 'iVBO', mimeType: 'image/png' },
    { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
    { type: 'resource', resource: { uri: 'desk://1', mimeType: 'application/json', text: '{"png":null}' } },
    { type: 'resource', resource: { uri: 'desk://2', blob: 'iVBO' } },
  ]);
  assert.deepEqual(structuredContent, { title: 'A page', shots: [{ png: 'iVBO' }, { png: null }], sound: 'audio/wav' });
});

test('a list becomes a block an item; what is not found is left out, and the block with it that cannot be without', async () => {
  const link: McpContent = {
    type: 'resource_link',
    each: ['links'],
    uri: { from: ['href'] },
    name: { from: ['text'] },
    title: { from: ['title'] },
  };
  const layout: ToolMcp = {
    content: [
      link,
      { ...link, each: ['nowhere'] },
      { type: 'image', data: { from: ['png'] }, mimeType: 'image/png' },
      { type: 'resource', resource: { uri: { from: ['png'] }, text: 'x' } },
      { type: 'resource', resource: { uri: 'desk://1', text: { from: ['png'] } } },
    ],
  };
  const links = [{ href: 'a:1', text: 'one', title: 'One' }, { href: 'a:2', text: 'two' }, { href: 'a:3' }, 'a:4', null];
  assert.deepEqual((await reported(layout, { links, png: null })).content, [
    { type: 'resource_link', uri: 'a:1', name: 'one', title: 'One' },
    { type: 'resource_link', uri: 'a:2', name: 'two' },
  ]);
  assert.deepEqual((await reported(layout, { links: { href: 'a:1', text: 'one' } })).content, []);
});

test('without structure a tool has no output schema, and its value is reported as text', async () => {
  const { legacy } = await opened({ structured: false, title: 'Close', annotations: { destructiveHint: true } }, 'Closed.');
  const { tools } = resultIn(await legacy('tools/list')) as { tools: { [member: string]: unknown }[] };
  const { outputSchema, title, annotations } = tools[0] ?? {};
  assert.deepEqual([outputSchema, title, annotations], [undefined, 'Close', { destructiveHint: true }]);
  const { content, structuredContent } = resultIn(await legacy('tools/call', { name, arguments: { id: 1 } }));
  assert.deepEqual([content, structuredContent], [[{ type: 'text', text: 'Closed.' }], undefined]);
  assert.deepEqual((await reported({ structured: false }, { a: 1 })).content, [{ type: 'text', text: '{"a":1}' }]);
});

test('an error is reported as the outcome that it is, whatever the layout', async () => {
  const error = { code: 'GONE', message: 'It is gone.', retryable: false };
  const { modern } = await open({
    tools: [{ ...ticketTool, mcp: { content: [{ type: 'text', text: 'Done.' }], progress: [{ progress: 1 }] } }],
    outcome: { kind: 'tool_error', error },
  });
  const reply = await modern('tools/call', { name, arguments: { id: 1 }, _meta: { progressToken: 1 } });
  assert.equal(reply.headers.get('content-type'), 'application/json; charset=utf-8');
  const { content, isError } = resultIn(reply);
  assert.deepEqual([content, isError], [[{ type: 'text', text: JSON.stringify({ kind: 'tool_error', error }) }], true]);
});

test('progress is reported before the result, to a caller who asks for it and takes events', async () => {
  const progress = [
    { progress: 0, total: 2 },
    { progress: 1.5, total: 2, message: 'Nearly.' },
  ];
  const { modern, legacy, reported } = await opened({ progress });
  const call = { name, arguments: { id: 1 } };
  const { text, headers } = await modern('tools/call', { ...call, _meta: { progressToken: 'p' } });
  assert.equal(headers.get('content-type'), 'text/event-stream');
  const messages = text
    .split('\n\n')
    .filter(Boolean)
    .map((event) => JSON.parse(event.replace('event: message\ndata: ', '')));
  assert.deepEqual(
    messages.map(({ method, params, id }) => ({ method, params, id })),
    [
      ...progress.map((step) => ({ method: 'notifications/progress', params: { progressToken: 'p', ...step }, id: undefined })),
      { method: undefined, params: undefined, id: 1 },
    ],
  );
  for (const reply of [
    await modern('tools/call', call),
    await modern('tools/call', { ...call, _meta: { progressToken: 'p' } }, { accept: 'application/json' }),
    await modern('tools/call', { ...call, _meta: { progressToken: 1.5 } }),
  ])
    assert.deepEqual(resultIn(reply).structuredContent, { done: true });
  assert.equal(reported.asked.filter(({ kind }) => kind === 'call').length, 4);
  const odd = await legacy('tools/call', { name: { toString: 1 }, _meta: { progressToken: 'p' } });
  assert.deepEqual(failureIn(odd), [200, -32602, 1]);
});

// MCP-STEPS-1
test('a result that is too large for one event comes without progress', async () => {
  const resultOf = async (chars: number): Promise<McpReply> => {
    const { modern } = await opened({ progress: [{ progress: 1 }] }, { done: true, text: 'x'.repeat(chars) });
    return await modern('tools/call', { name, arguments: { id: 1 }, _meta: { progressToken: 'p' } });
  };
  // A value is there twice: as structured content, and as text.
  const small = await resultOf(limits.mcpEventResultBytesMax / 2 - 1_000);
  assert.equal(small.headers.get('content-type'), 'text/event-stream');
  const large = await resultOf(limits.mcpEventResultBytesMax / 2);
  assert.equal((resultIn(large).structuredContent as { done: boolean }).done, true);
});

test('a client that lacks what the tool needs is refused before the world is asked', async () => {
  const { modern, legacy, reported } = await opened({ clientCapabilities: ['roots', 'sampling'], progress: [{ progress: 1 }] });
  const capable = (capabilities: unknown, more = {}) => ({
    name,
    arguments: { id: 1 },
    _meta: { [metaKey('clientCapabilities')]: capabilities, ...more },
  });
  const refused = await modern('tools/call', capable({ roots: {} }, { progressToken: 1 }));
  assert.deepEqual(failureIn(refused), [400, -32021, 1]);
  assert.deepEqual((JSON.parse(refused.text) as { error: { data: unknown } }).error.data, { requiredCapabilities: { sampling: {} } });
  assert.equal(reported.asked.filter(({ kind }) => kind === 'call').length, 0);
  assert.equal((await modern('tools/call', capable({ roots: {}, sampling: {} }))).status, 200);
  // There a client says it once, in a handshake that nobody remembers.
  assert.equal((await legacy('tools/call', { name, arguments: { id: 1 } })).status, 200);
});

test('an argument that is repeated in a header is the same there, written plainly or in base64', async () => {
  const { modern, legacy } = await open({
    tools: [
      {
        ...ticketTool,
        inputSchema: {
          type: 'object',
          properties: {
            region: { type: 'string', 'x-mcp-header': 'Region' },
            desk: { type: 'object', properties: { id: { type: 'integer', 'x-mcp-header': 'Desk' } } },
            open: { type: 'boolean', 'x-mcp-header': 'Open' },
          },
        },
      },
    ],
  });
  const call = (args: unknown, headers: { [name: string]: string } = {}) => modern('tools/call', { name, arguments: args }, headers);
  const base64 = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`;
  const args = { region: 'Zürich', desk: { id: 7 }, open: false };
  const headers = { 'mcp-param-region': base64('Zürich'), 'mcp-param-desk': '7', 'mcp-param-open': 'false' };
  assert.equal((await call(args, headers)).status, 200);
  assert.equal((await call(args, { ...headers, 'mcp-param-desk': '7.0', 'mcp-param-else': 'x' })).status, 200);
  assert.equal((await call({})).status, 200);
  assert.equal((await call({ region: null })).status, 200);
  for (const [given, wrong] of [
    [args, { ...headers, 'mcp-param-region': base64('Bern') }],
    [args, { ...headers, 'mcp-param-region': '=?base64?WsO8cmljaA?=' }],
    [args, { ...headers, 'mcp-param-desk': '0x7' }],
    [args, { ...headers, 'mcp-param-open': 'False' }],
    [args, {}],
    [{ desk: { id: 7 } }, headers],
  ] as const)
    assert.deepEqual(failureIn(await call(given, wrong)), [400, -32020, 1]);
  assert.equal((await legacy('tools/call', { name, arguments: args })).status, 200);
});

// MCP-CONTENT-1
test('a layout makes so many blocks of so many bytes; beyond it the call has succeeded and its result is an error', async () => {
  const { mcpContentBlocksMax, mcpContentBytesMax } = limits;
  const each: McpContent = { type: 'text', each: ['list'], text: 'x' };
  const listed = (items: number) => ({ list: new Array(items).fill(0) });
  const whole: McpContent = { type: 'text', text: { from: ['text'] } };
  const long = (chars: number) => ({ text: 'x'.repeat(chars) });
  for (const structured of [true, false]) {
    const most = await reported({ structured, content: [each, each] }, listed(mcpContentBlocksMax / 2));
    assert.deepEqual([(most.content as unknown[]).length, most.isError], [mcpContentBlocksMax, undefined]);
    const largest = await reported({ structured, content: [whole, whole, whole, whole] }, long(mcpContentBytesMax / 4 - 4));
    assert.deepEqual([(largest.content as unknown[]).length, largest.isError], [4, undefined]);
    for (const [content, value] of [
      [[each, each], listed(mcpContentBlocksMax / 2 + 1)],
      [[{ ...each, text: { from: ['none'] } }], listed(mcpContentBlocksMax + 1)],
      [[whole, whole, whole, whole, { type: 'text', text: 'x' }], long(mcpContentBytesMax / 4 - 4)],
      [[{ type: 'text', each: ['list'], text: 'x'.repeat(mcpContentBytesMax / 4) }], listed(5)],
    ] satisfies [McpContent[], JsonValue][]) {
      const { isError, content: blocks, structuredContent, _meta } = await reported({ structured, content }, value);
      assert.deepEqual([isError, structuredContent, (blocks as unknown[]).length], [true, undefined, 1]);
      const outcome = JSON.parse((blocks as { text: string }[])[0]?.text ?? '') as {
        kind: string;
        error: { code: string };
        committed: boolean;
      };
      assert.deepEqual([outcome.kind, outcome.error.code, outcome.committed], ['tool_error', 'CONTENT_TOO_LARGE', true]);
      assert.equal((_meta as { [member: string]: string })['drillyard/callId'], 'call_0000000000000000');
    }
  }
});
