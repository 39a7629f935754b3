// `drillyard world` is started for every call of an agent, so what a start loads is part of what it promises.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { drillyard } from './cli.js';
import { warmDrillyard } from './warm-cli.js';

const coverage = mkdtempSync(join(tmpdir(), 'drillyard-coverage-'));
after(() => rmSync(coverage, { recursive: true, force: true }));

/** Answers everything with `body`. */
async function answering(body: string): Promise<{ url: string; paths: string[]; close(): void }> {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url as string);
    request.resume().on('end', () => response.end(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, paths, close: () => server.close() };
}

/** What a chunk of the bundle was made of; a file that is no chunk is its own. */
function sourcesOf(url: string): string[] {
  if (!url.includes('/bundle/')) return [url];
  return (JSON.parse(readFileSync(new URL(`${url}.map`), 'utf8')) as { sources: string[] }).sources;
}

test('a call loads the command line, its own file and nothing else of the product', async () => {
  const world = await answering('{"schemaVersion":1,"callId":"c","correlationId":"c","outcome":{"kind":"ok","value":1}}');
  const env = { SERVICE_CLI_URL: `${world.url}/`, SERVICE_CLI_TOKEN: 'x', NODE_V8_COVERAGE: coverage };
  const { code, stdout } = await drillyard(['world', 'call', 'notes', 'note.get', '{"id":"a"}'], { env });
  world.close();
  assert.deepEqual([code, JSON.parse(stdout).outcome], [0, { kind: 'ok', value: 1 }]);
  assert.deepEqual(world.paths, ['/v1/operations/notes/note.get']);
  const loaded = readdirSync(coverage).flatMap((file) =>
    (JSON.parse(readFileSync(join(coverage, file), 'utf8')) as { result: { url: string }[] }).result.map(({ url }) => url),
  );
  // A part of a bundle that only names others has no source; what starts the program here is a test's.
  const own = loaded
    .filter((url) => url.startsWith('file:') && !url.endsWith(']') && !url.endsWith('/test/cli/command-entry.js'))
    .flatMap(sourcesOf)
    .filter((url) => !url.includes('/.modules/'))
    .map((url) => url.replace(/^.*\/(src|node_modules)\//, '').replace(/\.ts$/, '.js'));
  assert.deepEqual([...new Set(own.filter((file) => !file.startsWith('commander/')))].sort(), [
    'cli/exit-codes.js',
    'cli/main.js',
    'cli/output.js',
    'cli/program/options.js',
    'cli/program/world.js',
    'cli/world-command.js',
    'contract/defined.js',
    'files/installation.js',
    'files/prune-oldest.js',
    'files/try-folder.js',
    'files/user-cache-folder.js',
    'loading/bundle-loader.js',
    'loading/compiled-code.js',
    'loading/own-code.js',
    'loading/tuning.js',
  ]);
});

test('what answers and is no world is reported as such', async () => {
  const site = await answering('<!doctype html>');
  const { code, stdout, stderr } = await warmDrillyard(['world', 'tools'], { env: { SERVICE_CLI_URL: site.url, SERVICE_CLI_TOKEN: 'x' } });
  site.close();
  assert.deepEqual([code, JSON.parse(stdout).code], [2, 'control.UNAVAILABLE']);
  assert.match(stderr, /not the address of a world/);
});

test('an address that is none is bad usage, and an answer without an outcome is no crash', async () => {
  const env = { SERVICE_CLI_URL: 'garbage', SERVICE_CLI_TOKEN: 'x' };
  const tools = await warmDrillyard(['world', 'tools'], { env });
  assert.deepEqual([tools.code, JSON.parse(tools.stdout).code], [2, 'control.INVALID_REQUEST']);
  const mcp = await drillyard(['world', 'mcp'], { env });
  assert.deepEqual([mcp.code, mcp.stdout], [2, '']);
  assert.match(mcp.stderr, /^The address in SERVICE_MCP_URL or SERVICE_CLI_URL is not one of a world\.\n$/);
  const odd = await answering('{"outcome":null}');
  const call = await warmDrillyard(['world', 'call', 'notes', 'note.get', '{}'], { env: { ...env, SERVICE_CLI_URL: odd.url } });
  odd.close();
  assert.deepEqual([call.code, call.stdout, call.stderr], [1, '{"outcome":null}\n', '']);
});
