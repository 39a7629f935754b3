import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { attachmentViews } from '../../src/reports/attachments.js';
import { EvidenceSelection } from '../../src/reports/evidence-view.js';
import { htmlReport } from '../../src/reports/html-page.js';
import { pageAssets } from '../../src/reports/page-assets.js';
import { failingRun, passingRun, type RunFixture } from './fixtures.js';

function pageOf({ report, lines }: RunFixture): string {
  const selection = new EvidenceSelection(report.result);
  for (const line of lines) selection.append(JSON.parse(line), line.length - 1);
  return htmlReport(
    report,
    selection.view(),
    attachmentViews(report.result, new Map([['attachments/att-agent-log.log', { text: 'the log', whole: true }]])),
  );
}
const page = pageOf(failingRun());

test('the policy allows the one script and the one style by their digests, and nothing else', () => {
  const policy = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(page)?.[1] ?? '';
  const digestOf = (pattern: RegExp): string =>
    `'sha256-${createHash('sha256')
      .update(pattern.exec(page)?.[1] ?? '')
      .digest('base64')}'`;
  const script = digestOf(/<script type="module">([\s\S]*?)<\/script>/);
  const style = digestOf(/<style>([\s\S]*?)<\/style>/);
  assert.equal(policy, `default-src 'none'; script-src ${script}; style-src ${style}; base-uri 'none'; form-action 'none'`);
});

test('the page loads nothing, and has no inline handlers or styles', () => {
  const { style, script } = pageAssets();
  assert.doesNotMatch(style, /@import|url\(/);
  assert.doesNotMatch(script, /\bfetch\(|XMLHttpRequest|WebSocket|\beval\(|innerHTML|outerHTML|insertAdjacentHTML|document\.write/);
  const markup = page.replace(/<(script|style)[^>]*>[\s\S]*?<\/\1>/g, '');
  assert.doesNotMatch(markup, /<[^>]*\s(on[a-z]+|style|src|srcset|action|formaction)=/);
  for (const [, target = ''] of markup.matchAll(/href="([^"]*)"/g)) assert.match(target, /^(#[\w-]+|attachments\/[\w.-]+)$/);
});

test('the modules of the script share one scope without a name declared twice', () => {
  const { script } = pageAssets();
  assert.doesNotMatch(script, /^(import|export) /m);
  const names = [...script.matchAll(/^(?:async )?(?:const|let|class|function\*?) (\w+)/gm)].map(([, name]) => name);
  assert.ok(names.length > 50);
  assert.deepEqual(
    names.filter((name, index) => names.indexOf(name) !== index),
    [],
  );
  // Throws a SyntaxError where the joined script is none.
  new Function(`"use strict"; return async () => {\n${script}\n};`);
});

test('every module and style in html/ is in the page, each module after those it imports', () => {
  const { style, script } = pageAssets();
  const folder = new URL('../../src/reports/html/', import.meta.url);
  for (const name of readdirSync(folder).filter((file) => /\.(mjs|css)$/.test(file))) {
    const source = readFileSync(new URL(name, folder), 'utf8');
    const [head = ''] = source.split('\n');
    const at = (name.endsWith('.css') ? style : script).indexOf(head);
    assert.ok(at >= 0, name);
    for (const [, imported = ''] of source.matchAll(/^import [^;]* from '\.\/([^']+)';$/gm)) {
      const [importedHead = ''] = readFileSync(new URL(imported, folder), 'utf8').split('\n');
      assert.ok(script.indexOf(importedHead) < at, `${name} imports ${imported}`);
    }
  }
});

test('without the script the page tells verdict, reasons and summary', () => {
  const text = page
    .replace(/<(script|style)[^>]*>[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');
  for (const said of [
    'failed Refund a duplicate charge exactly once',
    'refunded-once, merchant-ledger, never-above-charge do not hold',
    'payments/refunds has 2 rows',
    'Expected exactly 1',
    'Actual 2',
    '#5 payments/refunds/re-1 inserted',
    'Customer Mia was charged twice',
    'agent.log',
    'the log',
    'Timeline, state changes and journal need JavaScript',
  ]) {
    assert.ok(text.includes(said), said);
  }
});

test('a passing run has no section of reasons', () => {
  assert.doesNotMatch(pageOf(passingRun()), /id="why"/);
  assert.match(page, /id="why"/);
});
