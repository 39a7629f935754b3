// Whole drills a second: a module target that makes five tool calls, its world made, judged and sealed, its report written.
//   npm run bench -- drill [--json]
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runDrills } from '../src/index.js';

export interface DrillBenchOptions {
  /** Drills measured at each concurrency, after a warm-up of a quarter as many. Text from the command line. */
  drills?: number | string;
}

const files: { [path: string]: string } = {
  'drillyard.json': '{"schemaVersion":1,"toolPackages":["./notes"]}',
  'notes/notes.tool.yaml': `schemaVersion: 1
manifest:
  schemaVersion: 1
  id: notes
  version: 1.0.0
  engine: ">=0.1.0"
  capabilities: [state.read, state.write]
  state:
    - namespace: notes
      schema: { type: object, additionalProperties: false, required: [id, text], properties: { id: { type: string }, text: { type: string } } }
  operations:
    - id: note.write
      idempotency: none
      fidelity: bench
      inputSchema: { type: object, additionalProperties: false, required: [id, text], properties: { id: { type: string }, text: { type: string } } }
      outputSchema: { type: object }
module: behavior.ts
`,
  'notes/behavior.ts': `import { defineToolBehavior } from 'drillyard/tool-sdk';
export default defineToolBehavior({ operations: { 'note.write': (input: any, context: any) => { context.state.put('notes', input.id, input); return input; } } });
`,
  'drillyard/world.yaml': `schemaVersion: 1
id: bench
actors:
  - { id: writer, grants: [{ packageId: notes, operationId: note.write }] }
`,
  'drillyard/writer.target.yaml': 'schemaVersion: 1\ntarget: { id: writer, kind: module, module: agent.mjs, bindings: [direct], timeoutMs: 10000 }\n',
  'agent.mjs': `export default async (_, { world }) => {
  for (let index = 0; index < 5; index++) {
    const outcome = await world.call('notes', 'note.write', { id: 'n' + index, text: 'note ' + index });
    if (outcome.kind !== 'ok') throw new Error(outcome.error.message);
  }
};
`,
  'drillyard/write.drill.yaml': `schemaVersion: 1
id: write
targetId: writer
actorId: writer
task: { instruction: Write five notes. }
assertions:
  - { id: five, kind: state.count, packageId: notes, namespace: notes, count: { equals: 5 } }
  - { id: calls, kind: operation.count, operation: { packageId: notes, operationId: note.write, outcome: ok }, count: { equals: 5 } }
`,
};

export async function run(options: DrillBenchOptions = {}): Promise<object> {
  const drills = Number(options.drills ?? 400);
  const root = mkdtempSync(join(tmpdir(), 'drillyard-bench-drill-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    const at: { [name: string]: number } = {};
    for (const concurrency of [1, 8]) {
      await measure(root, { trials: Math.ceil(drills / 4), concurrency });
      at[`drillsPerSecondAt${concurrency}`] = Math.round((drills / (await measure(root, { trials: drills, concurrency }))) * 10) / 10;
    }
    return { drills, callsPerDrill: 5, ...at };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Seconds. */
async function measure(root: string, { trials, concurrency }: { trials: number; concurrency: number }): Promise<number> {
  let startedAt = 0;
  const result = await runDrills({
    root,
    trials,
    concurrency,
    onEvent: ({ event }) => {
      // Compiling and starting hosts happen once a run, not once a drill.
      if (event === 'attempt_started' && startedAt === 0) startedAt = performance.now();
    },
  });
  if (result.verdict !== 'passed') throw new Error(`the drills of the bench ${result.verdict}`);
  return (performance.now() - startedAt) / 1000;
}
