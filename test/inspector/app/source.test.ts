// The source in a browser: every file that runs follow from as a tree, text found in it, and the way there from what it declares.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axeViolations } from './browser-kit.js';
import { lookAtDesk, looksOf, browserOptions as options } from './desk.js';

test(
  'the tree has drills, scenarios, agents with what they import, and the modules of packages; a file opens by keyboard',
  options,
  async (t) => {
    const { page, open, complaints } = await lookAtDesk(t, { drills: ['careless-refund'] });
    await open('#/source');
    const tree = page.getByRole('navigation', { name: 'Files' });
    const code = page.locator('.code');
    for (const name of ['careless-refund.drill.yaml', 'rough-day.scenario.yaml', 'world.yaml', 'careless-agent.mjs', 'patient-calls.mjs'])
      await tree.getByRole('link', { name, exact: true }).waitFor();
    assert.equal(await tree.getByRole('link', { name: 'drillyard.json' }).getAttribute('aria-current'), 'true');
    await tree.getByRole('link', { name: 'patient-calls.mjs' }).press('Enter');
    await page.getByRole('heading', { name: 'agents/patient-calls.mjs' }).waitFor();
    await code.getByText('export').first().waitFor();
    await tree.getByText('payments', { exact: true }).click();
    await tree
      .getByRole('link', { name: /behavior\.ts$/ })
      .first()
      .click();
    await page.waitForURL(/#\/source\/[a-z-]+\/src_[0-9a-f]+$/);
    await code.getByText('import').first().waitFor();
    assert.deepEqual(await axeViolations(page), []);
    await tree.getByText('drillyard', { exact: true }).first().press('Enter');
    await tree.getByRole('link', { name: 'world.yaml' }).waitFor({ state: 'hidden' });
    assert.deepEqual(complaints, []);
  },
);

test('text is found in all source; the address has the words, and a line opens marked', options, async (t) => {
  const { page, open, complaints } = await lookAtDesk(t, { drills: ['careless-refund'] });
  for await (const look of looksOf(page)) {
    await open('#/world');
    await open('#/source');
    await page.keyboard.press('/');
    await page.keyboard.type('ATTEMPT-number');
    await page.waitForURL(/find=ATTEMPT-number/);
    const found = page.getByRole('region', { name: 'Found' });
    await found.getByRole('heading', { name: 'agents/careless-agent.mjs' }).waitFor();
    await found.locator('mark').first().waitFor();
    assert.deepEqual(await axeViolations(page), [], look);
    assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
    await found.getByRole('link').first().click();
    await page.waitForURL(/line=\d+/);
    await page.locator('.code li.marked', { hasText: 'attempt-number' }).waitFor();
    assert.match(page.url(), /find=ATTEMPT-number/);
    // In a module of a package from elsewhere.
    await page.getByRole('searchbox', { name: 'Find in all source' }).fill('FUNCTION balanceOf');
    await found.getByRole('heading', { name: /^payments · .*balance\.ts$/ }).waitFor();
    await found.getByRole('link').first().click();
    await page.waitForURL(/#\/source\/payments\/src_[0-9a-f]+\?line=\d+/);
    await page.locator('.code li.marked').waitFor();
    await page.getByRole('searchbox', { name: 'Find in all source' }).fill('nothing that is there');
    await found.getByText('0 lines').waitFor();
  }
  await page.getByRole('searchbox', { name: 'Find in all source' }).fill('');
  await page.getByLabel('File', { exact: true }).selectOption('drillyard/world.yaml');
  await page.getByRole('heading', { name: 'drillyard/world.yaml' }).waitFor();
  // Between a desk and a phone, too, the select stands above the text.
  await page.setViewportSize({ width: 800, height: 900 });
  const [select, text] = [await page.getByLabel('File', { exact: true }).boundingBox(), await page.locator('.panel').boundingBox()];
  assert.ok(select!.y + select!.height <= text!.y && select!.x + select!.width <= 800, JSON.stringify({ select, text }));
  assert.deepEqual(complaints, []);
});

test('where a drill is declared is one click from its source; what is not there is said', options, async (t) => {
  const { page, open, complaints } = await lookAtDesk(t, { drills: ['careless-refund'] });
  await open('#/drills/careless-refund');
  await page.getByRole('link', { name: /careless-refund\.drill\.yaml:\d+/ }).click();
  await page.getByRole('heading', { name: 'drillyard/drills/careless-refund.drill.yaml' }).waitFor();
  await page.locator('.code li.marked').waitFor();
  await open('#/source?at=..%2f..%2fetc%2fpasswd');
  await page.getByRole('heading', { name: 'Nothing to read' }).waitFor();
  assert.deepEqual(complaints, []);
});

test('on the narrowest phone nothing of the source scrolls sideways', options, async (t) => {
  const { page, open } = await lookAtDesk(t, { drills: ['careless-refund'] });
  await page.setViewportSize({ width: 320, height: 600 });
  await open('#/source');
  await page.locator('.code').waitFor();
  assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
});
