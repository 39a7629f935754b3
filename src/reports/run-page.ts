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
  const { trials, unstarted, skipped, totals, shard, refusal } = records;
  const { style, policyWithoutScript } = pageAssets();
  const verdict: Verdict = totals?.verdict ?? 'inconclusive';
  const drills = counted(new Set([...trials, ...unstarted].map(({ drillId }) => drillId)).size, 'drill');
  const isNothing = trials.length + unstarted.length === 0 && skipped.length > 0;
  const word = isNothing ? 'nothing ran' : verdict;
  const ran = verdict === 'passed' || totals === undefined ? drills : `${totals[verdict]} of ${drills}`;
  const outcome = isNothing ? `Nothing ran: ${counted(skipped.length, 'drill')} skipped` : `${ran} ${word}`;
  const title = refusal === undefined ? outcome : 'The run ended with an error';
  const facts: [string, Content][] = [
    ...(['passed', 'failed', 'inconclusive'] as const).map((name): [string, Content] => [capital(name), totals?.[name] ?? 0]),
    ['Trials', trials.length + unstarted.length],
    ...(unstarted.length === 0 ? [] : [['Never started', unstarted.length] as [string, Content]]),
    ...(skipped.length === 0 ? [] : [['Skipped', skipped.length] as [string, Content]]),
    ...(shard === undefined ? [] : [['Shard', shard] as [string, Content]]),
    ...(totals?.usage === undefined ? [] : [['Agents used', usageText(totals.usage)] as [string, Content]]),
    ...(trials[0] === undefined ? [] : [['Build', html`<code>${trials[0].buildHash.slice(7, 19)}…</code>`] as [string, Content]]),
  ];
  return html`<!doctype html>
<html lang="en" class="${verdict}">
${pageHead({ title, policy: policyWithoutScript, style })}
<body>
<header class="top">
<div class="bar"><span class="brand">Drillyard</span><span class="quiet">run</span></div>
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

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

function skippedRow({ drillId, title, reason }: SkippedDrill): Markup {
  const name = html`<code>${drillId}</code>${title === undefined ? '' : html`<br>${title}`}`;
  return html`<tr class="quiet"><td>skipped</td><td>${name}</td><td>${reason}</td><td></td><td>none</td></tr>
`;
}

function unstartedRow(trial: UnstartedTrial): Markup {
  const { title, tolerated } = trial;
  const name = html`<code>${trialName(trial)}</code>${title === undefined ? '' : html`<br>${title}`}`;
  const why = html`${neverStarted}${tolerated === undefined ? null : html`<br><span class="quiet">${tolerated}</span>`}`;
  return html`<tr class="${tolerated === undefined ? 'inconclusive' : 'passed'}"><td>never started</td><td>${name}</td><td>${why}</td><td></td><td>none</td></tr>
`;
}

function row(trial: TrialRecord, linkTo: RunPageOptions['linkTo']): Markup {
  const tookMs = trial.attempts.reduce((sum, { startedAtMs, finishedAtMs }) => sum + Math.max(finishedAtMs - startedAtMs, 0), 0);
  const title = trial.title === undefined ? '' : html`<br>${trial.title}`;
  const links = trial.attempts.map(({ report, runId, attempt, verdict }, index) => {
    const name = trial.attempts.length === 1 ? 'report' : `attempt ${attempt} ${verdict}`;
    const link =
      report === ''
        ? html`<span title="${runId}">none</span>`
        : html`<a href="${linkTo(`${report}/index.html`)}" title="${runId}">${name}</a>`;
    return html`${index > 0 ? ', ' : ''}${link}`;
  });
  const { verdict, flaky, tolerated, headline } = trial;
  const shown = tolerated !== undefined ? `${verdict}, tolerated` : flaky ? 'passed, flaky' : verdict;
  const broken = trial.toolFailures.map((failure) => html`<br><strong>${visibleLine(toolFailureText(failure))}</strong>`);
  const why = html`${headline}${tolerated === undefined ? null : html`<br><span class="quiet">${tolerated}</span>`}${broken}`;
  return html`<tr class="${tolerated === undefined ? verdict : 'passed'}"><td><span class="status ${tolerated === undefined ? verdict : 'passed'}">${shown}</span></td><td><code>${trialName(trial)}</code>${title}</td><td>${why}</td><td>${hostDuration(tookMs)}</td><td>${links}</td></tr>
`;
}
