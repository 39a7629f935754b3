// The page over a run: every trial with its verdict, its findings and the way to its report. One file that loads nothing and can be read
// without its script, which is the viewer's: it adds the theme, a filter and buttons that copy.
import { limits } from '../contract/limits.js';
import type { Verdict } from '../contract/run/run.js';
import type { SkippedDrill } from '../contract/run/run-events.js';
import { toolFailureText } from '../contract/world/tool-failure.js';
import { counted } from '../text/counted.js';
import { type Content, Markup } from '../text/markup.js';
import { visibleLine, visibleText } from '../text/visible-text.js';
import { html } from './markup.js';
import { pageAssets } from './page-assets.js';
import { pageHead } from './page-head.js';
import {
  byWeight,
  hostSpan,
  neverStarted,
  type Reason,
  type RunRecords,
  type TrialRecord,
  trialName,
  type UnstartedTrial,
} from './run-records.js';
import { refusalText } from './run-refusal.js';
import { hostDuration, locationText, usageText } from './shown-values.js';

export interface RunPageOptions {
  /** From the page to a report folder as its event named it: a relative path with forward slashes, or absolute where there is none. */
  linkTo: (report: string) => string;
}

export function runPage(records: RunRecords, { linkTo }: RunPageOptions): string {
  const { trials, unstarted, skipped, totals, shard, seed, refusal, nothingRan } = records;
  const { style, script, policy } = pageAssets();
  const verdict: Verdict = totals?.verdict ?? 'inconclusive';
  const drills = counted(new Set([...trials, ...unstarted].map(({ drillId }) => drillId)).size, 'drill');
  const word = nothingRan === undefined ? verdict : 'nothing ran';
  const outcome = totals === undefined ? drills : outcomeText(verdict, totals[verdict], drills);
  const title = refusal !== undefined ? 'The run ended with an error' : nothingRan === undefined ? outcome : `Nothing ran: ${nothingRan}`;
  const span = hostSpan(trials);
  const facts: [string, Content][] = [
    ['Passed', totals?.passed ?? 0],
    ['Failed', totals?.failed ?? 0],
    ['Inconclusive', totals?.inconclusive ?? 0],
    ['Trials', trials.length + unstarted.length],
    ...(unstarted.length === 0 ? [] : [['Never started', unstarted.length] as [string, Content]]),
    ...(skipped.length === 0 ? [] : [['Skipped', skipped.length] as [string, Content]]),
    ...(span === undefined ? [] : [['Took', hostDuration(span.finishedAtMs - span.startedAtMs)] as [string, Content]]),
    ...(seed === undefined ? [] : [['Seed', html`<code>${seed}</code>`] as [string, Content]]),
    ...(shard === undefined ? [] : [['Shard', shard] as [string, Content]]),
    ...(totals?.usage === undefined ? [] : [['Agents used', usageText(totals.usage)] as [string, Content]]),
    ...(trials[0] === undefined ? [] : [['Build', html`<code>${trials[0].buildHash.slice(7, 19)}…</code>`] as [string, Content]]),
  ];
  return html`<!doctype html>
<html lang="en" class="${verdict}">
${pageHead({ title, policy, style, description: title })}
<body>
<a class="skip" href="#main">Skip to the trials</a>
<header class="top">
<div class="bar"><span class="brand">Drillyard</span><span class="quiet">run</span>
<button type="button" id="theme" hidden>Theme</button></div>
<p class="verdict">${word}</p>
<h1>${title}</h1>
<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
</header>
<div class="layout plain"><main id="main">${
    refusal === undefined
      ? null
      : html`
<section aria-labelledby="error-title">
<h2 id="error-title">${refusal.code}</h2>
<pre>${visibleText(refusalText(refusal))}</pre>
</section>`
  }
<section aria-labelledby="trials-title">
<h2 id="trials-title">Trials</h2>
<div id="overview" hidden></div>
<div class="scroll"><table class="trials">
<thead><tr><th scope="col">Verdict</th><th scope="col">Drill</th><th scope="col">What decided it</th><th scope="col">Took</th><th scope="col">Reports</th></tr></thead>
<tbody>${[...trials].sort(byWeight).map((trial, index) => trialRow(trial, linkTo, index < limits.runPageWholeTrialsMax))}${unstarted.map(unstartedRow)}${skipped.map(skippedRow)}</tbody>
</table></div>${leftOut(trials)}
</section>
</main></div>
<script type="module">${new Markup(script)}</script>
</body>
</html>
`.text;
}

/** `All 8 drills passed`, `1 of 5 drills failed`. */
function outcomeText(verdict: Verdict, count: number, drills: string): string {
  const words = { passed: 'passed', failed: 'failed', inconclusive: count === 1 ? 'is inconclusive' : 'are inconclusive' }[verdict];
  if (verdict !== 'passed') return `${count} of ${drills} ${words}`;
  return `${count === 1 ? '' : 'All '}${drills} ${words}`;
}

function leftOut(trials: readonly TrialRecord[]): Markup | null {
  const count = [...trials]
    .sort(byWeight)
    .slice(limits.runPageWholeTrialsMax)
    .filter(({ why }) => why !== '').length;
  return count === 0 ? null : html`\n<p class="quiet">The findings of ${counted(count, 'further trial')} are in their reports.</p>`;
}

