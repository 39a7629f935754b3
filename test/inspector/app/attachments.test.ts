// What agents hand over, in the window: images and texts are shown, whatever claims to be one is not run, and each can be saved.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { limits } from '../../../src/contract/limits.js';
import { drill, moduleAgent, noteIs } from '../../drills/repository.js';
import { runOnce, startTestInspector } from '../inspector-kit.js';
import { axeViolations, openBrowser } from './browser-kit.js';
import { browserOptions as options } from './desk.js';

const picture = fileURLToPath(new URL('../../../../docs/images/inspector-phone.png', import.meta.url));
const hostile = '<svg xmlns="http://www.w3.org/2000/svg" onload="document.title=1"/><script>document.title=1</script>';
const body = `const { readFileSync } = await import('node:fs');
  context.attach('seen.png', readFileSync(${JSON.stringify(picture)}), { mediaType: 'image/png' });
  context.attach('steps.log', 'first line\\n' + 'x'.repeat(${limits.reportPreviewBytesMax}) + '\\nlast line\\n');
  context.attach('page.html', ${JSON.stringify(hostile)}, { mediaType: 'text/html' });
  context.attach('drawn.svg', ${JSON.stringify(hostile)}, { mediaType: 'image/svg+xml' });`;
const capture = { logs: 'always', screenshots: 'always', video: 'always', files: 'always' };
const files = { ...moduleAgent('seeing', body), ...drill('sees', 'seeing', [noteIs('first', 'changed')], { capture }) };

// ATTACHMENTS-PART-1
test('of what an agent handed over, images and ends of texts are shown, and nothing is run', options, async (t) => {
  const inspector = await startTestInspector(t, { files });
  const [runId] = await runOnce(inspector.repository, { drills: ['sees'] });
  const { context, complaints } = await openBrowser(t, inspector.baseUrl, { viewport: { width: 390, height: 844 } });
  const page = await context.newPage();
  await page.goto(`${inspector.baseUrl}/#/runs/${runId}?part=attachments&token=${inspector.token}`);
  const listed = (name: string) => page.getByRole('listitem').filter({ has: page.getByText(name, { exact: true }) });
  const image = listed('seen.png').getByRole('img', { name: 'seen.png' });
  await image.waitFor();
  const width = readFileSync(picture).readUInt32BE(16);
  assert.equal(await image.evaluate((one) => (one as { naturalWidth?: number }).naturalWidth), width);
  await listed('steps.log').getByText('Show its end').click();
  const text = await listed('steps.log').locator('pre').textContent();
  assert.ok(text?.endsWith('\nlast line\n') && !text.includes('first line'));
  await listed('page.html').getByText('Show', { exact: true }).click();
  assert.equal(await listed('page.html').locator('pre').textContent(), hostile);
  assert.equal(await listed('drawn.svg').locator('img, svg, details').count(), 0);
  // The part that the address names is seen among the others, which do not all fit.
  const tab = await page.getByRole('link', { name: 'Attachments 4' }).boundingBox();
  assert.ok(tab !== null && tab.x >= 0 && tab.x + tab.width <= 390);
  assert.notEqual(await page.title(), '1');
  assert.deepEqual(await axeViolations(page), []);
  const saving = page.waitForEvent('download');
  await listed('seen.png').getByRole('button', { name: 'Save' }).click();
  assert.deepEqual(readFileSync(await (await saving).path()), readFileSync(picture));
  assert.deepEqual(complaints, []);
});
