// A cluster of three nodes under faults, as `npm run test:cluster` runs it after a build. Its report is on stdout; the last line is JSON.
//   node scripts/test-cluster.mjs [--rounds N] [--kills N] [--seed N] [--worlds N] [--events N] [--kinds a,b] [--within-ms N]
// `--kills 100` adds as many rounds of `kill -9` of the leader. `--events`: of each long advance in the load; 0: none (default 100,000).
// Faults that this machine cannot make (networks and small disks take root) are named. test/e2e/cluster-chaos.ts does the work.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const { status, error } = spawnSync(process.execPath, ['dist/test/e2e/cluster-chaos.js', ...process.argv.slice(2)], { stdio: 'inherit' });
if (error) throw error;
process.exitCode = status ?? 1;
