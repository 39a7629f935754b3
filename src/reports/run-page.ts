// The page over a run: every trial with its verdict, its reasons and the way to its report. One file that loads nothing and needs no
// script.
import type { Verdict } from '../contract/run/run.js';
import type { SkippedDrill } from '../contract/run/run-events.js';
import { toolFailureText } from '../contract/world/tool-failure.js';
import { counted } from '../text/counted.js';
import type { Content, Markup } from '../text/markup.js';
import { visibleLine, visibleText } from '../text/visible-text.js';
import { html } from './markup.js';
import { pageAssets } from './page-assets.js';
import { pageHead } from './page-head.js';
import { byWeight, neverStarted, type RunRecords, type TrialRecord, trialName, type UnstartedTrial } from './run-records.js';
import { refusalText } from './run-refusal.js';
import { hostDuration, usageText } from './shown-values.js';

export interface RunPageOptions {
  /** From the page to a report folder as its event named it: a relative path with forward slashes, or absolute where there is none. */
  linkTo: (report: string) => string;
}

export function runPage(records: RunRecords, { linkTo }: RunPageOptions): string {
  const { trials, unstarted, skipped, totals, shard, seed, refusal } = records;
  const { style, policyWithoutScript } = pageAssets();
  const verdict: Verdict = totals?.verdict ?? 'inconclusive';
  const drills = counted(new Set([...trials, ...unstarted].map(({ drillId }) => drillId)).size, 'drill');
  const isNothing = trials.length + unstarted.length === 0 && skipped.length > 0;
  const word = isNothing ? 'nothing ran' : verdict;
  const outcome = totals === undefined ? drills : outcomeText(verdict, totals[verdict], drills);
  const title =
    refusal !== undefined
      ? 'The run ended with an error'
      : isNothing
        ? `Nothing ran: ${counted(skipped.length, 'drill')} skipped`
        : outcome;
  const facts: [string, Content][] = [
    ['Passed', totals?.passed ?? 0],
    ['Failed', totals?.failed ?? 0],
    ['Inconclusive', totals?.inconclusive ?? 0],
    ['Trials', trials.length + unstarted.length],
    ...(unstarted.length === 0 ? [] : [['Never started', unstarted.length] as [string, Content]]),
    ...(skipped.length === 0 ? [] : [['Skipped', skipped.length] as [string, Content]]),
    ...(trials.length === 0 ? [] : [['Took', hostDuration(hostSpanMs(trials))] as [string, Content]]),
    ...(seed === undefined ? [] : [['Seed', html`<code>${seed}</code>`] as [string, Content]]),
    ...(shard === undefined ? [] : [['Shard', shard] as [string, Content]]),
    ...(totals?.usage === undefined ? [] : [['Agents used', usageText(totals.usage)] as [string, Content]]),
    ...(trials[0] === undefined ? [] : [['Build', html`<code>${trials[0].buildHash.slice(7, 19)}…</code>`] as [string, Content]]),
  ];
  return html`<!doctype html>
<html lang="en" class="${verdict}">
${pageHead({ title, policy: policyWithoutScript, style })}
<body>
<header class="top">
<div class="bar"><span class="brand">Drillyard</span><span class="quiet">run</span>${themeChoice}</div>
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
<div class="scroll"><table class="trials">
<thead><tr><th scope="col">Verdict</th><th scope="col">Drill</th><th scope="col">What decided it</th><th scope="col">Took</th><th scope="col">Reports</th></tr></thead>
<tbody>${[...trials].sort(byWeight).map((trial) => row(trial, linkTo))}${unstarted.map(unstartedRow)}${skipped.map(skippedRow)}</tbody>
</table></div>
</section>
</main></div>
</body>
</html>
`.text;
}

/** The page runs no script: the style reads which of the three is checked. */
const themeChoice: Markup = html`<fieldset class="theme-choice"><legend>Theme</legend>${(['auto', 'light', 'dark'] as const).map(
  (name) => html`<label><input type="radio" name="theme" id="theme-${name}"${name === 'auto' ? html` checked` : null}>${name}</label>`,
)}</fieldset>`;

/** `All 8 drills passed`, `1 of 5 drills failed`. */
function outcomeText(verdict: Verdict, count: number, drills: string): string {
  const words = { passed: 'passed', failed: 'failed', inconclusive: count === 1 ? 'is inconclusive' : 'are inconclusive' }[verdict];
  if (verdict !== 'passed') return `${count} of ${drills} ${words}`;
  return `${count === 1 ? '' : 'All '}${drills} ${words}`;
}

/** From the first start to the last end: trials run at the same time. */
function hostSpanMs(trials: readonly TrialRecord[]): number {
  const attempts = trials.flatMap((trial) => trial.attempts);
  return Math.max(...attempts.map(({ finishedAtMs }) => finishedAtMs)) - Math.min(...attempts.map(({ startedAtMs }) => startedAtMs));
}

function chip(word: string, status: string): Markup {
  return html`<span class="status ${status}">${word}</span>`;
}

function skippedRow({ drillId, title, reason }: SkippedDrill): Markup {
  const name = html`<code>${drillId}</code>${title === undefined ? '' : html`<br>${title}`}`;
  return html`<tr class="quiet"><td>${chip('skipped', 'skipped')}</td><td>${name}</td><td>${reason}</td><td></td><td>none</td></tr>
`;
}

function unstartedRow(trial: UnstartedTrial): Markup {
  const { title, tolerated } = trial;
  const name = html`<code>${trialName(trial)}</code>${title === undefined ? '' : html`<br>${title}`}`;
  const why = html`${neverStarted}${tolerated === undefined ? null : html`<br><span class="quiet">${tolerated}</span>`}`;
  return html`<tr class="${tolerated === undefined ? 'inconclusive' : 'passed'}"><td>${chip('never started', 'inconclusive')}</td><td>${name}</td><td>${why}</td><td></td><td>none</td></tr>
`;
}

function row(trial: TrialRecord, linkTo: RunPageOptions['linkTo']): Markup {
  const tookMs = trial.attempts.reduce((sum, { startedAtMs, finishedAtMs }) => sum + Math.max(finishedAtMs - startedAtMs, 0), 0);
  const title = trial.title === undefined ? '' : html`<br>${trial.title}`;
  const links = trial.attempts.map((attempt, index) => attemptLink(attempt, trial.attempts.length === 1 ? undefined : index, linkTo));
  const { verdict, flaky, tolerated, headline } = trial;
  const shown = tolerated !== undefined ? `${verdict}, tolerated` : flaky ? 'passed, flaky' : verdict;
  const broken = trial.toolFailures.map((failure) => html`<br><strong>${visibleLine(toolFailureText(failure))}</strong>`);
  const why = html`${headline}${tolerated === undefined ? null : html`<br><span class="quiet">${tolerated}</span>`}${broken}`;
  return html`<tr class="${tolerated === undefined ? verdict : 'passed'}"><td>${chip(shown, tolerated === undefined ? verdict : 'inconclusive')}</td><td><code>${trialName(trial)}</code>${title}</td><td>${why}</td><td>${hostDuration(tookMs)}</td><td>${trial.attempts.length === 1 ? links : html`<ol class="retries">${links}</ol>`}</td></tr>
`;
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
