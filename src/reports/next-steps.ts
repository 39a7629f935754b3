// What to do next with a run that did not pass: real commands, each under what it is for.
import type { RunReport } from '../contract/run/run-events.js';
import { anywhere, type CommandPlace } from './command-place.js';
import { findingsOf } from './findings.js';
import { type Palette, plain } from './palette.js';
import { repeatCommand } from './repeat-command.js';

export interface NextStepsOptions {
  palette?: Palette;
  place?: CommandPlace;
  /** Of its report; '' where none was written, so that no command can read one. */
  folder: string;
}

export function nextSteps(report: RunReport, { palette = plain, place = anywhere, folder }: NextStepsOptions): string[] {
  const { result, runId } = report;
  const { own, flags, runName } = place;
  const [first] = findingsOf(result);
  const decisive = first?.assertion.evidenceSequences.at(-1);
  const at = decisive === undefined ? '' : ` --at ${decisive}`;
  const show = `${own} show ${runName(runId, folder)}${flags} --journal${at}`;
  const steps: [string, string | undefined][] = [
    ['show', folder === '' || result.evidenceRange.toSequence === 0 ? undefined : show],
    ['repeat', repeatCommand(report, place)],
  ];
  return steps.flatMap(([name, command]) => (command === undefined ? [] : [step(name, command, palette)]));
}

/** `report  .service/reports/run_x/index.html` */
export function step(name: string, text: string, { dim }: Palette): string {
  return `${dim(name.padEnd(stepColumns))}${text}`;
}
const stepColumns = 8;
