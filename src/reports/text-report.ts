// A run as lines of text: report.txt, and with color what the terminal says of a run that did not pass.
import { type JsonDiff, pathText } from '../contract/json-diff.js';
import { limits } from '../contract/limits.js';
import { usageOf } from '../contract/run/agent-usage.js';
import type { AssertionResult, InteractionResult, RunResult } from '../contract/run/run.js';
import type { CitedEntry, RunReport, StoryLine } from '../contract/run/run-events.js';
import { toolFailureText } from '../contract/world/tool-failure.js';
import { counted, grouped } from '../text/counted.js';
import { virtualClock, virtualDuration } from '../text/virtual-time.js';
import { visibleLine, visibleText } from '../text/visible-text.js';
import { type AgentCause, type Cause, causesOf, undecidedMessage } from './causes.js';
import { actorName } from './entry-text.js';
import type { EvidenceView } from './evidence-view.js';
import { headline, type ReportFinding } from './findings.js';
import { type Palette, paintVerdict, plain, statusMark } from './palette.js';
import { repeatCommand } from './repeat-command.js';
import { runHashes } from './run-hashes.js';
import {
  assertionDiff,
  diffDetails,
  hostDuration,
  locationText,
  sequencesText,
  trialText,
  usageText,
  valueLine,
  valueText,
} from './shown-values.js';
import { storyOf } from './story.js';
import { viewJournal } from './view-journal.js';
import { advisory, boundsText } from './words.js';

/** report.txt */
export function textReport(report: RunReport, evidence: EvidenceView): string {
  const { result } = report;
  const lines = [
    ...runHeading(report, plain),
    // Tool code that broke is loud whatever the verdict; of a run that did not pass it is the first of the reasons.
    ...section('Tools that failed', result.verdict === 'passed' ? toolFailureLines(report, plain) : []),
    ...section('What happened', storyLines(storyOf(report, viewJournal(evidence)), plain)),
    ...section(result.verdict === 'passed' ? 'What did not hold' : 'Why', whyLines(report, evidence.cited, plain)),
    ...section('Assertions', result.assertionResults.flatMap(assertionLine)),
    ...section('Interactions', bounded(result.interactions, interactionLines)),
    ...section(unansweredTitle, unansweredLines(report)),
    ...section('Checkpoints', bounded(result.checkpoints, checkpointLine)),
    ...section('Budgets', budgetLines(result)),
    ...section('Evidence', evidenceLines(result, evidence)),
    ...section('Identity', identityLines(report)),
  ];
  return `${lines.join('\n')}\n`;
}

/** Verdict, title and the facts that tell one run from another. */
export function runHeading(report: RunReport, palette: Palette): string[] {
  const { drill, target, result } = report;
  const verdict = paintVerdict(result.verdict, palette.bold(result.verdict.toUpperCase()), palette);
  const title = drill.title === undefined ? '' : `${palette.bold(visibleLine(drill.title))}  `;
  const facts = [trialText(result), `target ${target.id} (${target.kind})`, seedText(report), `run ${report.runId}`].map(visibleLine);
  return [
    `${verdict}  ${title}${palette.dim(visibleLine(drill.id))}`,
    `  ${visibleLine(headline(report))}`,
    `  ${palette.dim(facts.filter((fact) => fact !== '').join(' · '))}`,
  ];
}

/** The seed that `--seed` takes; of a report that does not know it, that of the trial is called what it is. */
function seedText({ invocation, result: { identity } }: RunReport): string {
  return invocation === undefined ? `trial seed ${identity.seed}` : `seed ${invocation.seed}`;
}

/** Tool code that broke, loud whatever the verdict: it reads as the agent's trouble otherwise. */
export function toolFailureLines({ toolFailures = [] }: Pick<RunReport, 'toolFailures'>, palette: Palette): string[] {
  return toolFailures.map((failure) => palette.red(visibleLine(`! ${toolFailureText(failure)} (#${failure.sequence})`)));
}

