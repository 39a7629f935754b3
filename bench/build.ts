// What a developer waits for at each build, in a copy of this tree that shares its packages: the first build, one of which nothing has
// changed, and those after one file has: of the program, of the tests, and of the contract, whose validators are generated. Each with types
// checked and, but for the first, without.
//   npm run bench -- build [--turns 3] [--json]
import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('../..', import.meta.url));
/** What git would clone, but for what no build reads. */
const notCopied = /^(node_modules|dist|docs|deploy|coverage|\..*)$/;

interface Step {
  name: string;
  /** Relative to the root; a comment is added to it. */
  changed?: string;
}
const steps: Step[] = [
  { name: 'unchanged' },
  { name: 'source', changed: 'src/control/purge.ts' },
  { name: 'test', changed: 'test/control/purge.test.ts' },
  { name: 'contract', changed: 'src/contract/errors.ts' },
];

interface Taken {
  /** The quickest turn. */
  seconds: number;
  /** Of it, all processes together. */
  cpuSeconds: number;
}

export async function run({ turns = 3 }: { [flag: string]: string | boolean | number }): Promise<object> {
  const root = mkdtempSync(join(tmpdir(), 'drillyard-bench-build-'));
  try {
    for (const name of readdirSync(project).filter((entry) => !notCopied.test(entry)))
      cpSync(join(project, name), join(root, name), { recursive: true, filter: (path) => !path.includes('.service') });
    symlinkSync(join(project, 'node_modules'), join(root, 'node_modules'));
    const taken: { [name: string]: Taken } = { first: build(root) };
    for (const { name, changed } of steps)
      for (const flags of [[], ['--fast']]) {
        const tries = Array.from({ length: Number(turns) }, () => {
          if (changed !== undefined) appendFileSync(join(root, changed), '// changed\n');
          return build(root, flags);
        });
        taken[flags.length === 0 ? name : `${name}.fast`] = tries.reduce((best, one) => (one.seconds < best.seconds ? one : best));
      }
    return taken;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function build(root: string, flags: readonly string[] = []): Taken {
  const before = cpuOfChildren();
  const started = performance.now();
  const { status, stderr } = spawnSync(process.execPath, ['scripts/build.mjs', ...flags], { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`the build failed:\n${stderr}`);
  return { seconds: rounded((performance.now() - started) / 1000), cpuSeconds: rounded(cpuOfChildren() - before) };
}

/** Seconds of those that have ended. Linux only; elsewhere NaN. */
function cpuOfChildren(): number {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
    // Of a clock tick there are a hundred in a second.
    return (Number(fields[13]) + Number(fields[14])) / 100;
  } catch {
    return Number.NaN;
  }
}

const rounded = (value: number): number => Number(value.toFixed(2));
