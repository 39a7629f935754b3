// Runs compiled tests with node's own runner. The files are named one by one: Node 20 would run every file in a folder called test.
//   node scripts/test.mjs [--out DIR] [substring ...]     only the test files whose path has one of the substrings
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const words = process.argv.slice(2);
const flag = words.indexOf('--out');
const out = flag >= 0 ? words.splice(flag, 2)[1] : 'dist';
const files = readdirSync(join(out, 'test'), { recursive: true })
  .map((name) => join(out, 'test', name))
  .filter((name) => name.endsWith('.test.js') && (words.length === 0 || words.some((word) => name.includes(word))))
  .sort();
if (files.length === 0) {
  console.error(`no test file matches ${words.join(' ')}`);
  process.exit(2);
}
const flags = [
  '--enable-source-maps',
  // Optimize what has run seven times as long as is usual: nearly every process of a test lives for a second or two, and the optimizer
  // works for code that is thrown away. Of the processor's time it saves an eighth (632 tests of cli, control and e2e: 344-349 s, without
  // it 390 s); a third file at once saves nothing. test/cli/cli.ts hands it on to what it starts. Later lines of Node do not know the flag.
  ...(process.versions.node.startsWith('20.') ? ['--interrupt-budget=500000'] : []),
];
const { status } = spawnSync(process.execPath, [...flags, '--test', '--test-concurrency=2', '--test-reporter=spec', ...files], {
  stdio: 'inherit',
});
process.exit(status ?? 1);
