// The official MCP conformance suite against a world, as `npm run test:mcp` runs it after a build.
//   node scripts/test-mcp.mjs [revision ...]     default: all three
// The suite needs Node 22 and is large, so neither is a dependency of the project: exact versions of both are installed into
// node_modules/.cache/mcp-conformance, which git ignores, when they are not there yet. It sends no token either, so a proxy on loopback
// adds one and leaves everything else as it is, Host and Origin too. What it asks of a server's tools is test/fixtures/mcp-conformance;
// what does not apply to a server of tools stands there with its reason, and the suite checks that list: what is on it and passes is an
// error as well.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installCached } from './cached-packages.mjs';

const packages = { '@modelcontextprotocol/conformance': '0.2.0-alpha.12', node: '22.12.0' };
const revisions = {
  '2026-07-28': ['--requirements', '2026-07-28'],
  '2025-11-25': ['--requirements', '2025-11-25'],
  // There are no requirements of this one: all scenarios that know it.
  '2025-06-18': ['--suite', 'all', '--spec-version', '2025-06-18'],
};

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const fixture = join('test', 'fixtures', 'mcp-conformance');
const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(revisions);
for (const revision of chosen) if (!Object.hasOwn(revisions, revision)) throw new Error(`there is no revision ${revision}`);

const cache = installCached('mcp-conformance', packages);
const served = await serve();
let failed = false;
for (const revision of chosen) failed = !(await conforms(revision)) || failed;
await served.close();
process.exitCode = failed ? 1 : 0;

/** A world of the fixture, and a way to its MCP endpoint that needs no token. */
async function serve() {
  const { createLocalWorld } = await import('../dist/src/index.js');
  const { createBindings } = await import('../dist/src/bindings/create-bindings.js');
  const { world, close } = await createLocalWorld({ root: fixture });
  const bindings = createBindings();
  const { endpoints } = await bindings.open({ world, actorId: 'client', bindings: ['mcp'] });
  const proxy = await startProxy(endpoints.mcp);
  return {
    url: proxy.url,
    close: async () => {
      await proxy.close();
      await bindings.close();
      await close();
    },
  };
}

async function startProxy({ url, token }) {
  const { hostname, port } = new URL(url);
  const server = createServer((asked, answered) => {
    const headers = [...asked.rawHeaders, 'Authorization', `Bearer ${token}`];
    const onward = request({ hostname, port, method: asked.method, path: asked.url, headers, setHost: false }, (reply) => {
      answered.writeHead(reply.statusCode, reply.rawHeaders);
      reply.pipe(answered);
    });
    onward.on('error', () => answered.destroy());
    answered.on('close', () => onward.destroy());
    asked.pipe(onward);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/mcp`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The suite's own account is on the terminal; its files are kept only until it has given it. */
async function conforms(revision) {
  console.log(`\n== MCP ${revision} ==`);
  const results = mkdtempSync(join(tmpdir(), 'drillyard-mcp-'));
  const cli = join(cache, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js');
  const node = Number(process.versions.node.split('.')[0]) >= 22 ? process.execPath : join(cache, 'node_modules', 'node', 'bin', 'node');
  const expected = join(fixture, `expected-failures-${revision}.yaml`);
  const flags = ['server', '--url', served.url, ...revisions[revision], '--expected-failures', expected, '-o', results];
  const suite = spawn(node, [cli, ...flags], { stdio: 'inherit' });
  const code = await new Promise((resolve) => suite.once('close', resolve));
  rmSync(results, { recursive: true, force: true });
  return code === 0;
}
