// The names that the Stripe package marks as Stripe's are those of the installed client.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { library } from './package-world.js';

test('the list of what Stripe has beside is that of the client', async () => {
  const { makeVendorParameters } = (await import(new URL('../../../scripts/stripe-parameters.mjs', import.meta.url).href)) as {
    makeVendorParameters(): string;
  };
  assert.equal(await readFile(join(library, 'stripe', 'wire', 'vendor-parameters.ts'), 'utf8'), makeVendorParameters());
});
