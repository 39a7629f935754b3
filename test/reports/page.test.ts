import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { attachmentViews } from '../../src/reports/attachments.js';
import { EvidenceSelection } from '../../src/reports/evidence-view.js';
import { htmlReport } from '../../src/reports/html-page.js';
import { pageAssets } from '../../src/reports/page-assets.js';
import { previewKind } from '../../src/reports/preview-kind.js';
import { failingRun, passingRun, type RunFixture } from './fixtures.js';

function pageOf({ report, lines }: RunFixture): string {
  const selection = new EvidenceSelection(report.result);
  for (const line of lines) selection.append(JSON.parse(line), line.length - 1);
  const attachments = attachmentViews(report.result, new Map([['attachments/att-agent-log.log', { text: 'the log', whole: true }]]));
  return htmlReport(report, selection.view(), attachments).toString();
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
  assert.equal(policy, `default-src 'none'; script-src ${script}; img-src data:; style-src ${style}; base-uri 'none'; form-action 'none'`);
});

test('the page loads nothing, and has no inline handlers or styles', () => {
  const { style, script } = pageAssets();
  assert.doesNotMatch(style, /@import|url\(/);
  // Preact knows innerHTML; nothing of the viewer uses it.
  assert.doesNotMatch(script, /\bfetch\(|XMLHttpRequest|WebSocket|\beval\(|outerHTML|insertAdjacentHTML|document\.write/);
  const markup = page.replace(/<(script|style)[^>]*>[\s\S]*?<\/\1>/g, '');
  assert.doesNotMatch(markup, /<[^>]*\s(on[a-z]+|style|srcset|action|formaction)=/);
  for (const [, source = ''] of markup.matchAll(/\ssrc="([^"]*)"/g)) assert.match(source, /^data:image\//);
  for (const [, target = ''] of markup.matchAll(/href="([^"]*)"/g)) assert.match(target, /^(#[\w-]+|attachments\/[\w.-]+)$/);
});

test('the script is one that a browser can read, and no element of the page can end early in it', () => {
  const { style, script } = pageAssets();
  assert.doesNotMatch(script, /<\/script|<!--/i);
  assert.doesNotMatch(style, /<\/style/i);
  // Throws a SyntaxError where it is none.
  new Function(script);
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
    'payments/refunds/re-1 inserted',
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

test('an image is in the page itself, up to a size, and one that could run is a link', () => {
  const { report } = failingRun();
  const [log] = report.result.capture.attachments;
  const image = (id: string, mediaType: string) => ({
    ...log!,
    attachment: { ...log!.attachment, id, name: `${id}.img`, mediaType, bytes: 3 },
  });
  report.result.capture.attachments = [image('shot', 'image/png'), image('drawing', 'image/svg+xml')];
  const views = attachmentViews(
    report.result,
    new Map([
      ['attachments/shot.bin', { image: 'data:image/png;base64,AAAA' }],
      ['attachments/drawing.bin', null],
    ]),
  );
  const shown = htmlReport(report, new EvidenceSelection(report.result).view(), views).toString();
  assert.match(shown, /<img src="data:image\/png;base64,AAAA" alt="shot\.img">/);
  assert.doesNotMatch(shown, /svg\+xml;base64/);
  const kinds = [
    ['image/png', 1024],
    ['image/png', 2 * 1024 * 1024],
    ['image/svg+xml', 10],
    ['text/plain', 10],
  ] as const;
  assert.deepEqual(
    kinds.map(([mediaType, bytes]) => previewKind({ mediaType, bytes })),
    ['image', undefined, undefined, 'text'],
  );
});
