// One drill file, a drill a case: what the drills are, and where what is wrong with them is reported.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '../../src/contract/limits.js';
import { buildWith, compileWith, edited, type Files, lines, sound } from './repository.js';

const drill = 'drillyard/add.drill.yaml';
const template = `schemaVersion: 1
id: add
title: A note is added
tags: [smoke]
targetId: agent
scenarioId: busy
actorId: ann
task: { instruction: 'Add \${case.note}, \${case.times} times: \${case.loud}.', input: '\${case.data}' }
assertions:
  - { id: added, kind: operation.count, operation: { packageId: notes, operationId: notes.add }, count: { equals: '\${case.times}' } }
`;
const withCases = (cases: string, text = template): Files => ({ [drill]: `${text}cases:\n${cases}\n` });
const two = `  - { id: one, title: the first, values: { note: n2, times: 1, loud: true, data: { deep: [null] } } }
  - { id: two, values: { note: '\${case.times}', times: 2, loud: false, data: null } }`;

// DRILL-CASES-2, CASE-PLACEHOLDERS-1, CASE-PLACEHOLDERS-2
test('a drill with cases is the drills that files of their own would be', async (t) => {
  const own = (id: string, title: string, task: string, times: number) =>
    template
      .replace('id: add', `id: ${id}`)
      .replace('A note is added', title)
      .replace(/task: .*/, `task: ${task}`)
      .replace(`'\${case.times}'`, String(times));
  const apart = await buildWith(t, {
    [drill]: own('add-one', '"A note is added: the first"', "{ instruction: 'Add n2, 1 times: true.', input: { deep: [null] } }", 1),
    'drillyard/two.drill.yaml': own('add-two', 'A note is added', `{ instruction: 'Add \${case.times}, 2 times: false.', input: null }`, 2),
  });
  const together = await buildWith(t, withCases(two));
  assert.deepEqual(
    together.drills.map(({ drill: { caseOf, ...plain }, ...rest }) => ({ drill: plain, ...rest, caseOf })),
    apart.drills.map((compiled) => ({ ...compiled, caseOf: 'add' })),
  );
});

test('cases come from a file beside the drill, in YAML, JSON or JSON Lines', async (t) => {
  const list = [
    { id: 'one', values: { note: 'n2', times: 1, loud: true, data: 1 } },
    { id: 'two', values: { note: 'n3', times: 2, loud: false, data: 2 } },
  ];
  const hashes: string[] = [];
  for (const [name, text] of [
    ['cases.yaml', JSON.stringify(list, null, 2)],
    ['cases/notes.json', JSON.stringify(list)],
    ['cases/notes.jsonl', `${list.map((one) => JSON.stringify(one)).join('\n\n')}\n`],
  ] as const) {
    const { build, diagnostics, files, view } = await compileWith(t, {
      [drill]: `${template}cases: { file: ${name} }\n`,
      [`drillyard/${name}`]: text,
    });
    assert.deepEqual(lines(diagnostics), []);
    assert.ok(files.files.includes(`drillyard/${name}`), 'what is pushed has the file');
    assert.deepEqual(
      view.drills.map(({ id, provenance }) => [id, provenance.file]),
      [
        ['add-one', drill],
        ['add-two', drill],
      ],
    );
    hashes.push(build?.buildHash ?? '');
  }
  assert.equal(new Set(hashes).size, 1);
});

test('a file of cases in a folder of drills is no file that is not read', async (t) => {
  const { diagnostics } = await compileWith(t, {
    [drill]: null,
    'drillyard/drills/add.drill.yaml': `${template}cases: { file: notes.yaml }\n`,
    'drillyard/drills/notes.yaml': '- { id: one, values: { note: n2, times: 1, loud: true, data: 1 } }\n',
  });
  assert.deepEqual(lines(diagnostics), []);
});

// DRILL-CASES-1
test('what is wrong with all cases is said once; what is wrong with some names them', async (t) => {
  const values = 'note: n2, times: 1, loud: true, data: 1';
  const found = await compileWith(
    t,
    withCases(
      `  - { id: one, values: { ${values} } }\n  - { id: two, values: { ${values} } }`,
      template.replace('targetId: agent', 'targetId: agnet'),
    ),
  );
  assert.deepEqual(lines(found.diagnostics), [`DY3002 ${drill}:5:11 /targetId there is no target 'agnet' (every case)`]);
  const some = await compileWith(
    t,
    withCases(
      `  - { id: one, values: { ${values} } }\n  - { id: two, values: { ${values.replace('times: 1', 'times: often')} } }\n  - { id: two, values: {} }`,
    ),
  );
  assert.deepEqual(lines(some.diagnostics), [
    `DY2003 ${drill}:10:115 /assertions/0/count/equals expected an integer, found "often" (case 'two')`,
    `DY3001 ${drill}:14:11 /cases/2/id the case 'two' is given twice`,
  ]);
});

