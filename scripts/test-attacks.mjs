// The attacks on a service that runs as an operator starts it, as `npm run test:attacks` runs them after a build: each file against
// services of its own, one file after the other, since they measure memory and time.
//   node scripts/test-attacks.mjs [word ...]     only the files whose name has one of the words
// DRILLYARD_ATTACK_MODES=box,process,thread takes some of the modes; DRILLYARD_ATTACK_SECONDS is how long all attacks at once last, and
// DRILLYARD_ATTACK_KINDS=realm,memory,results,spin,glob,queue,dataset,flood which of them are made.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const words = process.argv.slice(2);
const folder = join('dist', 'test', 'attacks');
const files = readdirSync(folder)
  .filter((name) => name.endsWith('.attack.js') && (words.length === 0 || words.some((word) => name.includes(word))))
  .sort()
  .map((name) => join(folder, name));
if (files.length === 0) {
  console.error(`no attack matches ${words.join(' ')}`);
  process.exit(2);
}
const flags = ['--enable-source-maps', '--test', '--test-concurrency=1', '--test-reporter=spec'];
const { status, error } = spawnSync(process.execPath, [...flags, ...files], { stdio: 'inherit' });
if (error) throw error;
process.exitCode = status ?? 1;
