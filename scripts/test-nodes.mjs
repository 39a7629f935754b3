// The tests whose result could depend on the version of Node, on each supported line, as `npm run test:nodes` runs them after a build.
//   node scripts/test-nodes.mjs [line ...]     default: all
// The attacks on the realm are the first of them: a version of V8 that opens a way out of it is seen here; then come equal hashes, the
// command line, the servers, and tool code in processes and boxes under a limit of their memory. The npm package `node` brings the
// binaries. Line 20 is past its end of life, and is tested as long as `engines` of package.json names it.
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installCached } from './cached-packages.mjs';

const lines = { 20: '20.20.2', 22: '22.23.3', 24: '24.21.0', 26: '26.10.0' };
const tests = [
  ...['test/tools/realm', 'test/tools/power', 'test/tools/load', 'test/worlds/hostile', 'test/worlds/world-model'],
  ...['test/cli/determinism', 'test/cli/main', 'test/http/server', 'test/e2e/serve'],
  ...['test/worlds/boxes', 'test/control/task-process', 'test/e2e/containment'],
];

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(lines);
for (const line of chosen)
  if (!Object.hasOwn(lines, line)) throw new Error(`there is no line ${line} of Node; there are ${Object.keys(lines).join(', ')}`);

let failed = false;
for (const line of chosen) {
  const cache = installCached(`node-${line}`, { node: lines[line] });
  const node = join(cache, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  console.log(`\n== Node ${lines[line]} ==`);
  // No more at once than there are processors: a service gives the compiler in a box ten seconds.
  const flags = ['--concurrency', String(availableParallelism())];
  const { status, error } = spawnSync(node, ['scripts/test.mjs', ...flags, ...tests], { stdio: 'inherit' });
  if (error) throw error;
  failed ||= status !== 0;
}
process.exitCode = failed ? 1 : 0;