test('cases that do not fit are reported where they stand', async (t) => {
  const broken: [files: Files, expected: RegExp[]][] = [
    [{ [drill]: `${template}cases: []\n` }, [/DY2003 .*:11:8 \/cases expected at least 1 item/]],
    [withCases('  - { id: One }'), [/DY2003 .*:12:11 \/cases\/0\/id /]],
    [withCases('  - { id: one, value: {} }'), [/DY2001 .*:12:16 \/cases\/0\/value "value" is not a member of DrillCase/]],
    [withCases('  - { id: one, values: { id: x } }'), [/DY2003 .* \/cases\/0\/values\/id 'id' is the case's own id/]],
    [
      withCases(`  - { id: ${'o'.repeat(96)}, values: { note: a, times: 1, loud: a, data: a } }`),
      [/DY2003 .*:12:11 \/cases\/0\/id expected at most 96 characters, found 100/],
    ],
    [withCases(two, template.replace('id: add', 'id: Add')), [/DY2003 .*:2:5 \/id /]],
    [
      withCases(Array.from({ length: limits.drillCasesMax + 1 }, (_, index) => `  - { id: c${index} }`).join('\n')),
      [/DY2006 .*there are 257 of them; at most 256/],
    ],
    [
      withCases(two, `${template.replace('task: {', `task: { '\${case.note}': 1,`)}`),
      [/DY4008 .*8:9 .*holds a placeholder.*\(every case\)/],
    ],
    [{ [drill]: `${template}cases: { file: ../../cases.yaml }\n` }, [/DY1008 .*\/cases\/file/]],
    [
      { [drill]: `${template}cases: { file: cases.yaml, from: 2 }\n`, 'drillyard/cases.yaml': '- { id: one }\n' },
      [/DY2001 .*:11:28 \/cases\/from "from" is not a member of DrillCaseFile/],
    ],
    [{ [drill]: `${template}cases: { file: cases.csv }\n` }, [/DY2003 .*\/cases\/file .*\.jsonl/]],
    [
      { [drill]: `${template}cases: { file: cases.jsonl }\n`, 'drillyard/cases.jsonl': '{"id": "one"}\n\n{"id": }\n' },
      [/DY1003 drillyard\/cases.jsonl:3:8 \/1/],
    ],
    [
      { [drill]: `${template}cases: { file: cases.yaml }\n`, 'drillyard/cases.yaml': 'id: one\n' },
      [/DY2003 drillyard\/cases.yaml:1:1 .* expected a list of cases/],
    ],
    [
      { [drill]: `${template}cases: { file: cases.yaml }\n`, 'drillyard/cases.yaml': '- { id: one, values: 5 }\n' },
      [/DY2003 drillyard\/cases.yaml:1:22 \/0\/values /],
    ],
  ];
  for (const [files, expected] of broken) {
    const { diagnostics, build } = await compileWith(t, files);
    assert.equal(build, undefined);
    assert.equal(diagnostics.length, expected.length, lines(diagnostics).join('\n'));
    for (const [index, pattern] of expected.entries()) assert.match(lines(diagnostics)[index] ?? '', pattern);
  }
});

test('no two drills have one id, and the id of a file with cases is none of a drill', async (t) => {
  const plain = sound[drill];
  const collisions: [files: Files, expected: string[]][] = [
    [{ 'drillyard/b.drill.yaml': plain.replace('id: add', 'id: add-two') }, ['DY3001 /id add-two']],
    [{ 'drillyard/b.drill.yaml': plain }, ['DY3001 /id add']],
    [{ 'drillyard/b.drill.yaml': `${template}cases:\n${two}\n` }, ['DY3001 /id add']],
    [{ 'drillyard/b.drill.yaml': `${plain.replace('id: add', 'id: add-two')}cases: [{ id: more }]\n` }, ['DY3001 /cases/1/id add-two']],
  ];
  for (const [files, expected] of collisions) {
    const { diagnostics } = await compileWith(t, { ...withCases(two), ...files });
    assert.deepEqual(
      diagnostics.map(({ code, path, message }) => `${code} ${path} ${/drill '([^']+)'/.exec(message)?.[1]}`),
      expected,
      lines(diagnostics).join('\n'),
    );
  }
});

test('a suite may name a case or all of them, and a file whose cases are broken is not missing', async (t) => {
  const suite = (ids: string): Files => ({ 'drillyard/some.suite.yaml': `schemaVersion: 1\nid: some\ndrills: [${ids}]\n` });
  const found = await compileWith(t, { ...withCases(two), ...suite('add, add-one, add-tow') });
  assert.deepEqual(
    found.diagnostics.map(({ code, path, suggestion }) => [code, path, suggestion]),
    [['DY3004', '/drills/2', "Did you mean 'add-two'?"]],
  );
  const broken = await compileWith(t, { ...withCases('  - { id: one, extra: 1 }'), ...suite('add, add-one') });
  assert.deepEqual(
    broken.diagnostics.map(({ code }) => code),
    ['DY2001'],
  );
  const value = await compileWith(t, { ...withCases('  - { id: one }'), ...suite('add, add-one') });
  assert.deepEqual([...new Set(value.diagnostics.map(({ code }) => code))], ['DY3022']);
  const shape = await compileWith(t, { ...withCases(two, template.replace('agent', 'Agent')), ...suite('add, add-one') });
  assert.deepEqual(
    shape.diagnostics.map(({ code }) => code),
    ['DY2003'],
  );
});

test('a placeholder between braces without quotes is one error, with the quotes that it wants', async (t) => {
  const { diagnostics } = await compileWith(t, withCases(two, template.replace(`'\${case.data}'`, `\${case.data}`)));
  assert.deepEqual(
    diagnostics.filter(({ file }) => file === drill).map(({ code, line, column, suggestion }) => [code, line, column, suggestion]),
    [['DY1003', 8, 85, `Write "\${case.data}".`]],
  );
});

test('a value that nothing uses is reported at its first case, with a near name', async (t) => {
  const cases = two.replaceAll('loud: ', 'extra: 1, laud: 1, loud: ');
  const { diagnostics, build } = await compileWith(t, withCases(cases));
  assert.ok(build);
  assert.deepEqual(
    diagnostics.map(({ code, path, message, suggestion }) => [code, path, message, suggestion]),
    [
      ['DY3023', '/cases/0/values/extra', "no placeholder is for 'extra', which 2 cases have", 'Known: data, loud, note, times.'],
      ['DY3023', '/cases/0/values/laud', "no placeholder is for 'laud', which 2 cases have", "Did you mean 'loud'?"],
    ],
  );
});

// DRILL-CASES-3
test('what cases make is bounded as files are', async (t) => {
  const text = 'x'.repeat(100_000);
  const large = `'${`\${case.note}`.repeat(50)}'`;
  const { diagnostics } = await compileWith(t, {
    ...edited(drill, 'Add a note.', large),
    [drill]: `${sound[drill].replace('Add a note.', large)}cases: [{ id: one, values: { note: ${text} } }]\n`,
  });
  assert.deepEqual(
    diagnostics.map(({ code, path }) => [code, path]),
    [['DY1006', '/cases/0']],
  );
});

test('a drill or a case that is skipped is checked all the same', async (t) => {
  const cases = two
    .replace('{ id: one,', '{ id: one, skip: Not yet.,')
    .replace('{ id: two,', `{ id: two, skip: 'Waits for \${case.note}.',`);
  const { drills } = await buildWith(t, withCases(cases));
  assert.deepEqual(
    drills.map(({ drill: { skip } }) => skip),
    ['Not yet.', `Waits for \${case.note}.`],
  );
  const inherited = await buildWith(t, withCases(two, template.replace('tags:', `skip: 'Not with \${case.times}.'\ntags:`)));
  assert.deepEqual(
    inherited.drills.map(({ drill: { skip } }) => skip),
    ['Not with 1.', 'Not with 2.'],
  );
  const { diagnostics } = await compileWith(t, edited(drill, 'targetId: agent', 'skip: Not yet.\ntargetId: agnet'));
  assert.deepEqual(
    diagnostics.map(({ code }) => code),
    ['DY3002'],
  );
});
