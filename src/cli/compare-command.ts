// `drillyard report compare <left> <right>`: two sealed runs side by side. Facts only; it ends with 0 whatever they are.
import { resolve } from 'node:path';
import pc from 'picocolors';
import type { RunComparison, RunDifference } from '../contract/hosted/runs.js';
import type { JsonValue } from '../contract/json.js';
import { type ComparedRun, compareRuns } from '../drills/stored/compare-runs.js';
import { manifestDigestOf, SealedReport } from '../drills/stored/sealed-report.js';
import { notSealed } from '../drills/stored/verified-report.js';
import { oneReportPath } from '../reports/report-path.js';
import { valueLine } from '../reports/shown-values.js';
import { verifyReport } from '../reports/verify-report.js';
import { counted, grouped } from '../text/counted.js';
import { visibleLine } from '../text/visible-text.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { reportFailure } from './failure.js';
import { createOutput } from './output.js';
import { withProgressBar } from './progress-bar.js';
import { tuning } from './tuning.js';

export interface CompareFlags {
  left: string;
  right: string;
  root: string;
  json: boolean;
}

export async function compareCommand(flags: CompareFlags): Promise<ExitCode> {
  const output = createOutput(flags);
  try {
    const comparison = await compared(flags);
    output.line({ event: 'comparison', ...comparison });
    if (!output.json) for (const line of comparisonLines(comparison)) output.say(line);
    return exitCodes.passed;
  } catch (error) {
    return reportFailure(error, output, resolve(flags.root));
  }
}

/** Either side is read twice, once to check it and once to compare it; the first takes longer. */
function compared({ left, right, root }: CompareFlags): Promise<RunComparison> {
  const folders = [left, right].map((named) => oneReportPath(named, root));
  return withProgressBar('Comparing', async ({ update }) => {
    const sides: ComparedRun[] = [];
    for (const folder of folders) {
      const before = sides.length;
      sides.push(await sealedRun(folder, (done, total) => update(before + done / Math.max(total, 1), 3)));
    }
    const [one, other] = sides as [ComparedRun, ComparedRun];
    return await compareRuns(one, other);
  });
}

async function sealedRun(folder: string, onProgress: (done: number, total: number) => void): Promise<ComparedRun> {
  const { ok, problems } = await verifyReport(folder, { onProgress });
  if (ok) return await new SealedReport(folder, await manifestDigestOf(folder)).run();
  throw notSealed(folder, problems);
}

const grades: { [grade in RunComparison['grade']]: string } = {
  exact_inputs: 'equal inputs: what differs came from the agent',
  descriptive_only: 'different inputs: what differs may come from them',
  incompatible: 'runs of different drills: there is nothing to align',
};

function comparisonLines(comparison: RunComparison): string[] {
  const { left, right, grade, inputs, equal, firstDivergence, differences, assertions, counts } = comparison;
  const side = (name: string, { runId, verdict }: RunComparison['left']): string => `${name.padEnd(5)}  ${runId}  ${verdict}`;
  const pair = (name: string, one: JsonValue | undefined, other: JsonValue | undefined): string =>
    visibleLine(`  ${name}: ${valueLine(one, tuning.comparedValueChars)} | ${valueLine(other, tuning.comparedValueChars)}`);
  const hashes = Object.entries(equal).map(([name, isEqual]) => `${name} ${isEqual ? 'equal' : 'differs'}`);
  const assertionsThatDiffer = assertions.filter((assertion) => assertion.left !== assertion.right);
  const countsThatDiffer = counts.filter((count) => count.left !== count.right);
  return [
    side('left', left),
    side('right', right),
    pc.bold(`${grade}: ${grades[grade]}`),
    hashes.join(', '),
    ...section(
      'Inputs that differ',
      inputs.map((input) => pair(input.name, input.left, input.right)),
    ),
    ...(firstDivergence === undefined
      ? []
      : ['', `${pc.bold('Where they part')}: ${visibleLine(firstDivergence.summary)}${placesText(firstDivergence)}`]),
    ...(differences === undefined ? [] : differenceLines(differences)),
    ...section(
      'Assertions that differ',
      assertionsThatDiffer.map((assertion) => pair(assertion.assertionId, assertion.left, assertion.right)),
    ),
    ...section(
      'Counts that differ',
      countsThatDiffer.map((count) => `  ${count.name}: ${grouped(count.left)} | ${grouped(count.right)}`),
    ),
  ];
}

const signs: { [kind in RunDifference['kind']]: string } = { only_left: '-', only_right: '+', changed: '~', moved: '>' };

function differenceLines({
  same,
  changed,
  moved,
  onlyLeft,
  onlyRight,
  isComplete,
  shown,
}: NonNullable<RunComparison['differences']>): string[] {
  const facts = [`${grouped(same)} same`, `${changed} changed`, `${moved} moved`, `${onlyLeft} only left`, `${onlyRight} only right`];
  const all = changed + moved + onlyLeft + onlyRight;
  const lines = shown.slice(0, tuning.differencesListed).map(({ kind, left, right, summary }) => {
    const places = placesText({ ...(left && { leftSequence: left.sequence }), ...(right && { rightSequence: right.sequence }) });
    return `  ${signs[kind]} ${visibleLine(summary)}${places}`;
  });
  return [
    ...section(`Turns: ${facts.join(', ')}`, lines, true),
    ...(all > lines.length ? [`  and ${counted(all - lines.length, 'more difference')}`] : []),
    ...(isComplete ? [] : ['  The journals are too long to be aligned to their ends.']),
  ];
}

function section(title: string, lines: readonly string[], always = false): string[] {
  return lines.length === 0 && !always ? [] : ['', pc.bold(title), ...lines];
}

function placesText({ leftSequence, rightSequence }: { leftSequence?: number; rightSequence?: number }): string {
  const places = [
    ...(leftSequence === undefined ? [] : [`left #${leftSequence}`]),
    ...(rightSequence === undefined ? [] : [`right #${rightSequence}`]),
  ];
  return places.length === 0 ? '' : pc.dim(` (${places.join(', ')})`);
}
