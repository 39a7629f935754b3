// What to do next with a run that did not pass: real commands, each under what it is for.
import type { RunReport } from '../contract/run/run-events.js';
import { findingsOf } from './findings.js';
import { type Palette, plain } from './palette.js';
import { repeatCommand } from './repeat-command.js';

export interface NextStepsOptions {
  palette?: Palette;
  /** Those that find the repository, each with a space before it. */
  flags?: string;
  /** False: no report was written, so that no command can read one. Default true. */
  hasReport?: boolean;
}

export function nextSteps(report: RunReport, { palette = plain, flags = '', hasReport = true }: NextStepsOptions = {}): string[] {
  const { result, runId } = report;
  const [first] = findingsOf(result);
  const decisive = first?.assertion.evidenceSequences.at(-1);
  const at = decisive === undefined ? '' : ` --at ${decisive}`;
  const steps: [string, string | undefined][] = [
    ['show', !hasReport || result.evidenceRange.toSequence === 0 ? undefined : `drillyard show ${runId}${flags} --journal${at}`],
    ['repeat', repeatCommand(report, flags)],
  ];
  return steps.flatMap(([name, command]) => (command === undefined ? [] : [step(name, command, palette)]));
}

/** `report  .service/reports/run_x/index.html` */
export function step(name: string, text: string, { dim }: Palette): string {
  return `${dim(name.padEnd(stepColumns))}${text}`;
}
const stepColumns = 8;
