// Whole drills a second: a module target that makes five tool calls, its world made, judged and sealed, its report written. In the same run
// its floor: an agent in a thread of its own and the same report, without world, evidence and verdict.
//   npm run bench -- drill [--drills 400] [--rounds 3] [--json]
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runDrills } from '../src/index.js';
import { runFloor } from './drill-floor.js';
import { type Pace, startPace } from './pace.js';

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
  'drillyard/writer.target.yaml':
    'schemaVersion: 1\ntarget: { id: writer, kind: module, module: agent.mjs, bindings: [direct], timeoutMs: 10000 }\n',
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

export async function run({ drills = 400, rounds = 3 }: { [flag: string]: string | boolean | number }): Promise<object> {
  const root = mkdtempSync(join(tmpdir(), 'drillyard-bench-drill-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    const figures: object[] = [];
    for (const concurrency of [1, 8]) figures.push(await figuresAt(concurrency, { root, drills: Number(drills), rounds: Number(rounds) }));
    return Object.assign({ drills: Number(drills), callsPerDrill: 5 }, ...figures);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** The best of the rounds, which is the least disturbed one; and of each round, how many times the seconds and the CPU of its floor. */
async function figuresAt(concurrency: number, { root, drills, rounds }: { root: string; drills: number; rounds: number }): Promise<object> {
  await measure(root, { trials: Math.ceil(drills / 2), concurrency });
  const module = join(root, 'agent.mjs');
  const reports = join(root, '.service/reports');
  const all: { drill: Pace; floor: Pace }[] = [];
  // In turns, so that what else the machine does falls on both alike.
  for (let round = 0; round < rounds; round++) {
    const directory = mkdtempSync(join(root, 'floor-'));
    all.push({
      drill: await measure(root, { trials: drills, concurrency }),
      // A run of before the last one may have been removed: a repository keeps the newest.
      floor: await runFloor({ directory, module, report: join(reports, newestOf(reports)), drills, concurrency }),
    });
    console.error(`concurrency ${concurrency}: ${JSON.stringify(all.at(-1))}`);
  }
  return {
    [`drillsPerSecondAt${concurrency}`]: Math.max(...all.map(({ drill }) => drill.perSecond)),
    [`cpuMsAt${concurrency}`]: Math.min(...all.map(({ drill }) => drill.cpuMs)),
    [`secondsToFloorAt${concurrency}`]: all.map(({ drill, floor }) => Number((floor.perSecond / drill.perSecond).toFixed(1))),
    [`cpuToFloorAt${concurrency}`]: all.map(({ drill, floor }) => Number((drill.cpuMs / floor.cpuMs).toFixed(1))),
  };
}

/** Ids of runs sort by time. */
function newestOf(reports: string): string {
  return readdirSync(reports).sort().at(-1) as string;
}

async function measure(root: string, { trials, concurrency }: { trials: number; concurrency: number }): Promise<Pace> {
  let paceOf: ReturnType<typeof startPace> | undefined;
  const result = await runDrills({
    root,
    trials,
    concurrency,
    onEvent: ({ event }) => {
      // Compiling and starting the first hosts happen once a run, not once a drill.
      if (event === 'attempt_started') paceOf ??= startPace();
    },
  });
  if (result.verdict !== 'passed' || paceOf === undefined) throw new Error(`the drills of the bench ${result.verdict}`);
  return paceOf(trials);
}
