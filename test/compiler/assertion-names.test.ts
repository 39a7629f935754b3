// Names inside of what an assertion speaks of, against the schemas of the tool.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileWith, edited, type Files, sound } from './repository.js';

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
    [
      `kind: operation.count, operation: { packageId: world, operationId: clock.wait, arguments: { untilUs: 1 } }, count: { equals: 0 }`,
      [],
    ],
    [
      `kind: operation.count, operation: { packageId: world, operationId: clock.wait, arguments: { until: 1 } }, count: { equals: 0 }`,
      ["DY3020 /assertions/0/operation/arguments/until Did you mean 'untilUs'?"],
    ],
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
    ["!events.exists(e, e.eventId == 'du')", ["DY4007 /assertions/0/expression Did you mean 'due'?"]],
    ["operations.all(o, !('idempotencyKey' in o))", []],
  ];
  for (const [expression, expected] of cases)
    assert.deepEqual(await found(t, `kind: expr, expression: "${expression}", ${rows}`), expected, expression);
});

const declared = {
  input:
    '{ type: object, additionalProperties: false, properties: { id: { type: string }, level: { enum: [low, high] }, tags: { type: array, items: { type: object, additionalProperties: false, properties: { name: {} } } } } }',
  output: '{ type: object, additionalProperties: false, properties: { stored: { type: boolean } } }',
  payload: '{ type: object, required: [id], additionalProperties: false, properties: { id: { type: string } } }',
};

/** Of each expression; all are in one drill, so that one compile looks at them. */
async function foundIn(t: Parameters<typeof compileWith>[0], expressions: readonly string[], more: Files = {}): Promise<string[][]> {
  const manifest = String(sound[tool])
    .replace(input, `inputSchema: ${declared.input}`)
    .replace('outputSchema: { type: object }', `outputSchema: ${declared.output}`)
    .replace('{ type: object, required: [id], properties: { id: { type: string } } }', declared.payload);
  const state = 'state: { notes: { packageId: notes, namespace: notes } }';
  const list = expressions.map((expression) => `kind: expr, expression: "${expression}", ${state}`);
  // The braces of the first item are there already.
  const items = list.map((text, index) => (index === 0 ? text : `{ id: more-${index}, ${text}`)).join(' }\n  - ');
  const { diagnostics } = await compileWith(t, { ...asserting(items), [tool]: manifest, ...more });
  return expressions.map((_, index) =>
    diagnostics
      .filter(({ path }) => path === `/assertions/${index}/expression`)
      .map(({ code, message, suggestion }) => `${code} ${message}${suggestion === undefined ? '' : ` ${suggestion}`}`),
  );
}

