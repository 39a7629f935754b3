// The files of deploy/ at work: real proxies with the files as they ship, but for names, ports and paths, in front of a real service.
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Client } from '../../src/client/client.js';
import { createAuthority } from '../callbacks/certificates.js';
import { sound } from '../compiler/repository.js';
import type { Journey, Travelled } from './proxied-client.js';
import { filesOf, type Published, publish } from './publish.js';
import { temporaryFolder } from './service.js';

const deployFile = (name: string): string => readFileSync(new URL(`../../../deploy/${name}`, import.meta.url), 'utf8');

/** A file of deploy/ with each of these texts replaced; one that is not in it is an error. */
export function adapted(name: string, changes: readonly (readonly [string | RegExp, string])[]): string {
  return changes.reduce((text, [from, to]) => {
    const changed = typeof from === 'string' ? text.replaceAll(from, to) : text.replace(from, to);
    if (changed === text) throw new Error(`deploy/${name} has no ${from}`);
    return changed;
  }, deployFile(name));
}

/** Whether a program can be run here. */
export const hasProgram = (file: string, ...args: string[]): boolean => spawnSync(file, args, { stdio: 'ignore' }).error === undefined;

export interface Tls {
  /** What a client has to trust. */
  authority: string;
  cert: string;
  key: string;
}
/** For `localhost`, as files. */
export function tlsFiles(): Tls {
  const folder = temporaryFolder();
  const authority = createAuthority();
  const { cert, key } = authority.issue('localhost');
  const files = { authority: join(folder, 'authority.pem'), cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  writeFileSync(files.authority, authority.cert);
  writeFileSync(files.cert, cert);
  writeFileSync(files.key, key);
  return files;
}

const running = new Set<ChildProcess>();
after(() => {
  for (const child of running) child.kill('SIGTERM');
});

/** Resolves when it takes connections at its ports; rejects with what it said when it ends before. */
async function startProxy(file: string, args: string[], { env, ports }: { env?: NodeJS.ProcessEnv; ports: number[] }): Promise<void> {
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'], ...(env === undefined ? {} : { env }) });
  running.add(child);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (said += text));
  let isOver = false;
  child.once('close', () => {
    isOver = true;
    running.delete(child);
  });
  for (const port of ports) {
    while (!(await takesConnections(port))) {
      if (isOver) throw new Error(`${file} ended: ${said}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

function takesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

export interface NginxPorts {
  https: number;
  http: number;
  /** Of a server as nginx comes, which asks in HTTP/1.0. */
  plain: number;
}
/** nginx with deploy/nginx.conf in front of `service`, and beside it a server of the defaults in front of `plainService`. */
export async function startNginx(
  tls: Tls,
  ports: NginxPorts,
  { service, plainService }: { service: number; plainService: number },
): Promise<void> {
  const folder = temporaryFolder();
  const site = adapted('nginx.conf', [
    ['127.0.0.1:8787', `127.0.0.1:${service}`],
    [/^ *listen \[::\].*\n/gm, ''],
    ['listen 80;', `listen 127.0.0.1:${ports.http};`],
    ['listen 443 ssl;', `listen 127.0.0.1:${ports.https} ssl;`],
    ['drills.example.com', 'localhost'],
    ['/etc/ssl/drillyard/fullchain.pem', tls.cert],
    ['/etc/ssl/drillyard/privkey.pem', tls.key],
  ]);
  writeFileSync(join(folder, 'drillyard.conf'), site);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `  ${name}_temp_path ${join(folder, name)};\n`);
  const main = `${process.getuid?.() === 0 ? 'user root;\n' : ''}pid ${join(folder, 'nginx.pid')};
error_log stderr;
worker_processes 1;
daemon off;
events { worker_connections 512; }
http {
  access_log off;
${temporary.join('')}  include ${join(folder, 'drillyard.conf')};
  server { listen 127.0.0.1:${ports.plain}; location / { proxy_http_version 1.0; proxy_pass http://127.0.0.1:${plainService}; } }
}
`;
  writeFileSync(join(folder, 'nginx.conf'), main);
  await startProxy('nginx', ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')], { ports: Object.values(ports) });
}

/** Caddy with deploy/Caddyfile. */
export async function startCaddy(tls: Tls, https: number, service: number): Promise<void> {
  const folder = temporaryFolder();
  const file = join(folder, 'Caddyfile');
  const site = adapted('Caddyfile', [
    ['127.0.0.1:8787', `127.0.0.1:${service}`],
    ['drills.example.com, worlds.example.net {', `https://localhost:${https} {\n\tbind 127.0.0.1\n\ttls ${tls.cert} ${tls.key}`],
    ['\tservers {', '\tadmin off\n\tauto_https disable_redirects\n\tservers {'],
  ]);
  writeFileSync(file, site);
  for (const name of ['data', 'config']) mkdirSync(join(folder, name));
  const env = { ...process.env, XDG_DATA_HOME: join(folder, 'data'), XDG_CONFIG_HOME: join(folder, 'config') };
  await startProxy('caddy', ['run', '--adapter', 'caddyfile', '--config', file], { env, ports: [https] });
}

/** A world whose clock ticks at each microsecond of a wait. */
export async function tickingWorld(client: Client): Promise<Published> {
  const tick = "(_, context) => void context.events.scheduleAt('due', { id: 'n1' }, context.clock.nowUs() + 1)";
  const changes: [path: keyof typeof sound, from: string, to: string][] = [
    ['drillyard/notes.ts', "'on-due': () => {}", `'on-due': ${tick}`],
    ['drillyard/notes.tool.yaml', 'clock.schedule]', 'clock.schedule, clock.read]'],
  ];
  const source: { [path: string]: string } = { ...sound };
  for (const [path, from, to] of changes) {
    if (!sound[path].includes(from)) throw new Error(`${path} of the sound project has changed: nothing ticks`);
    source[path] = sound[path].replace(from, to);
  }
  return await publish(client, 'ticking', filesOf(source));
}

const program = fileURLToPath(new URL('proxied-client.js', import.meta.url));

/** In a process of its own, which trusts the authority. */
export async function travel(journey: Journey, { authority }: Tls): Promise<Travelled> {
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: authority };
  const { stdout } = await promisify(execFile)(process.execPath, [program, JSON.stringify(journey)], { env });
  return JSON.parse(stdout) as Travelled;
}
