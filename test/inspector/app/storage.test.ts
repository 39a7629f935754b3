// A browser that keeps nothing for a site, as with all site data blocked: the app works, and remembers nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDesk, browserOptions as options } from './desk.js';

const blocked = `for (const name of ['localStorage', 'sessionStorage'])
  Object.defineProperty(window, name, { get() { throw new DOMException('Access is denied for this document.', 'SecurityError'); } });`;

test('where the storage of the browser refuses, the app works and remembers nothing', options, async (t) => {
  const { page, open, token, complaints } = await openDesk(t, { drills: ['careless-refund'], context: {} });
  await page.addInitScript(blocked);
  await open('#/drills');
  await page.getByRole('heading', { name: 'Drills', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Theme: auto' }).click();
  await page.getByRole('button', { name: 'Theme: light' }).click();
  assert.equal(await page.locator('html').getAttribute('data-theme'), 'dark');
  await open('#/runs');
  await page.locator('.run-row a').first().click();
  await page.getByRole('listbox', { name: 'Journal entries' }).waitFor();
  await page.reload();
  await page.getByRole('textbox', { name: 'Link or token' }).fill(token);
  await page.getByRole('button', { name: 'Open' }).click();
  await page.getByRole('button', { name: 'Theme: auto' }).waitFor();
  assert.deepEqual(complaints, []);
});
