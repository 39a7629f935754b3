import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scriptTokens } from '../../src/tools/script-tokens.js';
import { compileWith, sound } from './repository.js';

const behavior = 'drillyard/notes.ts';
const tool = 'drillyard/notes.tool.yaml';
const route = `  http:
    - { id: r.add, operationId: notes.add, method: POST, path: /notes, auth: { kind: none }, requestBody: json, response: { successStatus: 200, errors: [{ code: TAKEN, status: 409 }] } }
`;

/** What the manifest declares and the module is known to lack. */
async function lacks(t: Parameters<typeof compileWith>[0], module: string, more: { [path: string]: string } = {}): Promise<string[]> {
  const { diagnostics } = await compileWith(t, { [behavior]: module, [tool]: sound[tool] + route, ...more });
  return diagnostics.filter(({ severity }) => severity === 'error').map(({ code, message }) => `${code} ${/'(.*?)'/.exec(message)?.[1]}`);
}

test('a handler that object literals do not hold is an error, through names, spreads and files', async (t) => {
  const every = ['DY5021 notes.add', 'DY5021 on-due', 'DY5021 r.add'];
  assert.deepEqual(await lacks(t, 'export default { operations: {} };'), every);
  const patterns = 'const odd = (a) => a / 2 > 1 ? /[/"]{/.test(`$' + '{{ a }.a}`) : "}";\n';
  assert.deepEqual(
    await lacks(t, `${patterns}const it = { operations: { 'notes.add'() { return odd(1); } } };\nexport default it;`),
    every.slice(1),
  );
  const parts = {
    'drillyard/parts.ts':
      "const more = { 'notes.add': () => null };\nexport const operations = { ...more };\nexport const subscriptions = { 'on-du': () => {} };\n",
  };
  const module = "import { defineToolBehavior } from 'drillyard/tool-sdk';\nimport { operations, subscriptions } from './parts.js';\n";
  assert.deepEqual(
    await lacks(t, `${module}export default defineToolBehavior({ operations, subscriptions, http: {} });`, parts),
    every.slice(1),
  );
});

test('of ids that code makes up nothing is said', async (t) => {
  const unknown = [
    "const operations = {};\noperations['notes.' + 'add'] = () => null;\nexport default { operations, subscriptions: { 'on-due': () => {} }, http: other() };\nfunction other() { return { 'r.add': 1 }; }",
    "export default { ['operations']: {} };",
    'const it = { operations: {} };\nfill(it);\nexport default it;\nfunction fill(to) { to.operations = { "r.add": 1 }; }',
    'export default Object.assign({ operations: {} }, { "r.add": 1 });',
    "class Tool { operations = {}; }\nexport default new Tool();\n// 'r.add'",
  ];
  for (const module of unknown) assert.deepEqual(await lacks(t, module), [], module);
});

// SCRIPT-TOKENS-1
test('a script that does not come out even has no tokens', () => {
  for (const script of ['f(', 'f)', '({]})', '`a', '`a${', '`a${1', '/open', 'a = /b'])
    assert.equal(scriptTokens(script), undefined, script);
  assert.deepEqual(
    scriptTokens('f({ a: [1] })')?.map(({ partner }) => partner),
    [-1, 9, 8, -1, -1, 7, -1, 5, 2, 1],
  );
});