/** What the reader has to know first, each cause with what belongs to it; empty for a run in which everything holds. */
export function whyLines(report: RunReport, cited: readonly CitedEntry[], palette: Palette): string[] {
  const texts = new Map(cited.map((entry) => [entry.sequence, entry.text]));
  const causes = causesOf(report).filter(({ kind }) => kind !== 'tool' || report.result.verdict !== 'passed');
  const findings = causes.filter(({ kind }) => kind === 'finding').slice(limits.reportListItemsMax);
  const shown = causes.filter((cause) => !findings.includes(cause));
  return shown.flatMap((cause) => [...causeLines(cause, { texts, palette, cutShort: report.cutShort }), '']).slice(0, -1);
}

/** Each line with the entry that it is about; the assertion that ends it has a block of its own below. */
export function storyLines(story: readonly StoryLine[], palette: Palette): string[] {
  const lines = story.filter(({ role }) => role !== 'assertion' && role !== 'agent');
  const width = Math.max(0, ...lines.map(({ sequence }) => `#${sequence}`.length));
  return lines.map(
    ({ text, sequence }) => `${palette.dim((sequence === undefined ? '' : `#${sequence}`).padEnd(width))}  ${visibleLine(text)}`,
  );
}

interface CauseContext {
  texts: ReadonlyMap<number, string>;
  palette: Palette;
  cutShort: string | undefined;
}

function causeLines(cause: Cause, { texts, palette, cutShort }: CauseContext): string[] {
  const { bold, dim, red } = palette;
  switch (cause.kind) {
    case 'tool':
      return [red(visibleLine(`! ${cause.message} (#${cause.sequence})`))];
    case 'run':
      return [
        `${red('✗')} ${bold(visibleLine(cause.title))}`,
        ...indent(visibleText(cause.message).split('\n'), 2),
        ...indent(cause.issues.map(visibleLine), 2),
      ];
    case 'budget':
      return [`${red('✗')} ${bold(cause.title)}`, ...indent([visibleText(cause.message)], 2)];
    case 'agent':
      return agentLines(cause, palette);
    case 'finding':
      return findingLines(cause.finding, texts, palette);
    case 'undecided': {
      const shown = cause.findings.slice(0, limits.reportListItemsMax);
      const lines = shown.map(
        (finding) => `${bold(visibleLine(finding.assertion.assertionId))}  ${dim(visibleLine(undecidedMessage(finding, cutShort)))}`,
      );
      return [`${statusMark('inconclusive', palette)} ${visibleLine(cause.title)}`, ...indent(lines, 2)];
    }
  }
}

function agentLines({ interactionId, status, code, title, log, answer, place }: AgentCause, palette: Palette): string[] {
  const said = [...log, ...answer].map((line) => palette.dim(`| ${visibleLine(line)}`));
  const where = place === undefined ? [] : [`${palette.dim('at'.padEnd(9))} ${visibleLine(`${place.file}:${place.line}:${place.column}`)}`];
  const more = code === undefined ? '' : palette.dim(`  ${visibleLine(code)}`);
  return [
    `${statusMark(status, palette)} ${palette.bold(visibleLine(title))}${more}`,
    ...indent([palette.dim(visibleLine(`in interaction ${interactionId}`)), ...said, ...where], 2),
  ];
}

export const unansweredTitle = 'Requests that no route answered';

/** What clients wanted and no wire route of a tool gave them; empty where every request was answered. */
export function unansweredLines({ unanswered }: RunReport): string[] {
  if (unanswered === undefined) return [];
  const { requests, left } = unanswered;
  const lines = bounded(requests, ({ method, path, status, times }) => [
    `${visibleLine(`${method.padEnd(6)} ${path}`)}  ${status}${times > 1 ? `  ${grouped(times)} times` : ''}`,
  ]);
  return left === 0 ? lines : [...lines, `and ${counted(left, 'further request')} that nobody wrote down`];
}

