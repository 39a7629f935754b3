// The second example, as a user runs it: `node hosted-run.mjs` beside an installed drillyard, in a folder of its own.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { engineFlags } from '../cli/cli.js';
import { startService } from '../e2e/service.js';

const example = fileURLToPath(new URL('../../../examples/02-hosted-run', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'drillyard-example-'));
before(() => {
  cpSync(example, root, { recursive: true, filter: (from) => !from.includes('.service') });
  install(join(root, 'node_modules', 'drillyard'));
});
after(() => rmSync(root, { recursive: true, force: true }));

/** As npm would, but with what this build made. */
function install(folder: string): void {
  const built = (path: string): string => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);
  const files = {
    'package.json': JSON.stringify({
      name: 'drillyard',
      type: 'module',
      exports: { './client': './client.js', './package.json': './package.json' },
    }),
    'client.js': `export * from ${built('client/client.js')};`,
    'bin/drillyard.js': `import { main } from ${built('cli/main.js')};\nawait main(process.argv.slice(2));`,
  };
  mkdirSync(join(folder, 'bin'), { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
}

async function run(
  args: string[] = [],
  env: { [name: string]: string } = {},
): Promise<{ code: number | null; stdout: string; evidenceHash: string | undefined }> {
  const child = spawn(process.execPath, [...engineFlags, 'hosted-run.mjs', ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  assert.equal(stderr, '');
  return { code: code as number | null, stdout, evidenceHash: /^evidence \S+ (sha256:[0-9a-f]{64})$/m.exec(stdout)?.[1] };
}

test('it starts its service, and the agent passes; at the next start the same run gives the same evidence', async () => {
  const first = await run();
  assert.equal(first.code, 0, first.stdout);
  assert.match(first.stdout, /^service http:.*\nrun hrun_/);
  assert.match(first.stdout, /\nPASSED {2}refund-happy-path\n$/);
  const second = await run();
  assert.ok(first.evidenceHash !== undefined);
  assert.deepEqual([second.code, second.evidenceHash], [0, first.evidenceHash]);
});

test('with a service that runs already it uses that, and an actor who may not refund is refused', async () => {
  const service = await startService();
  const { baseUrl, credential = '' } = service.ready;
  const { code, stdout } = await run(['auditor-cannot-refund'], { DRILLYARD_URL: baseUrl, DRILLYARD_CREDENTIAL: credential });
  assert.equal(code, 0, stdout);
  assert.match(stdout, /passed {7}was-refused/);
  assert.equal((await service.stop()).code, 0);
});
