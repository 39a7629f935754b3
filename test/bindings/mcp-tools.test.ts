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

// MCP-TOOLS-2
test('a name without dots that a manifest has given to another tool is not listed twice', () => {
  const [digest] = (
    new McpToolCatalog([item({ operationId: 'a.b' }), item({ operationId: 'a_b' })], { mayWait: false }).page(undefined)
      .tools as JsonObject[]
  ).map(({ name }) => name as string);
  assert.match(digest ?? '', /^desk_a_b__[0-9a-f]{16}$/);
  const items = [item({ operationId: 'a.b' }), item({ operationId: 'a_b' }), item({ operationId: 'z', mcp: { name: digest as string } })];
  const catalog = new McpToolCatalog(items, { mayWait: false });
  const listed = catalog.page(undefined).tools as JsonObject[];
  assert.equal(new Set(listed.map(({ name }) => name)).size, items.length);
  for (const { name, _meta } of listed) {
    const { operationId } = (_meta as { 'drillyard/operation': JsonObject })['drillyard/operation'];
    assert.equal((catalog.find(name as string)?.target as { operationId: string }).operationId, operationId);
  }
});

test('a name that finds no tool is of the operation that a list would have it for', () => {
  const long = `b.${'x'.repeat(90)}`;
  const all: ToolCatalogItem[] = [
    item({}),
    item({ instanceId: 'desk-two' }),
    item({ operationId: 'a.b' }),
    item({ operationId: 'a_b' }),
    item({ operationId: 'c', mcp: { name: 'open.ticket' } }),
    item({ operationId: long }),
  ];
  const operations = all.map(({ packageId, instanceId, operationId, mcp }) => ({
    packageId,
    instanceId,
    operationId,
    ...(mcp?.name && { mcpName: mcp.name }),
  }));
  const every = new McpToolCatalog(all, { mayWait: false });
  const nothing = new McpToolCatalog([], { mayWait: false });
  const own = every.page(undefined, 'own').tools as JsonObject[];
  const plain = every.page(undefined).tools as JsonObject[];
  for (const { name, _meta } of [...own, ...plain]) {
    const { idempotency: _, ...target } = (_meta as { 'drillyard/operation': JsonObject })['drillyard/operation'] as JsonObject;
    assert.deepEqual(nothing.unlisted(name as string, operations), target, name as string);
    assert.equal(every.unlisted(name as string, operations), undefined, 'it is listed');
  }
  assert.equal(nothing.unlisted('desk_c', operations)?.operationId, 'c', 'its own name, too');
  assert.equal(nothing.unlisted('desk_a_b', operations)?.operationId, 'a.b', 'the first');
  for (const name of ['', 'desk', 'desk_d', 'open_ticket__desk-two']) assert.equal(nothing.unlisted(name, operations), undefined);
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

const foldedIn = (inputSchemas: readonly JsonObject[]): JsonObject[] => {
  const items = inputSchemas.map((inputSchema, index) => item({ operationId: `op${index}`, inputSchema }));
  const tools = new McpToolCatalog(items, { mayWait: false }).page(undefined).tools as JsonObject[];
  return tools.map(({ inputSchema }) => inputSchema as JsonObject);
};

// MCP-INPUT-SCHEMA-1
test('alternatives that lead to the same schemas again and again are looked at once', () => {
  const refersTo = (name: string): JsonObject[] => Array.from({ length: 40 }, () => ({ $ref: `#/$defs/${name}` }));
  const last = { properties: { a: { type: 'string' } }, required: ['a'] };
  const $defs = {
    a: { anyOf: refersTo('b') },
    b: { oneOf: refersTo('c') },
    c: { allOf: refersTo('d') },
    d: { anyOf: refersTo('e') },
    e: last,
  };
  const itself = { type: 'object', properties: { a: {} }, allOf: Array.from({ length: 40 }, () => ({ $ref: '#' })) };
  assert.deepEqual(foldedIn([{ type: 'object', $defs, anyOf: refersTo('a') }, itself]), [
    { type: 'object', $defs, ...last },
    { type: 'object', properties: { a: {} } },
  ]);
});

// MCP-INPUT-SCHEMA-1
test('a schema that would take too many steps, or lies too deep, is listed as an object', () => {
  const chain = (length: number): JsonObject => {
    const names = Array.from({ length }, (_, index) => [`d${index}`, { allOf: [{ $ref: `#/$defs/d${index + 1}` }] }]);
    return { type: 'object', $ref: '#/$defs/d0', $defs: { ...Object.fromEntries(names), [`d${length}`]: { properties: { a: {} } } } };
  };
  const [shallow, deep] = foldedIn([chain(limits.mcpFoldDepthMax / 2 - 1), chain(limits.mcpFoldDepthMax)]);
  assert.deepEqual([shallow?.properties, deep], [{ a: {} }, { type: 'object' }]);
  const wide = (parts: number): JsonObject => ({
    type: 'object',
    $defs: { all: { properties: Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`p${index}`, {}])) } },
    allOf: Array.from({ length: parts }, () => ({ $ref: '#/$defs/all' })),
  });
  const few = wide(2);
  const many = wide(limits.mcpFoldStepsMax / 100);
  const [one, other, next] = foldedIn([few, many, few]);
  assert.equal(Object.keys((one?.properties ?? {}) as JsonObject).length, 100);
  assert.deepEqual([other, next], [{ type: 'object' }, { type: 'object' }], 'the list has a bound, not each schema');
});

