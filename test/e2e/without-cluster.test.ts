// A service on one machine is what it was before there were clusters: it loads none of their modules, and no client of their database.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startedDirectory } from './service.js';

const ofClusters =
  /\/src\/(?:cluster|nodes)\/|\/node_modules\/pg[/-]|\/src\/http\/(?:forward|behind-nodes|node-(?:asks|door|token)|owner-)/;

async function loadedBy(script: string): Promise<string[]> {
  const words = ['--import', new URL('loaded-modules.js', import.meta.url).href, '--input-type=module', '--eval', script];
  const { stderr } = await promisify(execFile)(process.execPath, words, { maxBuffer: 16 * 1024 * 1024 });
  return stderr.split('\n').flatMap((line) => (line.startsWith('loaded ') ? [line.slice('loaded '.length)] : []));
}

test('without --cluster a service loads no module of clusters', { timeout: 60_000 }, async () => {
  const { href } = new URL('../../src/control-server.js', import.meta.url);
  const options = { port: 0, dataDirectory: await startedDirectory(), workers: 1, isolation: 'thread', trustToolCode: true };
  const loaded = await loadedBy(`
    const { startControlServer } = await import(${JSON.stringify(href)});
    const server = await startControlServer({ ...${JSON.stringify(options)}, log: { level: 'silent' } });
    await (await fetch(server.baseUrl + '/readyz')).text();
    await server.close();
  `);
  assert.ok(loaded.includes(href) && loaded.length > 100, `${loaded.length} modules`);
  assert.deepEqual(
    loaded.filter((url) => ofClusters.test(url)),
    [],
  );
});

test('the pattern of this test finds the modules of a cluster where they are loaded', { timeout: 60_000 }, async () => {
  const { href } = new URL('../../src/nodes/cluster-start.js', import.meta.url);
  const found = (await loadedBy(`await import(${JSON.stringify(href)});`)).filter((url) => ofClusters.test(url));
  for (const part of ['/src/cluster/', '/src/nodes/cluster-node.js', '/src/http/'])
    assert.ok(
      found.some((url) => url.includes(part)),
      part,
    );
});
