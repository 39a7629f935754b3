// What a person waits for at each command, from the start of its process: `validate` of 200 documents, `run` of one drill, and the first
// `serve` in a folder until it says that it listens. Each with an empty cache and with what the command before it kept, beside a Node.js
// that does nothing, in turns.
//   npm run bench -- start [--turns 7] [--documents 200] [--beside path/of/another/bin/drillyard.js] [--json]
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { quantiles } from './rows.js';

const bin = fileURLToPath(new URL('../../bin/drillyard.js', import.meta.url));
const example = fileURLToPath(new URL('../../examples/01-support-desk', import.meta.url));
const exampleDrill = join('drillyard', 'drills', 'careless-refund.drill.yaml');

interface Subject {
  name: string;
  words: string[];
  cwd?: string;
  /** What it prints when what was waited for has happened; default: it ends. */
  until?: string;
}

export async function run({ turns = 7, documents = 200, beside }: { [flag: string]: string | boolean | number }): Promise<object> {
  const scratch = mkdtempSync(join(tmpdir(), 'drillyard-bench-start-'));
  const [small, large, data, cache] = ['small', 'large', 'data', 'cache'].map((name) => join(scratch, name)) as [
    string,
    string,
    string,
    string,
  ];
  for (const root of [small, large]) cpSync(example, root, { recursive: true, filter: (path) => !path.includes('.service') });
  addDrills(large, Number(documents));
  const subjectsOf = (program: string, mark = ''): Subject[] => [
    { name: `${mark}validate`, words: [program, 'validate'], cwd: large },
    { name: `${mark}run`, words: [program, 'run', 'careless-refund'], cwd: small },
    { name: `${mark}serve`, words: [program, 'serve', '--port', '0', '--data-dir', data], until: '/v1' },
  ];
  const other = beside === undefined ? [] : subjectsOf(resolve(String(beside)), 'beside.');
  const subjects: Subject[] = [{ name: 'floor', words: ['-e', '0'] }, ...subjectsOf(bin), ...other];
  const taken = new Map<string, number[]>();
  for (let turn = 0; turn < Number(turns); turn++)
    for (const subject of subjects) {
      rmSync(cache, { recursive: true, force: true });
      for (const state of subject.name === 'floor' ? [''] : ['.first', '.again']) {
        const ms = await timeOf(subject, { ...process.env, DRILLYARD_CACHE_DIR: cache });
        rmSync(data, { recursive: true, force: true });
        taken.set(subject.name + state, [...(taken.get(subject.name + state) ?? []), ms]);
      }
    }
  rmSync(scratch, { recursive: true, force: true });
  return Object.fromEntries(
    [...taken].map(([name, ms]) => [name, { minMs: Math.round(Math.min(...ms)), p50Ms: Math.round(quantiles(ms).p50Ms) }]),
  );
}

/** The drill of the example under other ids, each with a text of its own, until there are so many documents. */
function addDrills(root: string, documents: number): void {
  const text = readFileSync(join(root, exampleDrill), 'utf8');
  for (let index = 0; index < documents; index++)
    writeFileSync(join(root, 'drillyard', 'drills', `more-${index}.drill.yaml`), text.replace(/^id: .*$/m, `id: more-${index}`));
}

/** Milliseconds from the start of the process. */
async function timeOf({ words, cwd, until }: Subject, env: NodeJS.ProcessEnv): Promise<number> {
  const from = performance.now();
  const child = spawn(process.execPath, words, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const isSaid = until === undefined ? ended.then(() => true) : await Promise.race([saying(child, until), ended.then(() => false)]);
  if (!(await isSaid)) throw new Error(`it ended before it said ${until}`);
  const ms = performance.now() - from;
  child.kill('SIGTERM');
  await ended;
  return ms;
}

function saying(child: ChildProcess, text: string): Promise<boolean> {
  return new Promise((resolve) => {
    let heard = '';
    const hear = (chunk: string): void => {
      heard += chunk;
      if (heard.includes(text)) resolve(true);
    };
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', hear);
  });
}
