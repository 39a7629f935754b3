// What a new world copies from the library is a world that compiles.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { compileProject } from '../../src/compiler/compile.js';
import { library, libraryPackages } from './package-world.js';

const scratch = mkdtempSync(join(tmpdir(), 'drillyard-starter-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

for (const packageId of libraryPackages) {
  test(`the starter of ${packageId} is a valid start of a world`, async () => {
    const root = join(scratch, packageId);
    const starter = readFileSync(join(library, packageId, 'starter.yaml'), 'utf8');
    assert.match(starter, /^schemaVersion: 1$/m);
    mkdirSync(join(root, 'drillyard'), { recursive: true });
    writeFileSync(join(root, 'drillyard.json'), JSON.stringify({ schemaVersion: 1, toolPackages: [`library:${packageId}`] }));
    writeFileSync(join(root, 'drillyard', 'world.yaml'), `${starter}\nid: world\n`);
    const { build, diagnostics } = await compileProject({ root });
    assert.deepEqual(diagnostics, []);
    assert.ok((build?.world.state.length ?? 0) > 5);
  });
}
