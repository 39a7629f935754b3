// What GitHub Actions shows of a run: annotations, as workflow commands in the log, and a step summary in markdown.
//   GITHUB-1. A value cannot end its command or begin another: escaped as actions/toolkit does it, whose rules are GitHub's only statement
//     of them.
//   GITHUB-2. GitHub shows ten annotations of a kind a step and drops the others without a word, so the tenth says how many there are.
//   GITHUB-3. A summary above 1 MiB is refused as a whole: ours stops far below, and says what it left out.
import { limits } from '../contract/limits.js';
import type { Diagnostic } from '../contract/run/build.js';
import type { SkippedDrill } from '../contract/run/run-events.js';
import { toolFailureText } from '../contract/world/tool-failure.js';
import { counted } from '../text/counted.js';
import { visibleLine, visibleText } from '../text/visible-text.js';
import {
  byWeight,
  neverStarted,
  type RunRecords,
  reasonsOrHeadline,
  type TrialRecord,
  trialName,
  type UnstartedTrial,
} from './run-records.js';
import { type RunRefusal, refusalText } from './run-refusal.js';
import { hostDuration, usageText } from './shown-values.js';
import type { PlaceOf } from './source-place.js';

/** A line each. */
export function githubAnnotations(records: RunRecords, placeOf: PlaceOf): string[] {
  const notPassed = records.trials.filter(({ verdict }) => verdict !== 'passed');
  const unstarted = new Set(records.unstarted.flatMap(({ drillId, tolerated }) => (tolerated === undefined ? [drillId] : [])));
  const errors = [
    ...notPassed.filter(({ tolerated }) => tolerated === undefined).flatMap((trial) => errorsOf(trial, placeOf)),
    ...[...unstarted].map((drillId) => unstartedError(records, drillId, placeOf)),
  ];
  const tolerated = new Map(
    [...notPassed, ...records.unstarted].flatMap((trial) => (trial.tolerated === undefined ? [] : [[trial.drillId, trial.tolerated]])),
  );
  const notices = [
    ...[...tolerated].map(([drillId, text]) => command('notice', { ...placed(placeOf(drillId)), title: `${drillId} passed` }, `${text}.`)),
    ...records.skipped.map(({ drillId, reason }) =>
      command('notice', { ...placed(placeOf(drillId)), title: `${drillId} skipped` }, reason),
    ),
  ];
  const flaky = records.trials.filter((trial) => trial.flaky).map((trial) => flakyWarning(trial, placeOf));
  return [...bounded(errors, 'error'), ...bounded([...toolWarnings(records, placeOf), ...flaky], 'warning'), ...bounded(notices, 'notice')];
}

/** For a run that ended with an error; each file of a diagnostic as it is called from the checkout. */
export function githubRefusal({ code, message, diagnostics }: RunRefusal): string[] {
  return diagnostics.length > 0 ? diagnosticCommands(diagnostics) : [command('error', { title: code }, message)];
}

function diagnosticCommands(diagnostics: readonly Diagnostic[]): string[] {
  const lines = diagnostics.map(({ severity, file, line, column, code, message, suggestion }) => ({
    severity,
    text: command(severity, { file, line, col: column, title: code }, suggestion === undefined ? message : `${message}\n${suggestion}`),
  }));
  const of = (wanted: Level): string[] => lines.filter(({ severity }) => severity === wanted).map(({ text }) => text);
  return [...bounded(of('error'), 'error'), ...bounded(of('warning'), 'warning')];
}

type Level = 'error' | 'warning' | 'notice';

function bounded(lines: string[], level: Level): string[] {
  if (lines.length <= limits.githubAnnotationsMax) return lines;
  const left = lines.length - limits.githubAnnotationsMax + 1;
  return [
    ...lines.slice(0, limits.githubAnnotationsMax - 1),
    command(level, {}, `${left} more like these; the step summary and the reports have all of them.`),
  ];
}

function errorsOf(trial: TrialRecord, placeOf: PlaceOf): string[] {
  return reasonsOrHeadline(trial).map(({ assertionId, message }) => {
    const word = trial.verdict === 'failed' ? 'failed' : 'undecided';
    const title = `${trialName(trial)} ${word}${assertionId === undefined ? '' : `: ${assertionId}`}`;
    return command(
      'error',
      { ...placed(placeOf(trial.drillId, assertionId)), title },
      `${message}\nrun ${trial.attempts.at(-1)?.runId}${trial.repeatHere === undefined ? '' : `; again: ${trial.repeatHere}`}`,
    );
  });
}

/** One a drill, as GitHub shows few. */
function unstartedError({ unstarted }: RunRecords, drillId: string, placeOf: PlaceOf): string {
  const [first, ...others] = unstarted.filter((trial) => trial.drillId === drillId);
  const name = others.length === 0 && first !== undefined ? trialName(first) : `${drillId} (${counted(others.length + 1, 'trial')})`;
  return command('error', { ...placed(placeOf(drillId)), title: `${name} never started` }, neverStarted);
}

function flakyWarning(trial: TrialRecord, placeOf: PlaceOf): string {
  const text = `It passed at attempt ${trial.attempts.length}; the reports of those before tell why they did not.`;
  return command('warning', { ...placed(placeOf(trial.drillId)), title: `${trialName(trial)} is flaky` }, text);
}

/** Each handler once, at its own place where the run knew it. */
function toolWarnings({ trials }: RunRecords, placeOf: PlaceOf): string[] {
  const failures = new Map(
    trials.flatMap(({ toolFailures, drillId }) =>
      toolFailures.map((failure) => [toolFailureText({ ...failure, count: 1 }), { failure, drillId }]),
    ),
  );
  return [...failures].map(([text, { failure, drillId }]) =>
    command('warning', { ...placed(placeOf(drillId, undefined, failure.place)), title: `tool ${failure.packageId} failed` }, text),
  );
}

