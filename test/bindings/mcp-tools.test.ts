import assert from 'node:assert/strict';
import { test } from 'node:test';
import { McpFailure } from '../../src/bindings/mcp-messages.js';
import { McpToolCatalog, targetOfName } from '../../src/bindings/mcp-tools.js';
import type { JsonObject } from '../../src/contract/json.js';
import { limits } from '../../src/contract/limits.js';
import type { ToolCatalogItem } from '../../src/contract/world/world-protocol.js';
import fc from '../fast-check.js';
import { ticketTool } from './mcp-kit.js';

const item = (changes: Partial<ToolCatalogItem>): ToolCatalogItem => ({ ...ticketTool, ...changes });
const names = (items: ToolCatalogItem[], mayWait = false): string[] =>
  (new McpToolCatalog(items, { mayWait }).page(undefined, 'own').tools as JsonObject[]).map(({ name }) => name as string);

// MCP-TOOLS-1
test("names: the manifest's, else package and operation, then the instance; world.wait comes last", () => {
  const items = [
    item({}),
    item({ instanceId: 'desk-two' }),
    item({ operationId: 'ticket.open', mcp: { name: 'open_ticket', description: 'Opens one.' } }),
    item({ operationId: 'ticket.open', instanceId: 'desk-two', mcp: { name: 'open_ticket' } }),
  ];
  assert.deepEqual(names(items, true), [
    'desk.ticket.close',
    'desk.ticket.close__desk-two',
    'open_ticket',
    'open_ticket__desk-two',
    'world.wait',
  ]);
});

// MCP-TOOLS-1
test('a name that another tool has, or that no client would take, gives way to the own one', () => {
  const mcp = (name: string) => ({ mcp: { name } });
  const items = [
    item({ operationId: 'a', ...mcp('desk.b') }),
    item({ operationId: 'b' }),
    item({ operationId: 'c', ...mcp('same') }),
    item({ operationId: 'd', ...mcp('same') }),
    item({ operationId: 'e', ...mcp('no name') }),
    item({ operationId: 'f', ...mcp('world.wait') }),
  ];
  assert.deepEqual(names(items), ['desk.a', 'desk.b', 'same', 'desk.d', 'desk.e', 'desk.f']);
});

// MCP-TOOLS-2
test('underscores stand for dots where no other tool is meant', () => {
  const items = [item({ operationId: 'a.b' }), item({ operationId: 'a_b' }), item({ operationId: 'c.d' })];
  const catalog = new McpToolCatalog(items, { mayWait: true });
  assert.equal(catalog.find('desk_a_b'), undefined);
  assert.equal(catalog.find('desk_c_d')?.name, 'desk.c.d');
  assert.equal(catalog.find('world_wait')?.target, 'wait');
  const exact = new McpToolCatalog([item({ operationId: 'a.b' }), item({ operationId: 'z', mcp: { name: 'desk_a_b' } })], {
    mayWait: false,
  });
  assert.equal(exact.find('desk_a_b')?.definition.name, 'desk_a_b');
});

// MCP-TOOLS-2
test('without dots: names of at most 64 characters that models take, each of one tool, and called by it', () => {
  const long = `b.${'x'.repeat(90)}`;
  const items = [item({ operationId: 'a.b' }), item({ operationId: 'a_b' }), item({ operationId: 'c.d' }), item({ operationId: long })];
  const catalog = new McpToolCatalog(items, { mayWait: true });
  const own = (catalog.page(undefined, 'own').tools as JsonObject[]).map(({ name }) => name as string);
  const plain = (catalog.page(undefined).tools as JsonObject[]).map(({ name }) => name as string);
  const [first, ...others] = plain;
  assert.match(first ?? '', /^desk_a_b__[0-9a-f]{16}$/, 'desk_a_b could be either');
  assert.deepEqual(others.slice(1, 2).concat(others.at(-1) as string), ['desk_c_d', 'world_wait']);
  for (const name of plain) assert.match(name, /^[\w-]{1,64}$/);
  assert.equal(new Set(plain).size, own.length);
  assert.deepEqual(
    plain.map((name) => catalog.find(name)?.name),
    own,
  );
});

test('every tool has one name of at most 128 characters, which finds it and nothing else', () => {
  const slug = fc.stringMatching(/^[a-z][a-z0-9]{0,3}([-_][a-z0-9]{1,3})?$/);
  const long = fc.integer({ min: 1, max: 90 }).map((length) => `p${'x'.repeat(length)}`);
  const target = fc.record({
    packageId: fc.oneof(slug, long),
    instanceId: fc.option(slug),
    operationId: fc.oneof(
      slug,
      fc.tuple(slug, long).map((parts) => parts.join('.')),
    ),
    name: fc.option(fc.constantFrom('a', 'b', 'a.b', 'p.a', 'a__b')),
  });
  const key = ({ packageId, instanceId, operationId }: ToolCatalogItem) => [packageId, instanceId, operationId].join(' ');
  fc.assert(
    fc.property(
      fc.uniqueArray(target, {
        selector: ({ packageId, instanceId, operationId }) => [packageId, instanceId ?? packageId, operationId].join(' '),
      }),
      (targets) => {
        const items = targets.map(({ packageId, instanceId, operationId, name }) =>
          item({ packageId, instanceId: instanceId ?? packageId, operationId, ...(name === null ? {} : { mcp: { name } }) }),
        );
        const catalog = new McpToolCatalog(items, { mayWait: false });
        const found = names(items);
        assert.equal(new Set(found).size, items.length);
        found.forEach((name, index) => {
          assert.match(name, /^[A-Za-z0-9_.-]{1,128}$/);
          assert.deepEqual(
            catalog.find(name)?.target,
            {
              packageId: items[index]?.packageId,
              instanceId: items[index]?.instanceId,
              operationId: items[index]?.operationId,
            },
            key(items[index] as ToolCatalogItem),
          );
        });
      },
    ),
  );
});

