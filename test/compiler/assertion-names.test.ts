// Names inside of what an assertion speaks of, against the schemas of the tool.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileWith, edited, sound } from './repository.js';

const drill = 'drillyard/add.drill.yaml';
const tool = 'drillyard/notes.tool.yaml';
const input = 'inputSchema: { type: object, properties: { id: { type: string } } }';
const asserting = (assertion: string) =>
  edited(drill, 'kind: operation.count, operation: { packageId: notes, operationId: notes.add }, count: { equals: 1 }', assertion);
const call = (more: string) => `operation: { packageId: notes, operationId: notes.add${more} }`;

async function found(t: Parameters<typeof compileWith>[0], assertion: string, schema?: string): Promise<string[]> {
  const files = schema === undefined ? {} : { [tool]: String(sound[tool]).replace(input, `inputSchema: ${schema}`) };
  const { diagnostics } = await compileWith(t, { ...asserting(assertion), ...files });
  return diagnostics.map(({ code, path, suggestion }) => `${code} ${path}${suggestion === undefined ? '' : ` ${suggestion}`}`);
}

test('every member that an assertion names is looked up in the schema of what it speaks of', async (t) => {
  const closed =
    '{ type: object, additionalProperties: false, properties: { id: { type: string }, tags: { type: array, items: { enum: [a, b] } } } }';
  const cases: [assertion: string, expected: string[]][] = [
    [
      `kind: operation.count, ${call(', arguments: { idd: 1 }')}, count: { equals: 0 }`,
      ["DY3020 /assertions/0/operation/arguments/idd Did you mean 'id'?"],
    ],
    [
      `kind: operation.count, ${call(', outcome: invalid, arguments: { idd: 1 }')}, count: { equals: 0 }`,
      ["DY3021 /assertions/0/operation/arguments/idd Did you mean 'id'?"],
    ],
    [`kind: operation.denied, ${call(', arguments: { id: 1 }')}`, []],
    [
      `kind: operation.order, operations: [{ packageId: notes, operationId: notes.add }, { packageId: notes, operationId: notes.add, arguments: { idx: x } }]`,
      ["DY3020 /assertions/0/operations/1/arguments/idx Did you mean 'id'?"],
    ],
    [`kind: operation.arguments, ${call('')}, path: [tags, 0], expected: a`, []],
    [`kind: operation.arguments, ${call('')}, path: [tags, first], expected: a`, ['DY3020 /assertions/0/path/1']],
    [`kind: operation.arguments, ${call('')}, path: [id, name], expected: a`, ['DY3020 /assertions/0/path/1']],
    [
      `kind: operation.arguments, ${call('')}, path: [tags, 0], comparison: one_of, expected: [a, c]`,
      ['DY4007 /assertions/0/expected/1 Known: a, b.'],
    ],
    [
      `kind: effect.at_most_once, ${call('')}, identity: { arguments: [[id], [it]] }`,
      ["DY3020 /assertions/0/identity/arguments/1/0 Did you mean 'id'?"],
    ],
    [
      'kind: event.count, event: { packageId: notes, eventId: due }, payload: { key: n1 }, count: { equals: 0 }',
      ['DY3021 /assertions/0/payload/key Known: id.'],
    ],
    [
      'kind: state.value, packageId: notes, namespace: notes, rowId: n1, path: [txet], expected: first',
      ["DY3020 /assertions/0/path/0 Did you mean 'text'?"],
    ],
    [
      'kind: state.diff, changes: [{ change: update, packageId: notes, namespace: notes, before: { tex: a }, after: { text: 5 }, only: [texts] }]',
      [
        "DY3020 /assertions/0/changes/0/before/tex Did you mean 'text'?",
        'DY4007 /assertions/0/changes/0/after/text',
        "DY3020 /assertions/0/changes/0/only/0 Did you mean 'text'?",
      ],
    ],
    [`kind: operation.count, operation: { packageId: world, operationId: clock.wait, arguments: { until: 1 } }, count: { equals: 0 }`, []],
  ];
  for (const [assertion, expected] of cases) assert.deepEqual(await found(t, assertion, closed), expected, assertion);
});

