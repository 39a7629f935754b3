// Each library package passes its conformance suite, remembers nothing outside its state, and its evidence shows everything that its
// manifest declares.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createBindings } from '../../src/bindings/create-bindings.js';
import { testToolPackage } from '../../src/drills/conformance.js';
import { library, libraryPackages } from './package-world.js';
import { assertAllShown, conformanceOf, manifestOf, requestOf } from './shown-facts.js';

// A package that imitates a vendor plays them where it is proved (verify.test.ts).
for (const packageId of libraryPackages.filter((id) => !existsSync(join(library, id, 'compat')))) {
  test(`${packageId}: the conformance suite passes, with a fresh module each turn too, and leaves nothing undone that the manifest declares`, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'drillyard-conformance-'));
    try {
      const folder = join(library, packageId);
      const reports = join(directory, 'reports');
      const { verdict, plain, differences } = await testToolPackage(
        { folder, reportDirectory: reports, runDirectory: join(directory, 'runs') },
        createBindings,
      );
      assert.deepEqual(
        plain.drills.filter((drill) => drill.verdict !== 'passed').map(({ drillId }) => drillId),
        [],
      );
      assert.deepEqual(differences, []);
      assert.equal(verdict, 'passed');
      await assertAllShown(packageId, reports);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
}

for (const packageId of libraryPackages) {
  test(`${packageId}: its README names every operation, route, error, fault and callback`, async () => {
    const { operations, faults, http, callbacks } = manifestOf(await conformanceOf(packageId), packageId);
    const names = [...operations, ...faults, ...callbacks]
      .map(({ id }) => id)
      .concat(operations.flatMap(({ declaredErrors = [] }) => declaredErrors.map(({ code }) => code)))
      .concat(http.map(requestOf));
    const readme = await readFile(join(library, packageId, 'README.md'), 'utf8');
    assert.deepEqual(
      names.filter((name) => !readme.includes(`\`${name}\``)),
      [],
    );
  });
}