test('the name of a tool that is not listed still says what it would be', () => {
  assert.deepEqual(targetOfName('desk.ticket.close'), { packageId: 'desk', operationId: 'ticket.close' });
  assert.deepEqual(targetOfName('desk.ticket.close__desk-two'), { packageId: 'desk', operationId: 'ticket.close', instanceId: 'desk-two' });
  assert.deepEqual(targetOfName('desk.close__'), { packageId: 'desk', operationId: 'close__' });
  for (const name of ['', 'desk', '.x', 'desk.']) assert.equal(targetOfName(name), undefined);
});

test('pages follow each other to the end, and a cursor from nowhere is refused', () => {
  const items = Array.from({ length: limits.mcpToolsPageMax * 2 + 1 }, (_, index) => item({ operationId: `op${index}` }));
  const catalog = new McpToolCatalog(items, { mayWait: true });
  const seen: unknown[] = [];
  let cursor: JsonObject[string] | undefined;
  do {
    const page = catalog.page(cursor);
    assert.deepEqual(catalog.page(cursor), page);
    seen.push((page.tools as JsonObject[]).length);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  assert.deepEqual(seen, [limits.mcpToolsPageMax, limits.mcpToolsPageMax, 2]);
  for (const wrong of ['', 'x', 7, null]) assert.throws(() => catalog.page(wrong), McpFailure);
});

test('schemas: an object is shown as it is, anything else as the member value', () => {
  const [tool] = new McpToolCatalog([item({ inputSchema: true, outputSchema: { $ref: '#/$defs/a', $defs: { a: { type: 'array' } } } })], {
    mayWait: false,
  }).page(undefined).tools as JsonObject[];
  const wrapped = { type: 'object', properties: { value: {} }, required: ['value'], additionalProperties: false };
  assert.deepEqual([tool?.inputSchema, tool?.outputSchema], [wrapped, wrapped]);
  const { definition } = new McpToolCatalog([ticketTool], { mayWait: false }).find('desk.ticket.close') ?? assert.fail();
  assert.deepEqual([definition.inputSchema, definition.outputSchema], [ticketTool.inputSchema, ticketTool.outputSchema]);
  // In the older revisions the schema of a property is an object.
  const loose = item({
    inputSchema: { type: 'object', properties: { any: true, none: false, id: { type: 'string' } } },
    outputSchema: false,
  });
  const { definition: shown } = new McpToolCatalog([loose], { mayWait: false }).find('desk.ticket.close') ?? assert.fail();
  assert.deepEqual(shown.inputSchema, { type: 'object', properties: { any: {}, none: { not: {} }, id: { type: 'string' } } });
  assert.deepEqual((shown.outputSchema as JsonObject).properties, { value: { not: {} } });
});

test('a list has no input schema whose root models refuse; its properties say what the alternatives say', () => {
  const text = { type: 'string' };
  const folded = (inputSchema: JsonObject): JsonObject => {
    const [tool] = new McpToolCatalog([item({ inputSchema })], { mayWait: false }).page(undefined).tools as JsonObject[];
    return tool?.inputSchema as JsonObject;
  };
  const alternatives: JsonObject = {
    type: 'object',
    description: 'Either.',
    properties: { note: text },
    required: ['note'],
    oneOf: [
      { properties: { kind: { const: 'card' }, number: text }, required: ['kind', 'number'] },
      { properties: { kind: { const: 'cash' } }, required: ['kind'], not: { required: ['number'] } },
    ],
    additionalProperties: false,
  };
  assert.deepEqual(folded(alternatives), {
    type: 'object',
    description: 'Either.',
    properties: { note: text, kind: { anyOf: [{ const: 'card' }, { const: 'cash' }] }, number: text },
    required: ['note', 'kind'],
  });
  const referring: JsonObject = {
    type: 'object',
    $defs: { 'a/b': { properties: { a: text }, required: ['a'] }, loop: { allOf: [{ $ref: '#/$defs/loop' }] } },
    allOf: [{ $ref: '#/$defs/a~1b' }, { $ref: '#/$defs/loop' }, { if: { required: ['a'] }, else: { properties: { b: text } } }],
    enum: [{ a: 'x' }],
  };
  const { $defs } = referring;
  assert.deepEqual(folded(referring), { type: 'object', $defs, properties: { a: text, b: text }, required: ['a'] });
  assert.deepEqual(folded({ type: 'object', anyOf: [{ properties: { a: { $ref: '#/anyOf/0' } } }] }), { type: 'object' });
  const plain = { type: 'object', properties: { a: { anyOf: [text, { type: 'null' }] } }, additionalProperties: false };
  assert.deepEqual(folded(plain), plain);
  for (const schema of [alternatives, referring])
    assert.doesNotMatch(Object.keys(folded(schema)).join(), /oneOf|anyOf|allOf|not|enum|if|then|else/);
});
