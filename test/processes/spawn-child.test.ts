import { deepEqual, equal, ok } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { spawnChild } from '../../src/processes/spawn-child.js';
import { isGone } from '../cli/cli.js';

// SPAWN-CHILD-1, SPAWN-CHILD-3, FRAMED-CHANNEL-2
test('a child has ended when the last process that it left is gone, and has of the environment only what finds programs', {
  timeout: 60_000,
}, async (t) => {
  process.env.DRILLYARD_TEST_SECRET = 'sesame';
  t.after(() => delete process.env.DRILLYARD_TEST_SECRET);
  const heard: { from: string; environment?: string[] }[] = [];
  const child = spawnChild({
    entry: new URL('./heir-child.js', import.meta.url),
    onMessage: (message) => heard.push(message as (typeof heard)[number]),
  });
  t.after(() => child.kill());
  child.send({});
  await child.ended;
  deepEqual(
    heard.map(({ from }) => from),
    ['child', 'heir'],
  );
  const environment = heard[0]?.environment ?? [];
  ok(environment.includes('PATH'));
  ok(!environment.includes('DRILLYARD_TEST_SECRET') && !environment.includes('HOME'), String(environment));
});

// SPAWN-CHILD-2
test('a child that is busy for ever ends with its parent, however that ends', {
  skip: process.platform === 'win32',
  timeout: 60_000,
}, async () => {
  for (const end of ['process.exit()', "process.kill(process.pid, 'SIGKILL')"]) {
    const script = `
      import { spawnChild } from ${JSON.stringify(new URL('../../src/processes/spawn-child.js', import.meta.url).href)};
      const entry = new URL(${JSON.stringify(new URL('./busy-child.js', import.meta.url).href)});
      spawnChild({ entry, onMessage: ({ pid }) => { process.stdout.write(String(pid)); setTimeout(() => { ${end} }, 10); } }).send({});
    `;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
    ok(Number(stdout) > 0, stderr);
    await isGone(Number(stdout));
  }
});

// SPAWN-CHILD-6
test('without descriptors a start throws control.UNAVAILABLE, and the process that asked for it continues', {
  skip: process.platform === 'win32',
}, () => {
  const script = `
    import { closeSync, openSync } from 'node:fs';
    import { spawnChild } from ${JSON.stringify(new URL('../../src/processes/spawn-child.js', import.meta.url).href)};
    const start = () => spawnChild({ entry: new URL(${JSON.stringify(import.meta.url)}), onMessage: () => {} });
    const taken = [];
    try { for (;;) taken.push(openSync('/dev/null')); } catch {}
    let code;
    try { start(); } catch (error) { code = error.code; }
    for (const one of taken) closeSync(one);
    setTimeout(() => console.log(code), 50);
  `;
  const command = 'ulimit -n 64 && exec "$0" --input-type=module --eval "$1"';
  const { stdout, stderr } = spawnSync('/bin/sh', ['-c', command, process.execPath, script], { encoding: 'utf8' });
  equal(stdout.trim(), 'control.UNAVAILABLE', stderr);
});
