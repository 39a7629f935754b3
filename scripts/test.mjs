// Runs compiled tests with node's own runner. The files are named one by one: Node 20 would run every file in a folder called test.
//   node scripts/test.mjs [--out DIR] [--concurrency N] [--apart] [--source-maps] [substring ...]
// Only the test files whose path has one of the substrings. They share processes (test-processes.mjs), or have each its own with --apart;
// those that have a time to keep run first, with one other process beside them, and each of these has a summary of its own. N processes
// run at once, unless given half as many again as there are processors, 8 at most: those of clusters and of browsers wait for much of
// their time.
// --source-maps makes stack traces name lines of the source, not of the output.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { processesOf } from './test-processes.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const words = process.argv.slice(2);
const out = takeValue('--out') ?? 'dist';
const isApart = takeWord('--apart');
const hasSourceMaps = takeWord('--source-maps');
const concurrency = Number(takeValue('--concurrency') ?? Math.min(8, Math.ceil((3 * availableParallelism()) / 2)));
if (!Number.isInteger(concurrency) || concurrency < 1) {
  console.error('--concurrency takes how many processes run at once: 1 or more');
  process.exit(2);
}
const files = readdirSync(join(out, 'test'), { recursive: true })
  .map((name) => join(out, 'test', name))
  .filter((name) => name.endsWith('.test.js') && (words.length === 0 || words.some((word) => name.includes(word))))
  .sort();
if (files.length === 0) {
  console.error(`no test file matches ${words.join(' ')}`);
  process.exit(2);
}
const flags = [
  // A process reads and parses the map of each module that it loads, and so does each of its threads: a tenth of the time of a start.
  ...(hasSourceMaps ? ['--enable-source-maps'] : []),
  // Optimize what has run seven times as long as is usual: nearly every process of a test lives for a second or two, and the optimizer
  // works for code that is thrown away. Of the processor's time it saves an eighth (632 tests of cli, control and e2e: 344-349 s, without
  // it 390 s). test/cli/cli.ts hands it on to what it starts. Later lines of Node do not know the flag.
  ...(process.versions.node.startsWith('20.') ? ['--interrupt-budget=500000'] : []),
  // Short processes allocate much while they load modules and keep most of it, and the files at once use every core already: a young
  // generation that starts at 16 MB is copied less often, and threads that collect beside the program only add work. Processor's time of
  // `drillyard run` on a busy machine, 8 runs each: median 1.13 s without, 1.02 s with the first, 0.99 s with both (minimum 0.91 and 0.89).
  '--single-threaded-gc',
  '--min-semi-space-size=16',
  // The first fetch of a process compiles the parser of HTTP, which is WebAssembly, and optimizes all of it: 0.09 s of a processor for
  // code that few processes of a test use long enough.
  '--liftoff-only',
  // What such a process keeps is not collected on the way to 64 MB: nothing of it is dead yet. `drillyard run` of one drill, three turns
  // of 11 runs each: median 0.70 s of a processor without, 0.66 s with it.
  '--initial-old-space-size=64',
  // A host of a test gets the thread of one before it: of the processor's time of a suite that is two fifths (test/keep-threads.ts).
  '--import',
  `./${join(out, 'test', 'keep-threads.js')}`,
  // It rests on internals of this line of Node.
  ...(process.versions.node.startsWith('20.') && !isApart ? ['--import', `./${join(out, 'test', 'untracked-promises.js')}`] : []),
];
// Certificates of the machine, which each process would read at its start, in two thirds of the time that an empty one takes. No test
// leaves this machine.
const { NODE_EXTRA_CA_CERTS: _, ...environment } = process.env;
// What one test parses and bundles the others read, and the user's own cache stays as it is.
environment.DRILLYARD_CACHE_DIR = join(process.cwd(), out, '.cache');
const { timed, together, folder } = isApart ? { timed: [], together: files } : processesOf(files, out);
const statuses = await runAll();
if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
process.exit(statuses.find((status) => status !== 0) ?? 0);

/** Yields exit codes. Faults, and the waits for what follows them, leave most of two processors idle: one busy process fits beside them. */
async function runAll() {
  if (timed.length === 0) return [await run(together)];
  const [beside, ...others] = together;
  const first = beside === undefined ? 0 : run([beside]);
  return [await run(timed), others.length === 0 ? 0 : await run(others), await first];
}

/** Yields node's exit code. */
async function run(processes) {
  const child = spawn(process.execPath, [...flags, '--test', `--test-concurrency=${concurrency}`, '--test-reporter=spec', ...processes], {
    stdio: 'inherit',
    env: environment,
  });
  const [code] = await once(child, 'close');
  return code ?? 1;
}

/** Takes the flag and its value out of the words. */
function takeValue(name) {
  const at = words.indexOf(name);
  return at < 0 ? undefined : (words.splice(at, 2)[1] ?? '');
}

function takeWord(name) {
  const at = words.indexOf(name);
  if (at >= 0) words.splice(at, 1);
  return at >= 0;
}
