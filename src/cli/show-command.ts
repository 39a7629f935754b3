// `drillyard show <run>`: a stored run on the terminal: why, its journal, its calls, a row at an entry, what two entries differ in.
import { resolve } from 'node:path';
import pc from 'picocolors';
import { diffJson, pathText } from '../contract/json-diff.js';
import { limits } from '../contract/limits.js';
import type { EvidenceEntry, OperationEntry } from '../contract/world/evidence.js';
import { requireEntry } from '../drills/stored/next-call.js';
import { openStoredRun, type RowAt, type RowDifference, type StoredRun } from '../drills/stored/stored-run.js';
import { actorName, entryIsProblem, entryText, place } from '../reports/entry-text.js';
import { EvidenceSelection } from '../reports/evidence-view.js';
import { nextSteps, step } from '../reports/next-steps.js';
import { colored, plain, wantsColor } from '../reports/palette.js';
import { valueLine, valueText } from '../reports/shown-values.js';
import { storyOf } from '../reports/story.js';
import { runHeading, storyLines, whyLines } from '../reports/text-report.js';
import { viewJournal } from '../reports/view-journal.js';
import { counted, grouped } from '../text/counted.js';
import { virtualClock } from '../text/virtual-time.js';
import { visibleLine, visibleText } from '../text/visible-text.js';
import { commandsHere } from './commands-here.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { sayFailures } from './failure.js';
import { fromHere } from './from-here.js';
import type { Output } from './output.js';
import { withProgressBar } from './progress-bar.js';
import { tuning } from './tuning.js';

export interface ShowFlags {
  run: string;
  root: string;
  /** Of the commands that it shows. */
  config?: string;
  json: boolean;
  journal: boolean;
  calls: boolean;
  /** An entry. */
  at?: number;
  row?: string;
  /** Two entries. */
  diff?: readonly [number, number];
  /** With `journal` and `calls`: the first entry. */
  from?: number;
  /** ... and how many at most. */
  limit?: number;
}

export function showCommand(flags: ShowFlags): Promise<ExitCode> {
  return sayFailures(flags, resolve(flags.root), (output) => show(flags, output));
}

async function show(flags: ShowFlags, output: Output): Promise<ExitCode> {
  const run = await withProgressBar('Reading', () => openStoredRun({ root: flags.root, run: flags.run }));
  const { journal, calls, at, row, diff } = flags;
  tellRun(run, output);
  if (row !== undefined) tellRow(await run.row(row, at === undefined ? {} : { atSequence: at }), output);
  if (diff !== undefined) tellDiff(await run.diff(...diff), diff, output);
  if (calls) await tellEntries(run, { ...flags, wanted: isCall }, output);
  if (journal) await tellEntries(run, { ...flags, wanted: () => true }, output);
  else if (at !== undefined && row === undefined) await tellEntry(run, at, output);
  const isAll = !journal && !calls && at === undefined && row === undefined && diff === undefined;
  if (isAll) await tellWhy(run, flags, output);
  return exitCodes.passed;
}

function tellRun({ report, folder }: StoredRun, output: Output): void {
  const { result, ...about } = report;
  const { setup: _, interactions: __, ...facts } = result;
  output.line({ event: 'run', ...about, result: facts, report: folder });
  if (output.json) return;
  for (const line of runHeading(report, paletteNow())) output.say(line);
  output.say('');
}

async function tellWhy(run: StoredRun, flags: ShowFlags, output: Output): Promise<void> {
  const { report, folder } = run;
  if (output.json) return;
  // What the report shows of the journal, so that its page and the terminal tell one story.
  const selection = new EvidenceSelection(report.result);
  for await (const entry of run.entries()) selection.append(entry, JSON.stringify(entry).length);
  const evidence = selection.view();
  const parts = [storyLines(storyOf(report, viewJournal(evidence)), paletteNow()), whyLines(report, evidence.cited, paletteNow())];
  for (const lines of parts) {
    for (const line of lines) output.say(line === '' ? '' : `  ${line}`);
    if (lines.length > 0) output.say('');
  }
  output.say(`  ${step('report', `${fromHere(resolve(folder))}/index.html`, paletteNow())}`);
  for (const line of nextSteps(report, { place: commandsHere(flags), folder })) output.say(`  ${line}`);
}

interface Stretch extends Pick<ShowFlags, 'at' | 'from' | 'limit'> {
  wanted: (entry: EvidenceEntry) => boolean;
}

