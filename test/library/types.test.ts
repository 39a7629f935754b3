// The library's behavior against the SDK as an author sees it: library/tsconfig.json, everything strict. So is compat/, with the types of
// Node.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { checkTypes } from '../native-compiler.js';
import { libraryPackages } from './package-world.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

test('the behavior of the library type-checks against drillyard/tool-sdk', async () => {
  const { files, errors } = await checked('tsconfig.json');
  const behaviors = files.filter((file) => basename(file) === 'behavior.ts').map((file) => basename(dirname(file)));
  assert.deepEqual(behaviors.sort(), libraryPackages, 'every package is checked');
  assert.equal(errors, '');
});

test('what the library says of vendors type-checks against drillyard/compat', async () => {
  const proved = libraryPackages.filter((packageId) => existsSync(`${root}library/${packageId}/compat`));
  const { files, errors } = await checked('tsconfig.compat.json');
  const compats = files.filter((file) => basename(file) === 'compat.ts').map((file) => basename(dirname(dirname(file))));
  assert.deepEqual(compats.sort(), proved, 'every package with a compat folder is checked');
  assert.equal(errors, '');
});

/** The files of the library that the native compiler read, and what it found wrong. */
async function checked(config: string): Promise<{ files: string[]; errors: string }> {
  const { files, errors } = await checkTypes(`library/${config}`);
  return { files: files.filter((file) => file.startsWith(`${root}library/`)), errors: errors.join('\n') };
}
