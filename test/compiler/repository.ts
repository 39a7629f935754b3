// Repositories for tests: real folders, made of a small sound project and what a test changes in it.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { type CompileResult, compileProject } from '../../src/compiler/compile.js';
import type { CompiledBuild, Diagnostic } from '../../src/contract/run/build.js';

/** Path to text; null takes a file of the sound project away; `link` makes a symbolic link. */
export type Files = { [path: string]: string | Uint8Array | null | { link: string } };

export const sound = {
  'drillyard.json': '{ "schemaVersion": 1 }\n',
  'agent.mjs': 'throw new Error("the compiler runs nothing");\n',
  'drillyard/world.yaml': `schemaVersion: 1
id: shop
actors:
  - id: ann
    grants:
      - { packageId: notes, operationId: notes.add }
      - { packageId: world, operationId: clock.wait }
state:
  - { action: upsert, packageId: notes, namespace: notes, rowId: n1, value: { text: first } }
initialEvents:
  - { event: { packageId: notes, eventId: due }, payload: { id: n1 }, atUs: 5, actorId: ann }
`,
  'drillyard/notes.tool.yaml': `schemaVersion: 1
module: ./notes.ts
manifest:
  schemaVersion: 1
  id: notes
  version: 1.0.0
  engine: ">=0.1.0"
  capabilities: [state.read, state.write, clock.schedule]
  state:
    - namespace: notes
      schema: { type: object, required: [text], additionalProperties: false, properties: { text: { type: string } } }
  operations:
    - id: notes.add
      inputSchema: { type: object, properties: { id: { type: string } } }
      outputSchema: { type: object }
      declaredErrors: [{ code: TAKEN }]
      idempotency: optional
      fidelity: enough
  events:
    - { id: due, payloadSchema: { type: object, required: [id], properties: { id: { type: string } } } }
  subscriptions:
    - { id: on-due, event: { packageId: notes, eventId: due } }
  faults:
    - { id: down, appliesTo: [notes.add], timing: before, error: { code: DOWN, message: Down., retryable: true } }
`,
  'drillyard/notes.ts': `import { defineToolBehavior } from 'drillyard/tool-sdk';
import { clean } from './clean.js';

export default defineToolBehavior({
  operations: {
    'notes.add': (input: { id: string }, context) => {
      context.state.put('notes', input.id, { text: clean(input.id) });
      return { id: input.id };
    },
  },
  subscriptions: { 'on-due': () => {} },
});
`,
  'drillyard/clean.ts': 'export const clean = (text: string): string => text.trim();\n',
  'drillyard/busy.scenario.yaml': `schemaVersion: 1
id: busy
virtualTimeUs: 3
state:
  - { action: delete, packageId: notes, namespace: notes, rowId: n1 }
faults:
  - { packageId: notes, faultId: down }
`,
  'drillyard/agent.target.yaml':
    'schemaVersion: 1\ntarget: { id: agent, kind: module, module: agent.mjs, bindings: [direct], timeoutMs: 1000 }\n',
  'drillyard/add.drill.yaml': `schemaVersion: 1
id: add
tags: [smoke]
targetId: agent
scenarioId: busy
actorId: ann
task: { instruction: Add a note. }
assertions:
  - { id: added, kind: operation.count, operation: { packageId: notes, operationId: notes.add }, count: { equals: 1 } }
`,
  'drillyard/all.suite.yaml': 'schemaVersion: 1\nid: all\ntags: [smoke]\n',
} as const;

/** A temporary folder with these files; gone after the test. */
export function folder(t: TestContext, files: Files): string {
  const root = mkdtempSync(join(tmpdir(), 'drillyard-compile-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    if (content === null) continue;
    mkdirSync(dirname(join(root, path)), { recursive: true });
    if (typeof content === 'object' && 'link' in content) symlinkSync(content.link, join(root, path));
    else writeFileSync(join(root, path), content);
  }
  return root;
}

/** The sound project with changes, compiled. */
export async function compileWith(t: TestContext, changes: Files = {}, config?: string): Promise<CompileResult> {
  return compileProject({ root: folder(t, { ...sound, ...changes }), ...(config === undefined ? {} : { config }) });
}

export async function buildWith(t: TestContext, changes: Files = {}): Promise<CompiledBuild> {
  const { build, diagnostics } = await compileWith(t, changes);
  if (build === undefined) throw new Error(lines(diagnostics).join('\n'));
  return build;
}

export function lines(diagnostics: readonly Diagnostic[]): string[] {
  return diagnostics.map(({ code, file, line, column, path, message }) => `${code} ${file}:${line}:${column} ${path} ${message}`);
}

/** A file of the sound project with one text in it replaced; the text must be there. */
export function edited(path: keyof typeof sound, from: string, to: string): Files {
  const before = sound[path];
  if (!before.includes(from)) throw new Error(`${path} has no '${from}'`);
  return { [path]: before.replace(from, to) };
}