test('what a schema leaves open, or says elsewhere, is not refused', async (t) => {
  const asked = `kind: operation.count, ${call(', arguments: { it: x }')}, count: { equals: 0 }`;
  const shut = 'additionalProperties: false';
  const cases: [schema: string, expected: string[]][] = [
    ['true', []],
    ['{ type: object }', []],
    ['{ type: object, additionalProperties: { type: string } }', []],
    [`{ type: object, ${shut}, patternProperties: { '^i': { type: string } } }`, []],
    [
      `{ anyOf: [{ type: object, ${shut}, properties: { id: {} } }, { type: object }] }`,
      ["DY3021 /assertions/0/operation/arguments/it Did you mean 'id'?"],
    ],
    [`{ oneOf: [{ type: object, ${shut}, properties: { id: {} } }, { type: object, ${shut}, properties: { it: {} } }] }`, []],
    [
      `{ oneOf: [{ type: object, ${shut}, properties: { id: {} } }, { type: 'null' }] }`,
      ["DY3020 /assertions/0/operation/arguments/it Did you mean 'id'?"],
    ],
    [`{ $ref: '#/$defs/in', $defs: { in: { type: object, ${shut}, properties: { it: { type: string } } } } }`, []],
    [
      `{ $ref: '#/$defs/in', $defs: { in: { type: object, ${shut}, properties: { id: { $ref: '#/$defs/in' } } } } }`,
      ["DY3020 /assertions/0/operation/arguments/it Did you mean 'id'?"],
    ],
    ["{ type: object, unevaluatedProperties: false, allOf: [{ $ref: '#/$defs/in' }], $defs: { in: { properties: { it: {} } } } }", []],
    [
      "{ anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }], $defs: { a: { properties: { id: {} }, anyOf: [{ $ref: '#/$defs/b' }] }, b: { type: object } } }",
      ["DY3021 /assertions/0/operation/arguments/it Did you mean 'id'?"],
    ],
  ];
  for (const [schema, expected] of cases) assert.deepEqual(await found(t, asked, schema), expected, schema);
});

// EXPRESSION-NAMES-1
test('names inside of an expression are looked up, as far as it is known what they are those of', async (t) => {
  const rows = 'state: { notes: { packageId: notes, namespace: notes } }';
  const cases: [expression: string, expected: string[]][] = [
    ["state.notes.all(id, state.notes[id].text != '')", []],
    ['state.notes.all(id, !has(state.notes[id].txet))', ["DY3020 /assertions/0/expression Did you mean 'text'?"]],
    ["!operations.exists(o, o.operationId == 'notes.ad')", ["DY4007 /assertions/0/expression Did you mean 'notes.add'?"]],
    ["!operations.exists(o, o.operationId in ['notes.add', 'clock.wait'])", []],
    ["!operations.exists(o, o.operation == 'notes.add')", ["DY3020 /assertions/0/expression Did you mean 'operationId'?"]],
    ["!operations.exists(o, o.outcome == 'ok')", ['DY4007 /assertions/0/expression']],
    ["operations.exists(o, o.outcome.kind == 'okay')", ["DY4007 /assertions/0/expression Did you mean 'ok'?"]],
    ["!events.exists(e, e.eventId == 'du' || e.payload.anything == 1)", ["DY4007 /assertions/0/expression Did you mean 'due'?"]],
    ["operations.all(o, !('idempotencyKey' in o))", []],
  ];
  for (const [expression, expected] of cases)
    assert.deepEqual(await found(t, `kind: expr, expression: "${expression}", ${rows}`), expected, expression);
});

test('a fault that never happens to an operation is not counted by its calls in silence', async (t) => {
  const asked = asserting('kind: fault.count, fault: { packageId: notes, faultId: down, operationId: notes.add }, count: { equals: 0 }');
  for (const [hit, expected] of [
    ['notes.add', []],
    ['notes.ad', ["DY4007 /assertions/0/fault/operationId Did you mean 'notes.ad'?"]],
  ] as const) {
    const manifest = String(sound[tool]).replace('appliesTo: [notes.add]', `appliesTo: [${hit}]`);
    const { diagnostics } = await compileWith(t, { ...asked, [tool]: manifest });
    const found = diagnostics.filter(({ code }) => code === 'DY4007');
    assert.deepEqual(
      found.map(({ code, path, suggestion }) => `${code} ${path} ${suggestion}`),
      expected,
    );
  }
});