function findingLines({ assertion, checkpointIds }: ReportFinding, texts: ReadonlyMap<number, string>, palette: Palette): string[] {
  const note = assertion.gate ? '' : palette.dim(`  ${advisory}`);
  const lines = [
    `${statusMark(assertion.status, palette)} ${palette.bold(visibleLine(assertion.assertionId))}  ${palette.dim(visibleLine(assertion.kind))}${note}`,
  ];
  lines.push(
    ...visibleText(assertion.message)
      .split('\n')
      .map((line) => `  ${line}`),
  );
  const field = (name: string, values: string[]): void => {
    for (const [index, value] of values.entries()) lines.push(`  ${palette.dim((index === 0 ? name : '').padEnd(9))} ${value}`);
  };
  if (checkpointIds.length > 0) field('at', [visibleLine(checkpointsText(checkpointIds))]);
  if (assertion.location !== undefined) field('where', [visibleLine(locationText(assertion.location))]);
  if (assertion.status !== 'inconclusive' && (assertion.expected !== undefined || assertion.actual !== undefined)) {
    const wanted = boundsText(assertion.expected) ?? valueText(assertion.expected);
    field('expected', shortened(visibleText(wanted).split('\n')).map(palette.green));
    field('actual', shortened(visibleText(valueText(assertion.actual)).split('\n')).map(palette.red));
  }
  const difference = assertion.status === 'inconclusive' ? null : assertionDiff(assertion);
  if (difference !== null) field('diff', differenceLines(difference, palette));
  for (const [name, value] of diffDetails(assertion)) field('', [`${visibleLine(name)}: ${visibleLine(valueLine(value))}`]);
  field('evidence', citationLines(assertion.evidenceSequences, texts));
  return lines;
}

function differenceLines({ changes, total }: JsonDiff, palette: Palette): string[] {
  const lines = shortened(changes.flatMap((change) => diffLines(change, palette)));
  return total > changes.length ? [...lines, palette.dim(`and ${counted(total - changes.length, 'more member')}`)] : lines;
}

function diffLines({ path, before, after }: { path: (string | number)[]; before?: unknown; after?: unknown }, palette: Palette): string[] {
  const name = visibleLine(pathText(path));
  const side = (sign: string, value: unknown): string => `${sign} ${name}: ${visibleLine(valueLine(value as never))}`;
  return [
    ...(before === undefined ? [] : [palette.green(side('-', before))]),
    ...(after === undefined ? [] : [palette.red(side('+', after))]),
  ];
}

/** Each cited entry with what it says, where that is known; else the numbers alone. */
function citationLines(sequences: readonly number[], texts: ReadonlyMap<number, string>): string[] {
  if (sequences.length === 0) return ['none'];
  const max = limits.textCitedLinesMax;
  // The last one is what decided it: of many, those between the first ones and it are numbers.
  const firstMany = sequences.length > max ? max - 1 : max;
  const [first, last] = [sequences.slice(0, firstMany), sequences.slice(firstMany).slice(-1)];
  if ([...first, ...last].some((sequence) => !texts.has(sequence))) return [sequencesText(sequences)];
  const line = (sequence: number): string => `#${sequence} ${visibleLine(texts.get(sequence) ?? '')}`;
  const between = sequences.slice(firstMany, -1);
  return [...first.map(line), ...(between.length > 0 ? [`and ${sequencesText(between)}`] : []), ...last.map(line)];
}

function assertionLine(assertion: AssertionResult): string[] {
  const note = assertion.gate ? '' : ` (${advisory})`;
  return [
    `${statusMark(assertion.status, plain)} ${visibleLine(assertion.assertionId)}  ${visibleLine(assertion.kind)}${note}`,
    `    ${visibleLine(assertion.message)}`,
  ];
}

function interactionLines(interaction: InteractionResult): string[] {
  const { targetResult, startedAtVirtualUs, finishedAtVirtualUs } = interaction;
  const time = `${virtualClock(startedAtVirtualUs)}, took ${virtualDuration(finishedAtVirtualUs - startedAtVirtualUs)}`;
  const lines = [
    `${statusMark(targetResult.status, plain)} ${visibleLine(`${interaction.interactionId}  ${actorName(interaction)}`)}  ${targetResult.status}  ${time}`,
  ];
  lines.push(...indent(shortened(visibleText(interaction.task.instruction).split('\n')), 4));
  if (interaction.task.input !== undefined) lines.push(`    input   ${visibleLine(valueLine(interaction.task.input))}`);
  if (targetResult.output !== undefined) lines.push(`    output  ${visibleLine(valueLine(targetResult.output))}`);
  if (targetResult.error !== undefined)
    lines.push(`    error   ${visibleLine(`${targetResult.error.code}: ${targetResult.error.message}`)}`);
  return lines;
}