// EXPRESSION-NAMES-1, EXPRESSION-NAMES-2, EXPRESSION-VARIABLES-1, EXPRESSION-VARIABLES-2
test('arguments, payloads, outputs and what filter and map make are known inside of an expression', async (t) => {
  const isAdd = "o.operationId == 'notes.add'";
  const noId = (what: string) => `DY3020 ${what} has no 'idd' Did you mean 'id'?`;
  const input = 'the input of notes/notes.add';
  const cases: [expression: string, expected: string[]][] = [
    // Of which operation the call is nothing says: some operation declares it, or none.
    ['operations.exists(o, has(o.arguments.untilUs) || has(o.arguments.id))', []],
    ['operations.exists(o, has(o.arguments.idd))', [noId('the input of a call')]],
    [`operations.exists(o, ${isAdd} && has(o.arguments.untilUs))`, [`DY3020 ${input} has no 'untilUs' Known: id, level, tags.`]],
    [`operations.exists(o, has(o.arguments.idd) && ${isAdd})`, [noId(input)]],
    [`operations.all(o, !(${isAdd}) || has(o.arguments.idd))`, [noId(input)]],
    [`operations.all(o, o.operationId != 'notes.add' || has(o.arguments.idd))`, [noId(input)]],
    [`operations.all(o, ${isAdd} ? has(o.arguments.idd) : has(o.arguments.untilUs))`, [noId(input)]],
    [`operations.all(o, ${isAdd} || has(o.arguments.untilUs))`, []],
    [`operations.all(o, o.operationId in ['notes.add'] && 'idd' in o.arguments)`, [noId(input)]],
    [
      "operations.exists(o, o.packageId == 'world' && has(o.arguments.id))",
      ["DY3020 the input of world/clock.wait has no 'id' Known: untilUs."],
    ],
    [`operations.exists(o, (${isAdd} || o.operationId == 'clock.wait') && has(o.arguments.untilUs))`, []],
    [`operations.exists(o, ${isAdd} && o.arguments.level == 'hihg')`, [`DY4007 ${input} is never 'hihg' Did you mean 'high'?`]],
    [`operations.filter(o, ${isAdd}).all(n, n.arguments.idd != '')`, [noId(input)]],
    [`operations.filter(o, ${isAdd})[0].arguments.idd != ''`, [noId(input)]],
    [`operations.filter(o, ${isAdd}).map(o, o.arguments).exists(a, has(a.idd))`, [noId(input)]],
    [
      `operations.map(o, ${isAdd}, o.arguments.tags).all(l, l.all(tag, tag.nam != ''))`,
      [`DY3020 ${input} has no 'nam' Did you mean 'name'?`],
    ],
    [
      `operations.filter(o, ${isAdd}).map(o, o.arguments.id).exists(id, state.notes[id].txet == '')`,
      ["DY3020 a row of notes/notes has no 'txet' Did you mean 'text'?"],
    ],
    ["state.notes.map(id, state.notes[id]).all(note, note.txet != '')", ["DY3020 a row of notes/notes has no 'txet' Did you mean 'text'?"]],
    // A refused call may have had any arguments.
    [
      `operations.exists(o, ${isAdd} && o.outcome.kind == 'invalid' && has(o.arguments.idd))`,
      [`DY3021 the schema of ${input} does not declare 'idd', and allows it Did you mean 'id'?`],
    ],
    [`operations.exists(o, ${isAdd} && o.outcome.kind != 'ok' && o.arguments.level == 'hihg')`, []],
    [
      `operations.exists(o, ${isAdd} && o.outcome.value.stord)`,
      ["DY3020 the output of notes/notes.add has no 'stord' Did you mean 'stored'?"],
    ],
    ["operations.exists(o, o.outcome.error.cod == 'X')", ["DY3020 the error of an outcome has no 'cod' Did you mean 'code'?"]],
    ["events.exists(e, e.eventId == 'due' && e.payload.idd == '')", [noId('the payload of notes/due')]],
    ["outputs['main'].anything == 1 || 'main' in outputs", []],
    ['has(outputs.mian)', ["DY3020 outputs has no 'mian' Did you mean 'main'?"]],
    // Nothing is known of a list of different things.
    ['[state.notes, operations].all(x, x.anything)', []],
  ];
  const all = await foundIn(
    t,
    cases.map(([expression]) => expression),
  );
  for (const [index, [expression, expected]] of cases.entries()) assert.deepEqual(all[index], expected, expression);
});

// EXPRESSION-VARIABLES-2
test('an overridden operation may return what its schema does not declare', async (t) => {
  const override = `toolOverrides:
  - { id: nonsense, operation: { packageId: notes, operationId: notes.add }, outcome: { kind: return, value: { stored: true } } }
`;
  const [found] = await foundIn(t, ["operations.exists(o, o.operationId == 'notes.add' && o.outcome.value.stord)"], {
    'drillyard/busy.scenario.yaml': sound['drillyard/busy.scenario.yaml'] + override,
  });
  assert.deepEqual(found, [
    "DY3021 the schema of the output of notes/notes.add does not declare 'stord', and allows it Did you mean 'stored'?",
  ]);
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
