// `drillyard inspect` as a process: its first line, its server, its end.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { createRepository } from '../drills/repository.js';
import { nodeArguments } from './cli.js';

test('inspect says where it is in its first line, serves, and ends at a signal', async (t) => {
  const repository = createRepository();
  const args = ['inspect', '--no-open', '--json', '--root', repository.root];
  const child = spawn(process.execPath, [...nodeArguments, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  t.after(() => {
    child.kill('SIGKILL');
    repository.remove();
  });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const { event, baseUrl, token, appUrl } = JSON.parse(line);
  assert.deepEqual([event, appUrl], ['ready', `${baseUrl}/#token=${token}`]);
  assert.match(baseUrl, /^http:\/\/127\.0\.0\.1:\d+$/);
  const project = await fetch(`${baseUrl}/api/v1/project`, { headers: { authorization: `Bearer ${token}` } });
  assert.equal(((await project.json()) as { project: { world: { id: string } } }).project.world.id, 'test');
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  assert.equal(code, 0);
});

test('the browser is sent through a file of its owner: no argument of a program has the token', {
  skip: process.platform !== 'linux',
}, async (t) => {
  const repository = createRepository();
  const reported = join(repository.root, 'reported');
  writeFileSync(
    join(repository.root, 'xdg-open'),
    `#!/bin/sh\nprintf '%s\\n' "$@" > "${reported}.part" && mv "${reported}.part" "${reported}"\n`,
    {
      mode: 0o755,
    },
  );
  const opened = new Promise<void>((resolve) => {
    const watcher = watch(repository.root, (_, name) => {
      if (name !== 'reported') return;
      watcher.close();
      resolve();
    });
  });
  const env = { ...process.env, PATH: `${repository.root}:${process.env.PATH}` };
  const child = spawn(process.execPath, [...nodeArguments, 'inspect', '--root', repository.root], { env });
  t.after(() => {
    child.kill('SIGKILL');
    repository.remove();
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await opened;
  const address = readFileSync(reported, 'utf8').trim();
  const path = new URL(address).pathname;
  assert.ok(address.startsWith('file://') && !address.includes('token'), address);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  const link = /http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]+/.exec(said)?.[0];
  assert.ok(link !== undefined && readFileSync(path, 'utf8').includes(`content="0; url=${link}"`), said);
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
  assert.equal(existsSync(path), false);
});

test('a run that is not there is refused before anything is served', async (t) => {
  const repository = createRepository();
  t.after(() => repository.remove());
  for (const run of ['nope', 'latest', 'run_0123456789abcdefghij0123456789']) {
    const args = ['inspect', run, '--no-open', '--json', '--root', repository.root];
    const child = spawn(process.execPath, [...nodeArguments, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
    t.after(() => child.kill('SIGKILL'));
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    assert.equal((JSON.parse(line) as { code?: string }).code, 'control.NOT_FOUND', line);
    const [code] = child.exitCode === null ? await once(child, 'exit') : [child.exitCode];
    assert.equal(code, 2);
  }
});
