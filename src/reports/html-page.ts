// index.html: one file that opens from disk, loads nothing and can be read without its script.
// The verdict, its reasons and a summary are plain HTML; the script adds evidence, timeline, state changes and journal from the data
// element.
import type { RunReport } from '../contract/run/run-events.js';
import { type Content, Markup } from '../text/markup.js';
import type { AttachmentView } from './attachments.js';
import type { EvidenceView } from './evidence-view.js';
import { headline } from './findings.js';
import { assertionsSection } from './html-assertions.js';
import { storySection, whySection } from './html-findings.js';
import { headerSection } from './html-header.js';
import {
  attachmentsSection,
  budgetsSection,
  checkpointsSection,
  identitySection,
  interactionsSection,
  unansweredSection,
} from './html-run.js';
import { setupSection } from './html-setup.js';
import { html, scriptJson } from './markup.js';
import { pageAssets } from './page-assets.js';
import { pageData } from './page-data.js';
import { pageHead } from './page-head.js';
import { unansweredTitle } from './text-report.js';

/** In UTF-8. Style and script are nine tenths of it and the same in every page, so they are not encoded again. */
export function htmlReport(report: RunReport, evidence: EvidenceView, attachments: readonly AttachmentView[]): Buffer {
  const { bytes, policy } = pageAssets();
  const page = pageText(report, evidence, attachments, policy);
  const styleAt = page.indexOf(styleTag) + styleTag.length;
  const scriptAt = page.lastIndexOf(scriptTag) + scriptTag.length;
  return Buffer.concat([
    Buffer.from(page.slice(0, styleAt)),
    bytes.style,
    Buffer.from(page.slice(styleAt, scriptAt)),
    bytes.script,
    Buffer.from(page.slice(scriptAt)),
  ]);
}

// What stands in the page is escaped: the first and the last of these are its own.
const styleTag = '<style>';
const scriptTag = '<script type="module">';

/** Without style and script. */
function pageText(report: RunReport, evidence: EvidenceView, attachments: readonly AttachmentView[], policy: string): string {
  const sections = pageSections(report, evidence, attachments).filter((section) => section.body !== null);
  const title = `${report.result.verdict}: ${report.drill.title ?? report.drill.id}`;
  return html`<!doctype html>
<html lang="en" class="${report.result.verdict}">
${pageHead({ title, policy, style: '', description: headline(report) })}
<body>
<a class="skip" href="#main">Skip to the report</a>
${headerSection(report, evidence)}
<div class="layout">
<nav class="contents" aria-label="Contents"><ul>${sections.map(contentsItem)}</ul></nav>
<main id="main">${sections.map(sectionElement)}</main>
</div>
${footer(report)}
<script type="application/json" id="page-data">${scriptJson(pageData(report, evidence))}</script>
${new Markup(scriptTag)}</script>
</body>
</html>
`.text;
}

interface Section {
  id: string;
  title: string;
  note?: string;
  /** null: the section has nothing to say in this run. */
  body: Content;
  /** Filled by the script, and not there without it. */
  scripted?: boolean;
}

const filled = html`<div class="filled"></div>`;

function pageSections(report: RunReport, evidence: EvidenceView, attachments: readonly AttachmentView[]): Section[] {
  const { result } = report;
  const { verdict } = result;
  const reasons = verdict === 'passed' ? 'What did not hold' : verdict === 'failed' ? 'Why it failed' : 'Why it is undecided';
  return [
    { id: 'story', title: 'What happened', body: storySection(report, evidence) },
    { id: 'why', title: reasons, body: whySection(report, evidence) },
    { id: 'assertions', title: 'Assertions', body: assertionsSection(result) },
    { id: 'interactions', title: 'Interactions', body: interactionsSection(report, evidence) },
    { id: 'unanswered', title: unansweredTitle, body: unansweredSection(report) },
    { id: 'state', title: 'State changes', body: filled, scripted: true },
    { id: 'checkpoints', title: 'Checkpoints', body: checkpointsSection(result) },
    { id: 'budgets', title: 'Budgets', body: budgetsSection(result) },
    { id: 'journal', title: 'Timeline and journal', body: filled, scripted: true },
    { id: 'attachments', title: 'Attachments', body: attachmentsSection(result, attachments) },
    { id: 'setup', title: 'Setup', body: setupSection(result) },
    { id: 'identity', title: 'Identity', body: identitySection(report) },
  ];
}

function contentsItem({ id, title, scripted }: Section): Markup {
  return html`<li${scripted ? new Markup(' class="scripted" hidden') : ''}><a href="#${id}">${title}</a></li>`;
}

function sectionElement({ id, title, body, scripted }: Section): Markup {
  return html`
<section id="${id}" aria-labelledby="${id}-title"${scripted ? new Markup(' class="scripted" hidden') : ''}>
<h2 id="${id}-title">${title}</h2>
${body}
</section>`;
}

function footer({ engineVersion, runId }: RunReport): Markup {
  return html`<footer class="page-end">
<noscript><p>Timeline, state changes and journal need JavaScript. Everything they show is in <code>evidence.jsonl</code> beside this file.</p></noscript>
<p>Written by Drillyard ${engineVersion}. Check this folder with <code>drillyard report verify ${runId}</code>.</p>
</footer>`;
}