async function tellEntries(run: StoredRun, { at, from, limit = tuning.entriesShown, wanted }: Stretch, output: Output): Promise<void> {
  const first = from ?? (at === undefined ? 1 : Math.max(at - tuning.entriesAround, 1));
  const last = at === undefined || from !== undefined ? run.toSequence : Math.min(at + tuning.entriesAround, run.toSequence);
  let shown = 0;
  let left = 0;
  let clock = '';
  for await (const entry of run.entries()) {
    if (entry.sequence < first || !wanted(entry)) continue;
    if (entry.sequence > last) break;
    if (shown === limit) {
      left += 1;
      continue;
    }
    shown += 1;
    output.line({ event: 'entry', entry });
    if (output.json) continue;
    const time = virtualClock(entry.virtualTimeUs);
    // Told where it moves.
    const moved = time === clock ? ' '.repeat(time.length) : pc.dim(time);
    clock = time;
    output.say(entryLine(entry, { moved, isHere: entry.sequence === at }));
  }
  if (!output.json && left > 0) output.say(pc.dim(`and ${grouped(left)} more; --from and --limit say which`));
}

function entryLine(entry: EvidenceEntry, { moved, isHere }: { moved: string; isHere: boolean }): string {
  const text = visibleLine(lineText(entry));
  const number = `#${entry.sequence}`.padStart(7);
  return `${isHere ? '>' : ' '}${number}  ${moved}  ${entryIsProblem(entry) ? pc.red(text) : text}`;
}

/** Of a call with what was asked and what came. */
function lineText(entry: EvidenceEntry): string {
  if (entry.kind !== 'operation') return entryText(entry);
  const { invocation, outcome } = entry;
  const asked = valueLine(invocation.arguments, tuning.argumentCharsShown);
  const answer = outcome.kind === 'ok' ? valueLine(outcome.value, tuning.argumentCharsShown) : `${outcome.kind} ${outcome.error.code}`;
  return `${place(invocation)}.${invocation.operationId} ${asked} by ${actorName(entry)} → ${answer}`;
}

async function tellEntry(run: StoredRun, at: number, output: Output): Promise<void> {
  requireEntry(run, at);
  let entry: EvidenceEntry | undefined;
  const effects: EvidenceEntry[] = [];
  for await (const one of run.entries()) {
    if (one.sequence === at) entry = one;
    else if (one.causeSequence === at || (entry !== undefined && one.transactionId === entry.transactionId && entry.transactionIndex === 0))
      effects.push(one);
  }
  output.line({ event: 'entry', entry, effects: effects.map(({ sequence }) => sequence) });
  if (output.json || entry === undefined) return;
  output.say(`#${at}  ${virtualClock(entry.virtualTimeUs)}  ${visibleLine(entryText(entry))}`);
  if (entry.causeSequence !== undefined) output.say(`  caused by #${entry.causeSequence}`);
  output.say(visibleText(valueText(entry as never)));
  for (const effect of effects.slice(0, limits.reportListItemsMax))
    output.say(`  caused #${effect.sequence} ${visibleLine(entryText(effect))}`);
}

function tellRow(row: RowAt, output: Output): void {
  output.line({ event: 'row', ...row });
  if (output.json) return;
  const name = `${place(row)}/${row.namespace}/${row.rowId}`;
  output.say(`${pc.bold(visibleLine(name))} right after #${row.atSequence}`);
  output.say(row.value === null ? '  There is no such row then.' : visibleText(valueText(row.value)));
  const changes = row.changes.map(({ sequence, change }) => `#${sequence} ${change}`);
  output.say(changes.length === 0 ? '  Nothing in the run changes it.' : `  changed by ${changes.join(', ')}`);
}

function tellDiff(rows: readonly RowDifference[], [from, to]: readonly [number, number], output: Output): void {
  for (const row of rows) output.line({ event: 'difference', ...row });
  output.line({ event: 'summary', from, to, rows: rows.length });
  if (output.json) return;
  output.say(
    `${rows.length === 0 ? 'No row differs' : `${counted(rows.length, 'row')} ${rows.length === 1 ? 'differs' : 'differ'}`} between #${from} and #${to}.`,
  );
  for (const row of rows) {
    output.say(`  ${pc.bold(visibleLine(`${place(row)}/${row.namespace}/${row.rowId}`))}`);
    if (row.before === null || row.after === null) {
      output.say(`    ${row.before === null ? 'inserted' : 'deleted'}  ${visibleLine(valueLine(row.before ?? row.after ?? undefined))}`);
      continue;
    }
    const { changes, total } = diffJson(row.before, row.after);
    for (const { path, before, after } of changes)
      output.say(visibleLine(`    ${pathText(path)}  ${valueLine(before)} → ${valueLine(after)}`));
    if (total > changes.length) output.say(`    and ${counted(total - changes.length, 'more member')}`);
  }
}

function isCall(entry: EvidenceEntry): entry is OperationEntry {
  return entry.kind === 'operation';
}

function paletteNow() {
  return wantsColor({ isTTY: process.stdout.isTTY === true, environment: process.env }) ? colored : plain;
}
