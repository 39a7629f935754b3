// `drillyard tool types`: what it writes compiles, fits the behavior it was made for, and refuses what the manifest does not have.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { createRepository } from '../drills/repository.js';
import { drillyard } from './cli.js';
import { warmDrillyard } from './warm-cli.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const options: ts.CompilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2022.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: [],
  paths: { 'drillyard/tool-sdk': [join(root, 'src/tools/sdk.ts')] },
};

function errorsOf(...files: string[]): string[] {
  return ts.getPreEmitDiagnostics(ts.createProgram(files, options)).map(({ file, start = 0, messageText }) => {
    const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start).line + 1;
    return `${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ').split('\n')[0]}`;
  });
}

/** Below the repository, so that files are modules of a package. */
function folder(t: TestContext): string {
  const made = mkdtempSync(join(tmpdir(), 'drillyard-types-'));
  t.after(() => rmSync(made, { recursive: true, force: true }));
  writeFileSync(join(made, 'package.json'), '{ "type": "module" }');
  return made;
}

test("the types of the library's payments fit its behavior", async (t) => {
  const made = folder(t);
  cpSync(join(root, 'library/payments'), join(made, 'payments'), { recursive: true });
  const out = join(made, 'payments/provider/tool-types.ts');
  const { code, stdout } = await drillyard(['tool', 'types', '--tool', 'payments', '--out', out], {
    cwd: join(root, 'library/payments/conformance'),
  });
  assert.equal(code, 0);
  assert.match(stdout, /^Types of 1 tool written to /);
  const model = join(made, 'payments/provider/model.ts');
  const written = readFileSync(model, 'utf8');
  const own = /export interface PaymentTypes \{[\s\S]*?\n\}\n/;
  assert.match(written, own);
  writeFileSync(
    model,
    `import type { PaymentsTool } from './tool-types.js';\n${written.replace(own, 'export type PaymentTypes = PaymentsTool;\n')}`,
  );
  // One function takes the codes of all operations as text, and the declared ones are known now.
  const errors = errorsOf(join(made, 'payments/behavior.ts'));
  assert.equal(errors.length, 1);
  assert.match(errors[0] ?? '', /Type 'string' is not assignable to type '"CUSTOMER_NOT_FOUND" \| "TOKEN_INVALID"/);
});

const tree = {
  type: 'object',
  required: ['root'],
  properties: { root: { $ref: '#/$defs/node' } },
  $defs: {
    node: {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
    },
  },
};
const choice = {
  oneOf: [
    { type: 'object', required: ['kind', 'cents'], properties: { kind: { const: 'card' }, cents: { type: 'integer' } } },
    { type: 'object', required: ['kind'], properties: { kind: { enum: ['cash', 'check'] } } },
  ],
};

// SCHEMA-TYPES-1, SCHEMA-TYPES-2
test('unions, references and open objects of a schema keep their meaning, and a misspelled name is an error of the compiler', async (t) => {
  const repository = createRepository({
    'drillyard/shop.tool.yaml': {
      schemaVersion: 1,
      module: './shop.ts',
      manifest: {
        schemaVersion: 1,
        id: 'shop-front',
        version: '1.0.0',
        engine: '*',
        capabilities: ['state.write'],
        state: [{ namespace: 'trees', schema: tree }],
        operations: [
          {
            id: 'shop.pay',
            description: 'Pays */ once.',
            inputSchema: choice,
            outputSchema: { type: ['string', 'null'] },
            declaredErrors: ['BROKE'],
            idempotency: 'none',
            fidelity: 'x',
          },
          {
            id: 'shop.tags',
            inputSchema: true,
            outputSchema: { type: 'array', items: { type: ['string', 'integer'] } },
            idempotency: 'none',
            fidelity: 'x',
          },
        ],
      },
    },
    'drillyard/shop.ts': 'export default { operations: {} };\n',
  });
  t.after(() => repository.remove());
  const { code, stdout } = await warmDrillyard(['tool', 'types', '--tool', 'shop-front'], { cwd: repository.root });
  assert.equal(code, 0);
  const made = folder(t);
  writeFileSync(join(made, 'types.ts'), stdout);
  const behavior = (
    input: string,
    errorCode: string,
    namespace: string,
  ): string => `import { defineToolBehavior } from 'drillyard/tool-sdk';
import type { ShopFrontTool } from './types.js';
export default defineToolBehavior<ShopFrontTool>({
  operations: {
    'shop.pay': (input, context) => {
      if (input.kind === 'card' && input.${input} > 3) context.fail({ code: '${errorCode}', message: 'No.' });
      context.state.put('${namespace}', 'a', { root: { name: 'a', children: [{ name: 'b' }] } });
      return input.kind === 'cash' ? null : 'paid';
    },
    'shop.tags': () => ['a', 1],
  },
});
`;
  const errors = (...names: [string, string, string]): string[] => {
    writeFileSync(join(made, 'behavior.ts'), behavior(...names));
    return errorsOf(join(made, 'behavior.ts'));
  };
  assert.deepEqual(errors('cents', 'BROKE', 'trees'), []);
  assert.equal(errors('cent', 'BROKEN', 'tres').length, 3);
  const unknown = await warmDrillyard(['tool', 'types', '--tool', 'shop-frnt'], { cwd: repository.root });
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /no tool 'shop-frnt'\. Did you mean 'shop-front'\?/);
});
