// Where the service is: the one the environment names, or `drillyard serve` as a process of ours.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const dataDirectory = fileURLToPath(new URL('.service/hosted', import.meta.url));
/** The service tells its first credential once, so somebody has to keep it. */
const credentialFile = fileURLToPath(new URL('.service/credential', import.meta.url));

export async function startService() {
  const { DRILLYARD_URL: baseUrl, DRILLYARD_CREDENTIAL: credential } = process.env;
  if (baseUrl && credential) return { baseUrl, credential, stop: async () => {} };

  const command = fileURLToPath(new URL('bin/drillyard.js', import.meta.resolve('drillyard/package.json')));
  const child = spawn(process.execPath, [command, 'serve', '--port', '0', '--data-dir', dataDirectory, '--log-level', 'warn', '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const ready = await firstLine(child, ended);
  console.log(`service ${ready.baseUrl} (${ready.server})`);
  return {
    baseUrl: ready.baseUrl,
    credential: kept(ready.credential),
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** `{"event":"ready", ...}` */
async function firstLine(child, ended) {
  const line = await Promise.race([
    new Promise((resolve) => createInterface(child.stdout).once('line', resolve)),
    ended.then(() => undefined),
  ]);
  if (line === undefined) throw new Error('the service did not start');
  return JSON.parse(line);
}

function kept(credential) {
  if (credential !== undefined) {
    mkdirSync(dirname(credentialFile), { recursive: true });
    writeFileSync(credentialFile, credential, { mode: 0o600 });
  }
  if (!existsSync(credentialFile)) throw new Error(`${dataDirectory} is there without its credential; remove the folder and start again`);
  return readFileSync(credentialFile, 'utf8');
}