// MCP-INPUT-SCHEMA-2
test('each reference of a folded schema leads to a schema in it, or an object is listed', () => {
  const text = { type: 'string' };
  const whole: [JsonObject, JsonObject][] = [
    [
      { type: 'object', $ref: '#/$defs/%2Fa', $defs: { '/a': { properties: { x: text } } } },
      { type: 'object', $defs: { '/a': { properties: { x: text } } }, properties: { x: text } },
    ],
    [
      { type: 'object', $ref: '#n', $defs: { n: { $anchor: 'n', properties: { x: { $ref: '#n' } } } } },
      { type: 'object', $defs: { n: { $anchor: 'n', properties: { x: { $ref: '#n' } } } }, properties: { x: { $ref: '#n' } } },
    ],
    [
      { type: 'object', properties: { a: { $ref: '#' }, $ref: text, b: { default: { $ref: '#/none' } } }, anyOf: [{}] },
      { type: 'object', properties: { a: { $ref: '#' }, $ref: text, b: { default: { $ref: '#/none' } } } },
    ],
    [
      { $id: 'https://x.test/s', type: 'object', properties: { a: { $ref: 's#/$defs/t' } }, $defs: { t: text }, anyOf: [{}] },
      { $id: 'https://x.test/s', type: 'object', properties: { a: { $ref: 's#/$defs/t' } }, $defs: { t: text } },
    ],
  ];
  assert.deepEqual(
    foldedIn(whole.map(([schema]) => schema)),
    whole.map(([, folded]) => folded),
  );
  const broken: JsonObject[] = [
    { type: 'object', properties: { a: { $ref: '#b' } }, allOf: [{ $anchor: 'b' }] },
    { type: 'object', properties: { a: { $dynamicRef: '#b' } }, allOf: [{ $dynamicAnchor: 'b' }] },
    { type: 'object', properties: { a: { $ref: '#/%61llOf/0' } }, allOf: [{}] },
    { type: 'object', properties: { a: { $ref: '#/%' } }, allOf: [{}] },
    { type: 'object', properties: { a: { $ref: 'https://else.test/s' } }, allOf: [{}] },
    {
      type: 'object',
      properties: { a: { $ref: '#/properties/b/items' }, b: { items: text } },
      anyOf: [{ properties: { b: { minItems: 1 } } }],
    },
    { $id: 'https://x.test/s', type: 'object', properties: { a: { $ref: 'https://x.test/s#/allOf/0' } }, allOf: [{}] },
    { type: 'object', allOf: [{ $id: 'part', properties: { a: { $ref: '#/$defs/t' } }, $defs: { t: text } }], $defs: { t: {} } },
  ];
  assert.deepEqual(
    foldedIn(broken),
    broken.map(() => ({ type: 'object' })),
  );
});

// SCHEMA-REFERENCES-1
test('a list has no $id that no reference needs: clients take the schema of one tool for that of another with the same', () => {
  const shown = (outputSchema: JsonObject): JsonObject =>
    new McpToolCatalog([item({ outputSchema, inputSchema: outputSchema })], { mayWait: false }).find('desk.ticket.close')
      ?.definition as JsonObject;
  const text = { type: 'string' };
  const [named, inner] = [{ $id: 'https://x.test/s' }, { $id: 'part' }];
  const cases: [JsonObject, JsonObject][] = [
    [
      { ...named, type: 'object', properties: { $id: text, a: { ...inner, ...text, const: inner } } },
      { type: 'object', properties: { $id: text, a: { ...text, const: inner } } },
    ],
    [
      { ...named, type: 'object', properties: { a: { $ref: '#/$defs/t' }, b: { ...inner, ...text } }, $defs: { t: text } },
      { type: 'object', properties: { a: { $ref: '#/$defs/t' }, b: { ...inner, ...text } }, $defs: { t: text } },
    ],
  ];
  const needed: JsonObject = { ...named, type: 'object', properties: { a: { $ref: 's#/$defs/t' } }, $defs: { t: text } };
  for (const [schema, without] of [...cases, [needed, needed] as const]) {
    const { inputSchema, outputSchema } = shown(schema);
    assert.deepEqual([inputSchema, outputSchema], [without, without]);
  }
});
