// Worlds of the fixture whose tools answer as two vendors' services do.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { compileProject } from '../../src/compiler/compile.js';
import { newId } from '../../src/contract/ids.js';
import type { WorldRef } from '../../src/worlds/api.js';
import { openWorlds } from '../../src/worlds/worlds.js';

export async function vendorWorlds() {
  const { build, diagnostics } = await compileProject({ root: fileURLToPath(new URL('../../../test/fixtures/vendor', import.meta.url)) });
  if (build === undefined) throw new Error(JSON.stringify(diagnostics));
  const directory = mkdtempSync(join(tmpdir(), 'drillyard-vendor-'));
  const worlds = await openWorlds({ directory, layout: 'run', durability: 'committed', hosts: 1, isolation: 'thread', log: () => {} });
  after(async () => {
    await worlds.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const create = (): Promise<WorldRef> =>
    worlds.create({ worldId: newId('world'), build, ...build.baseline, seed: { seed: '1', trial: 1, attempt: 1 } });
  /** For clients that say on the console what they were refused. */
  const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  return { create, quiet };
}
