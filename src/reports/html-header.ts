// The top of the page: verdict, title, what decided it, and the facts that tell this run from another.
import type { RunReport } from '../contract/run/run-events.js';
import { grouped, noun } from '../text/counted.js';
import type { Content, Markup } from '../text/markup.js';
import { virtualDuration } from '../text/virtual-time.js';
import type { EvidenceView } from './evidence-view.js';
import { headline, judgedOf } from './findings.js';
import { html } from './markup.js';
import { hostDuration, trialText } from './shown-values.js';

export function headerSection(report: RunReport, evidence: EvidenceView): Markup {
  const { drill, target, result } = report;
  const { identity } = result;
  const facts: [string, Content][] = [
    ['Drill', html`<code>${drill.id}</code>`],
    ['Target', html`<code>${target.id}</code> <span class="quiet">${target.kind}</span>`],
    ...(identity.scenarioId === undefined ? [] : [['Scenario', html`<code>${identity.scenarioId}</code>`] as [string, Content]]),
    report.invocation === undefined
      ? ['Trial seed', html`<code>${identity.seed}</code>`]
      : ['Seed', html`<code>${report.invocation.seed}</code>`],
    ...(trialText(result) === '' ? [] : [['Trial', trialText(result).replace(/^trial /, '')] as [string, Content]]),
    ['Started', `${new Date(report.startedAtMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`],
    ['Took', hostDuration(report.finishedAtMs - report.startedAtMs)],
  ];
  return html`<header class="top">
<div class="bar"><span class="brand">Drillyard</span><span class="quiet">run report</span>
<button type="button" id="theme" class="scripted" hidden>Theme</button></div>
<p class="verdict">${result.verdict}</p>
<h1>${drill.title ?? drill.id}</h1>
<p class="headline">${headline(report)}</p>
<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${tags(drill.tags)}
${tiles(report, evidence)}
<dl class="hashes">${[
    ['run', report.runId],
    ['state', result.stateHash],
    ['evidence', result.evidenceHash],
    ['trajectory', result.trajectoryHash],
    ['build', identity.buildHash],
  ].map(([name, value]) => hashItem(name ?? '', value ?? ''))}</dl>
</header>
`;
}

/** A digest by its first digits; the script adds a button that copies all of it. */
function hashItem(name: string, value: string): Markup {
  const short = value.startsWith('sha256:') ? `${value.slice(7, 19)}…` : value;
  return html`<div><dt>${name}</dt><dd><code class="copy" data-copy="${value}" title="${value}">${short}</code></dd></div>`;
}

function tags(names: readonly string[]): Markup | null {
  return names.length === 0 ? null : html`<ul class="tags" aria-label="Tags">${names.map((name) => html`<li>${name}</li>`)}</ul>`;
}

function tiles({ result }: RunReport, { kinds, total }: EvidenceView): Markup {
  const judged = judgedOf(result);
  const held = judged.filter(({ status }) => status === 'passed').length;
  const { attempted, rejected } = result.budgetUsage.toolCalls;
  const items: { section: string; value: Content; label: string; note?: string }[] = [
    { section: 'assertions', value: html`${held}<small>/${judged.length}</small>`, label: 'assertions hold' },
    { section: 'interactions', value: grouped(result.interactions.length), label: noun(result.interactions.length, 'interaction') },
    {
      section: 'interactions',
      value: grouped(attempted),
      label: noun(attempted, 'tool call'),
      ...(rejected > 0 ? { note: `${rejected} rejected` } : {}),
    },
    { section: 'state', value: grouped(kinds.state_change ?? 0), label: noun(kinds.state_change ?? 0, 'state change') },
    { section: 'journal', value: virtualDuration(result.finishedAtVirtualUs - result.startedAtVirtualUs), label: 'of virtual time' },
    { section: 'journal', value: grouped(total), label: noun(total, 'journal entry', 'journal entries') },
  ];
  return html`<ul class="tiles">${items.map(
    ({ section, value, label, note }) =>
      html`<li><a href="#${section}"><strong>${value}</strong><span>${label}</span>${note === undefined ? null : html`<em>${note}</em>`}</a></li>`,
  )}</ul>`;
}
