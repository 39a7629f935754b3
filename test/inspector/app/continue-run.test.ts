// After the diagnosis, in a real browser: the run is repeated, and continued in Play from before a call of it.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { OperationEntry } from '../../../src/contract/world/evidence.js';
import { openStoredRun, runDrills, startLocalInspector } from '../../../src/index.js';
import { axeViolations, noBrowser, openBrowser } from './browser-kit.js';

const root = mkdtempSync(join(tmpdir(), 'drillyard-continue-'));
const calls: OperationEntry[] = [];
let runId: string;
before(async () => {
  const example = fileURLToPath(new URL('../../../../examples/01-support-desk', import.meta.url));
  cpSync(example, root, { recursive: true, filter: (from) => !from.endsWith('.service') });
  const { drills } = await runDrills({ root, drills: ['careless-refund'] });
  runId = drills[0]?.trials[0]?.attempts[0]?.runId ?? '';
  for await (const entry of (await openStoredRun({ root, run: runId })).entries())
    if (entry.kind === 'operation' && entry.invocation.operationId === 'refund.create') calls.push(entry);
});
after(() => rmSync(root, { recursive: true, force: true }));

test('a call of a run is made again in Play, and the run is repeated, in one click each', {
  skip: noBrowser,
  timeout: 120_000,
}, async (t) => {
  const inspector = await startLocalInspector({ root });
  t.after(() => inspector.close());
  const { context, complaints } = await openBrowser(t, inspector.baseUrl);
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${inspector.baseUrl}/#/runs/latest?token=${inspector.token}`);
  await page.waitForURL(`**/#/runs/${runId}`);
  const [, call] = calls as [OperationEntry, OperationEntry];
  const { arguments: given, idempotencyKey } = call.invocation;
  await page.goto(`${inspector.baseUrl}/#/runs/${runId}?seq=${call.sequence}`);
  await page.getByRole('button', { name: 'Fork before this call' }).click();
  await page.waitForURL('**/#/play/world_*');
  const form = page.getByRole('region', { name: 'Call an operation' });
  assert.deepEqual(JSON.parse(await form.getByRole('textbox', { name: 'With' }).inputValue()), given);
  assert.equal(await form.locator('input[name=key]').inputValue(), idempotencyKey);
  await form.getByRole('button', { name: 'Call' }).click();
  const compared = page.getByRole('region', { name: 'Compared with the run' });
  await compared.getByText('1 turn the same').waitFor();
  assert.deepEqual(await axeViolations(page), []);
  await compared.getByRole('link').click();
  await page.waitForURL(`**/#/runs/${runId}?seq=*`);
  await page.getByRole('button', { name: 'Repeat', exact: true }).click();
  await page.getByText(`The same as ${runId}: the trajectory hash is equal.`).waitFor();
  assert.deepEqual(complaints, []);
});
