import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonValue } from '../../src/contract/json.js';
import { materializeManifest } from '../../src/contract/validate/defaults.js';
import { expandDeclarative } from '../../src/tools/declarative.js';
import { loadTool } from '../../src/tools/load.js';
import { threadRealm } from '../../src/tools/realm.js';
import { schemaFault } from '../../src/tools/schemas.js';
import { compiledOf, FakeWorld, manifestOf, plain } from './tool-fixture.js';

const schema = {
  type: 'object',
  required: ['name', 'size'],
  additionalProperties: false,
  properties: { name: { type: 'string' }, size: { type: 'integer' }, tags: { type: 'array', items: { $ref: '#/$defs/tag' } } },
  $defs: { tag: { type: 'string', minLength: 1 } },
};
const manifest = expandDeclarative(materializeManifest(manifestOf([], { capabilities: [], state: [{ namespace: 'rows', schema }] })));

function declared() {
  const tool = loadTool(compiledOf(null, manifest));
  const world = new FakeWorld();
  const instance = tool.instantiate(world);
  return {
    tool,
    world,
    call: (operationId: string, input: JsonValue) =>
      plain(instance.call(operationId, threadRealm().admit(input).value)) as { kind: string; value?: JsonValue; code?: string },
  };
}

test('a namespace gives five operations, whose schemas compile and hold for what they give', () => {
  assert.deepEqual(
    manifest.operations.map(({ id }) => id),
    ['rows.create', 'rows.get', 'rows.list', 'rows.update', 'rows.delete'],
  );
  assert.deepEqual(manifest.capabilities, ['state.read', 'state.write', 'random.draw']);
  for (const { inputSchema, outputSchema } of manifest.operations) {
    assert.equal(schemaFault(inputSchema), null);
    assert.equal(schemaFault(outputSchema), null);
  }
  const { tool, call } = declared();
  const inputs: [string, JsonValue][] = [
    ['rows.create', { id: 'a', value: { name: 'A', size: 1, tags: ['x'] } }],
    ['rows.get', { id: 'a' }],
    ['rows.update', { id: 'a', value: { size: 2 } }],
    ['rows.list', { filter: { size: 2 } }],
    ['rows.delete', { id: 'a' }],
  ];
  for (const [id, input] of inputs) {
    const operation = tool.operations.get(id);
    assert.equal(operation?.validateInput(input), null, id);
    const result = call(id, input);
    assert.equal(result.kind, 'value', JSON.stringify(result));
    assert.equal(operation?.validateOutput(result.value), null, id);
  }
});

test('the schema of a row holds inside the input, its own references too', () => {
  const validate = declared().tool.operations.get('rows.create')?.validateInput;
  assert.deepEqual(
    validate?.({ value: { name: 'A', size: 1, tags: [''] } })?.map(({ path }) => path),
    ['/value/tags/0'],
  );
  assert.deepEqual(
    validate?.({ value: { name: 'A' } })?.map(({ path }) => path),
    ['/value'],
  );
  const update = declared().tool.operations.get('rows.update')?.validateInput;
  assert.equal(update?.({ id: 'a', value: { name: 'B' } }), null, 'no member is required in a change');
  assert.deepEqual(
    update?.({ id: 'a', value: { size: 'big' } })?.map(({ path }) => path),
    ['/value/size'],
  );
});

test('create, get, update, list and delete do what their names say', () => {
  const { call } = declared();
  assert.deepEqual(call('rows.create', { id: 'a', value: { name: 'A', size: 1 } }).value, { id: 'a', value: { name: 'A', size: 1 } });
  assert.equal(call('rows.create', { id: 'a', value: { name: 'A', size: 1 } }).code, 'ALREADY_EXISTS');
  assert.deepEqual(call('rows.create', { value: { name: 'B', size: 2 } }).value, {
    id: 'rows-0000000000000001',
    value: { name: 'B', size: 2 },
  });
  assert.deepEqual(call('rows.update', { id: 'a', value: { size: 5 } }).value, { id: 'a', value: { name: 'A', size: 5 } });
  assert.deepEqual(call('rows.get', { id: 'a' }).value, { id: 'a', value: { name: 'A', size: 5 } });
  assert.equal(call('rows.update', { id: 'a', value: { refuse: true } }).code, 'INVALID_VALUE');
  for (const id of ['rows.get', 'rows.delete']) assert.equal(call(id, { id: 'none' }).code, 'NOT_FOUND');
  assert.equal(call('rows.update', { id: 'none', value: {} }).code, 'NOT_FOUND');
  assert.deepEqual(call('rows.delete', { id: 'a' }).value, { id: 'a' });
  assert.equal(call('rows.get', { id: 'a' }).code, 'NOT_FOUND');
});

test('pages cover every matching row once, whatever the limit', () => {
  const { call, world } = declared();
  for (let index = 0; index < 1203; index++)
    world.rows.set(`r${String(index).padStart(5, '0')}`, threadRealm().admit({ name: 'n', size: index % 3 }).value as never);
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = call('rows.list', { filter: { size: 1 }, limit: 37, ...(cursor === undefined ? {} : { cursor }) }).value as {
      items: { id: string }[];
      nextCursor?: string;
    };
    seen.push(...page.items.map(({ id }) => id));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  assert.equal(seen.length, 401);
  assert.equal(new Set(seen).size, 401);
});

test('expanding twice changes nothing, and the words of the author stay', () => {
  assert.deepEqual(expandDeclarative(manifest), manifest);
  const written = {
    id: 'rows.get',
    description: 'Mine.',
    inputSchema: {},
    outputSchema: {},
    idempotency: 'none' as const,
    fidelity: 'good',
    mcp: { name: 'get_row' },
    declaredErrors: [{ code: 'EXTRA' }],
  };
  const expanded = expandDeclarative({ ...manifest, operations: [written] });
  const get = expanded.operations.find(({ id }) => id === 'rows.get');
  assert.equal(get?.description, 'Mine.');
  assert.deepEqual(get?.mcp, { name: 'get_row' });
  assert.deepEqual(
    get?.declaredErrors?.map(({ code }) => code),
    ['NOT_FOUND', 'EXTRA'],
  );
  assert.deepEqual(get?.inputSchema, manifest.operations.find(({ id }) => id === 'rows.get')?.inputSchema);
});
