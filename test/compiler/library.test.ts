import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readLibrary } from '../../src/compiler/library.js';
import { libraryFolder } from '../../src/compiler/shipped.js';
import { canonicalJson } from '../../src/contract/canonical-json.js';
import { sha256Digest } from '../../src/contract/digest.js';
import { compileWith } from './repository.js';

test('every package of the library is there as compiling it shows it, and its digest is over its files', async (t) => {
  const library = await readLibrary();
  assert.deepEqual(
    library.map(({ libraryEntryId, lifecycle }) => `${libraryEntryId} ${lifecycle}`),
    ['github', 'mailbox', 'notion', 'payments', 'slack', 'stripe', 'ticket-desk'].map((name) => `${name} active`),
  );
  const toolPackages = library.map(({ libraryEntryId }) => `library:${libraryEntryId}`);
  const { build } = await compileWith(t, { 'drillyard.json': JSON.stringify({ schemaVersion: 1, toolPackages }) });
  for (const { libraryEntryId, manifest, manifestHash, packageArchiveDigest, starter } of library) {
    const compiled = build!.tools.find(({ packageId }) => packageId === manifest.id)!;
    assert.deepEqual([compiled.manifestHash, compiled.manifest], [manifestHash, manifest]);
    assert.ok(starter!.state.length > 0);
    const folder = join(libraryFolder(), libraryEntryId);
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => ({ path: file.slice(folder.length + 1), content: readFileSync(file) }))
      .sort((a, b) => (a.path < b.path ? -1 : 1));
    const listed = files.map(({ path, content }) => ({ path, bytes: content.length, digest: sha256Digest(content) }));
    assert.equal(packageArchiveDigest, sha256Digest(canonicalJson(listed)));
  }
});