function placed(place: ReturnType<PlaceOf>): { [name: string]: string | number } {
  return place === undefined ? {} : { file: place.file, line: place.line, col: place.column };
}

function command(level: Level, properties: { [name: string]: string | number }, message: string): string {
  const written = Object.entries(properties).map(([name, value]) => `${name}=${escapeProperty(visibleLine(String(value)))}`);
  return `::${level}${written.length === 0 ? '' : ` ${written.join(',')}`}::${escapeData(visibleText(message).slice(0, limits.githubMessageCharsMax))}`;
}

function escapeData(text: string): string {
  return text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
}
function escapeProperty(text: string): string {
  return escapeData(text).replace(/:/g, '%3A').replace(/,/g, '%2C');
}

/** Ended by a newline; to be appended to the file GITHUB_STEP_SUMMARY names. */
export function githubSummary(records: RunRecords): string {
  const { trials, unstarted, skipped, totals, shard, refusal, nothingRan } = records;
  const { verdict = 'inconclusive', passed = 0, failed = 0, inconclusive = 0 } = totals ?? {};
  const parts = [
    `${passed} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(inconclusive > 0 ? [`${inconclusive} undecided`] : []),
    ...(skipped.length > 0 ? [`${skipped.length} skipped`] : []),
  ];
  const rows = trials.length + unstarted.length + skipped.length;
  const mark = marks[nothingRan === undefined ? verdict : 'skipped'];
  const heading = refusal === undefined ? `${mark} Drillyard: ${parts.join(', ')}` : `${marks.failed} Drillyard: ${refusal.code}`;
  const lines = [
    `## ${heading}${shard === undefined ? '' : ` (shard ${shard})`}`,
    '',
    ...(refusal === undefined ? [] : [`<pre>${escapeHtml(visibleText(refusalText(refusal)))}</pre>`, '']),
    ...(totals?.usage === undefined ? [] : [`Agents used ${usageText(totals.usage)}.`, '']),
    ...(unstarted.length === 0 ? [] : [`${counted(unstarted.length, 'trial')} never started: the run ended before.`, '']),
    ...(trials.length + unstarted.length === 0
      ? [`No drill ran${nothingRan === undefined ? '' : `: ${visibleLine(nothingRan)}`}.`, '']
      : []),
    ...(rows === 0 ? [] : ['| | drill | attempts | took | |', '|---|---|---|---|---|']),
  ];
  // What did not pass first: it is what one looks for, and what the bound must not cut.
  const ordered = [...trials].sort(byWeight);
  const notPassed = ordered.filter(({ verdict, tolerated }) => verdict !== 'passed' && tolerated === undefined);
  const rest = `\n\n${counted(trials.length + unstarted.length, 'trial')} in all; the others are in the reports.\n`;
  return fit(
    [...lines, ...ordered.map(row), ...unstarted.map(unstartedRow), ...skipped.map(skippedRow), ...notPassed.flatMap(details)],
    rest,
  );
}

const marks = { passed: '✅', failed: '❌', inconclusive: '❔', skipped: '⏭️' } as const;

function row(trial: TrialRecord): string {
  const tookMs = trial.attempts.reduce((sum, { startedAtMs, finishedAtMs }) => sum + Math.max(finishedAtMs - startedAtMs, 0), 0);
  const { verdict, flaky, tolerated, headline } = trial;
  const own = flaky ? 'flaky: passed only when tried again' : verdict === 'passed' ? '' : headline;
  const note = tolerated === undefined ? own : `${verdict}, tolerated (${tolerated}): ${own}`;
  return `| ${marks[tolerated === undefined ? verdict : 'passed']} | ${cell(trialName(trial))} | ${trial.attempts.length} | ${hostDuration(tookMs)} | ${cell(note)} |`;
}

function unstartedRow(trial: UnstartedTrial): string {
  const note = trial.tolerated === undefined ? 'never started' : `never started, tolerated (${trial.tolerated})`;
  return `| ${marks[trial.tolerated === undefined ? 'inconclusive' : 'passed']} | ${cell(trialName(trial))} | 0 | | ${cell(note)} |`;
}

function skippedRow({ drillId, reason }: SkippedDrill): string {
  return `| ${marks.skipped} | ${cell(drillId)} | 0 | | ${cell(`skipped: ${reason}`)} |`;
}

function details(trial: TrialRecord): string[] {
  const text = escapeHtml(visibleText(trial.why || trial.headline));
  return [
    '',
    `<details><summary>${escapeHtml(visibleLine(trialName(trial)))}, run ${trial.attempts.at(-1)?.runId}</summary>`,
    '',
    `<pre>${text}</pre>`,
    ...(trial.repeatHere === undefined ? [] : ['', `Again: <code>${escapeHtml(trial.repeatHere)}</code>`]),
    '',
    '</details>',
  ];
}

/** Text in a table: no markup, no cell and no line of its own. */
function cell(text: string): string {
  return escapeHtml(visibleLine(text)).replace(/[\\`*_[\]!|~@]/g, (char) => `&#${char.charCodeAt(0)};`);
}
function escapeHtml(text: string): string {
  return text.replace(/[&<>]/g, (char) => (char === '&' ? '&amp;' : char === '<' ? '&lt;' : '&gt;'));
}

function fit(lines: readonly string[], rest: string): string {
  let bytes = Buffer.byteLength(rest);
  const kept: string[] = [];
  for (const line of lines) {
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > limits.githubSummaryBytesMax) return `${kept.join('\n')}${rest}`;
    kept.push(line);
  }
  return `${kept.join('\n')}\n`;
}