function checkpointLine({ checkpointId, kind, verdict, virtualTimeUs, assertionResults }: RunResult['checkpoints'][number]): string[] {
  const held = assertionResults.filter((assertion) => assertion.status === 'passed').length;
  return [
    `${statusMark(verdict, plain)} ${visibleLine(checkpointId)}  ${kind}  ${virtualClock(virtualTimeUs)}  ${held} of ${assertionResults.length} hold`,
  ];
}

function budgetLines(result: RunResult): string[] {
  const { toolCalls, scheduledEvents } = result.budgetUsage;
  const usage = usageOf(result);
  return [
    `tool calls        ${toolCalls.attempted} of ${toolCalls.limit}${toolCalls.rejected > 0 ? `, ${toolCalls.rejected} rejected` : ''}`,
    `scheduled events  ${scheduledEvents.processed} of ${scheduledEvents.limit}${scheduledEvents.exhausted ? ', exhausted' : ''}`,
    ...(usage === undefined ? [] : [`agent used        ${usageText(usage)}`]),
  ];
}

function evidenceLines({ evidenceRange, startedAtVirtualUs, finishedAtVirtualUs }: RunResult, { total, kinds }: EvidenceView): string[] {
  const parts = Object.entries(kinds).map(([kind, many]) => `${many} ${kind}`);
  return [
    `${counted(total, 'entry', 'entries')} in evidence.jsonl; the run's are #${evidenceRange.fromSequence}–${evidenceRange.toSequence}`,
    ...(parts.length > 0 ? [parts.join(', ')] : []),
    `virtual time ${virtualClock(startedAtVirtualUs)} to ${virtualClock(finishedAtVirtualUs)}`,
  ];
}

function identityLines(report: RunReport): string[] {
  const { result, startedAtMs, finishedAtMs, engineVersion, invocation } = report;
  const { identity } = result;
  const repeat = repeatCommand(report);
  const facts: [string, string][] = [
    ['run', identity.runId],
    ['world', identity.worldInstanceId],
    ...(identity.scenarioId === undefined ? [] : ([['scenario', identity.scenarioId]] as [string, string][])),
    ...(invocation === undefined
      ? []
      : ([
          ['invocation', invocation.id],
          ['seed', invocation.seed],
        ] as [string, string][])),
    ['trial seed', identity.seed],
    ...(repeat === undefined ? [] : ([['repeat', repeat]] as [string, string][])),
    ...runHashes(result),
    ['started', `${new Date(startedAtMs).toISOString()}, took ${hostDuration(finishedAtMs - startedAtMs)}`],
    ['engine', engineVersion],
  ];
  return facts.map(([name, value]) => `${name.padEnd(11)} ${visibleLine(value)}`);
}

function section(title: string, lines: string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...indent(lines, 2)];
}

function bounded<T>(items: readonly T[], write: (item: T) => string[]): string[] {
  const lines = items.slice(0, limits.reportListItemsMax).flatMap(write);
  if (items.length > limits.reportListItemsMax) lines.push(`and ${items.length - limits.reportListItemsMax} more in report.json`);
  return lines;
}

function checkpointsText(ids: readonly string[]): string {
  return ids.length === 1 ? `checkpoint ${ids[0]}` : `checkpoint ${ids[0]} and ${ids.length - 1} more`;
}

function shortened(lines: string[]): string[] {
  return lines.length <= limits.textValueLinesMax
    ? lines
    : [...lines.slice(0, limits.textValueLinesMax - 1), `(${lines.length - limits.textValueLinesMax + 1} more lines)`];
}

function indent(lines: readonly string[], spaces: number): string[] {
  return lines.map((line) => (line === '' ? '' : ' '.repeat(spaces) + line));
}