function chip(word: string, status: string): Markup {
  return html`<span class="status ${status}">${word}</span>`;
}

/** What a row is shown under; the script filters by it. */
type Shown = 'failed' | 'inconclusive' | 'flaky' | 'tolerated' | 'passed' | 'skipped';

interface Row {
  shown: Shown;
  /** Of the row as a whole. */
  tone: string;
  verdict: Markup;
  name: string;
  title: string | undefined;
  why: Content;
  took?: string;
  reports?: Content;
}

function tableRow({ shown, tone, verdict, name, title, why, took = '', reports = 'none' }: Row): Markup {
  const drill = html`<code>${name}</code>${title === undefined ? '' : html`<br>${title}`}`;
  return html`<tr class="${tone}" data-shown="${shown}"><td>${verdict}</td><td>${drill}</td><td>${why}</td><td>${took}</td><td>${reports}</td></tr>
`;
}

function skippedRow({ drillId, title, reason }: SkippedDrill): Markup {
  return tableRow({ shown: 'skipped', tone: 'quiet', verdict: chip('skipped', 'skipped'), name: drillId, title, why: reason });
}

function unstartedRow(trial: UnstartedTrial): Markup {
  const { title, tolerated } = trial;
  return tableRow({
    ...(tolerated === undefined ? { shown: 'inconclusive', tone: 'inconclusive' } : { shown: 'tolerated', tone: 'passed' }),
    verdict: chip('never started', 'inconclusive'),
    name: trialName(trial),
    title,
    why: html`${neverStarted}${toleratedLine(tolerated)}`,
  });
}

function trialRow(trial: TrialRecord, linkTo: RunPageOptions['linkTo'], isWhole: boolean): Markup {
  const { verdict, flaky, tolerated, attempts, title } = trial;
  const word = tolerated !== undefined ? `${verdict}, tolerated` : flaky ? 'passed, flaky' : verdict;
  const links = attempts.map((attempt, index) => attemptLink(attempt, attempts.length === 1 ? undefined : index, linkTo));
  return tableRow({
    shown: tolerated !== undefined ? 'tolerated' : flaky ? 'flaky' : verdict,
    tone: tolerated === undefined ? verdict : 'passed',
    verdict: chip(word, tolerated === undefined ? verdict : 'inconclusive'),
    name: trialName(trial),
    title,
    why: whyCell(isWhole ? trial : { ...trial, reasons: [], why: '' }, linkTo),
    took: hostDuration(attempts.reduce((sum, { startedAtMs, finishedAtMs }) => sum + Math.max(finishedAtMs - startedAtMs, 0), 0)),
    reports: attempts.length === 1 ? links : html`<ol class="retries">${links}</ol>`,
  });
}

const toleratedLine = (words: string | undefined): Markup | null =>
  words === undefined ? null : html`<br><span class="quiet">${words}</span>`;

/** What decided it, each finding with the way to it, all of it as text, and the command that plays the trial again. */
function whyCell(
  { headline, tolerated, toolFailures, reasons, why, repeat, attempts, verdict }: TrialRecord,
  linkTo: RunPageOptions['linkTo'],
): Markup {
  const report = attempts.at(-1)?.report ?? '';
  const broken = toolFailures.map((failure) => html`<br><strong>${visibleLine(toolFailureText(failure))}</strong>`);
  const findings = reasons.filter(({ assertionId }) => assertionId !== undefined);
  return html`${headline}${toleratedLine(tolerated)}${broken}${
    findings.length === 0
      ? null
      : html`<ul class="reasons">${findings.map((reason) => finding(reason, report === '' ? undefined : linkTo(`${report}/index.html`)))}</ul>`
  }${
    why === '' ? null : html`<details><summary>Expected, actual, evidence</summary><pre tabindex="0">${visibleText(why)}</pre></details>`
  }${repeat === undefined || verdict === 'passed' ? null : html`<p class="repeat"><code class="copy" data-copy="${repeat}">${repeat}</code></p>`}`;
}

function finding({ assertionId = '', message, location }: Reason, report: string | undefined): Markup {
  const name =
    report === undefined ? html`<strong>${assertionId}</strong>` : html`<a href="${report}#assertion-${assertionId}">${assertionId}</a>`;
  const place = location === undefined ? null : html` <code class="quiet">${locationText(location)}</code>`;
  return html`<li>${name} ${visibleLine(message)}${place}</li>`;
}

/** Of several attempts each is an item, with its verdict. */
function attemptLink(
  { report, runId, attempt, verdict }: TrialRecord['attempts'][number],
  index: number | undefined,
  linkTo: RunPageOptions['linkTo'],
): Markup {
  const name = index === undefined ? 'report' : `attempt ${attempt}`;
  const link =
    report === ''
      ? html`<span title="${runId}">none</span>`
      : html`<a href="${linkTo(`${report}/index.html`)}" title="${runId}">${name}</a>`;
  return index === undefined ? link : html`<li>${link} ${chip(verdict, verdict)}</li>`;
}
