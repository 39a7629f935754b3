// Drills as they run, on a terminal: finished drills as lines that stay, running ones below in a region that is redrawn; in the end
// why each trial that did not pass did not, and totals. Where the stream is no terminal: the lines that stay, and nothing else.
import { pathToFileURL } from 'node:url';
import { limits } from '../contract/limits.js';
import type { RunEvent, RunReport } from '../contract/run/run-events.js';
import { toolFailureText } from '../contract/world/tool-failure.js';
import { counted, grouped } from '../text/counted.js';
import { visibleLine } from '../text/visible-text.js';
import { anywhere, type CommandPlace } from './command-place.js';
import { findingsOf } from './findings.js';
import { LiveRegion, type TerminalStream } from './live-region.js';
import { nextSteps, step } from './next-steps.js';
import { colored, movesCursor, type Palette, paintVerdict, plain, statusMark, wantsColor, withLinks } from './palette.js';
import { barText } from './progress-text.js';
import { type DrillProgress, RunProgress } from './run-progress.js';
import { hostDuration, rateText, usageText } from './shown-values.js';
import type { PlaceOf } from './source-place.js';
import { fitText, padText, wrapText } from './terminal-text.js';
import { runHeading, storyLines, unansweredLines, unansweredTitle, whyLines } from './text-report.js';
import { tuning } from './tuning.js';

export interface TerminalReporterOptions {
  stream: TerminalStream;
  /** Default: NO_COLOR and FORCE_COLOR, else whether the stream is a terminal. */
  color?: boolean;
  /** Columns. Default: the stream's, as it is resized. */
  width?: number;
  /** Milliseconds that only rise; for tests. */
  nowMs?: () => number;
  /** Default: the process's. */
  environment?: NodeJS.ProcessEnv;
  /** Where a drill or an assertion stands in its file; asked once the run has ended. Default: it is not shown. */
  placeOf?: PlaceOf;
  /** Of the commands that it shows. Default: anywhere. */
  commandPlace?: CommandPlace;
}
export interface TerminalReporter {
  onEvent(event: RunEvent): void;
  /** Removes the live region and the timer. Also after an error; safe to call twice. */
  close(): void;
}

const spinner = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

export function createTerminalReporter({
  stream,
  color,
  width,
  nowMs = () => performance.now(),
  environment = process.env,
  placeOf = () => undefined,
  commandPlace = anywhere,
}: TerminalReporterOptions): TerminalReporter {
  const isTTY = stream.isTTY === true;
  const painted = (color ?? wantsColor({ isTTY, environment })) ? colored : plain;
  const moves = movesCursor({ isTTY, environment });
  const region = moves ? new LiveRegion(stream, width) : null;
  const palette = moves && painted === colored ? withLinks(painted) : painted;
  return new Terminal({ stream, palette, progress: new RunProgress(nowMs), region, width, placeOf, commandPlace });
}

interface TerminalParts {
  stream: TerminalStream;
  palette: Palette;
  progress: RunProgress;
  region: LiveRegion | null;
  width: number | undefined;
  placeOf: PlaceOf;
  commandPlace: CommandPlace;
}

class Terminal implements TerminalReporter {
  readonly #stream: TerminalStream;
  readonly #palette: Palette;
  readonly #progress: RunProgress;
  readonly #region: LiveRegion | null;
  readonly #width: number | undefined;
  readonly #placeOf: PlaceOf;
  readonly #commandPlace: CommandPlace;
  /** Drills of several trials or attempts: their own line does not say which of them did not pass. */
  readonly #repeats = new Set<string>();
  readonly #redraw = (): void => this.#print([]);
  #timer: NodeJS.Timeout | undefined;
  #frame = 0;

  constructor({ stream, palette, progress, region, width, placeOf, commandPlace }: TerminalParts) {
    this.#stream = stream;
    this.#palette = palette;
    this.#progress = progress;
    this.#region = region;
    this.#width = width;
    this.#placeOf = placeOf;
    this.#commandPlace = commandPlace;
  }

  onEvent(event: RunEvent): void {
    this.#progress.take(event);
    switch (event.event) {
      case 'plan':
        this.#repeats.clear();
        this.#print(this.#planLines(event));
        this.#startRedrawing();
        break;
      case 'skipped':
        this.#print([this.#skippedLine(event)]);
        break;
      case 'attempt':
        if (event.verdict !== 'passed' && this.#repeats.has(event.drillId)) this.#print([this.#attemptLine(event)]);
        break;
      case 'drill':
        this.#print([this.#drillLine(this.#progress.drill(event.drillId), event)]);
        break;
      case 'summary':
        this.close();
        this.#write([...this.#reasonLines(), ...this.#wrapped(this.#summaryLines(event))]);
        break;
      case 'attempt_started':
        if (event.trialCount > 1 || event.attemptLimit > 1) this.#repeats.add(event.drillId);
        break;
      case 'interaction':
        break;
      default:
        event satisfies never;
    }
  }

  close(): void {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#stream.off?.('resize', this.#redraw);
    this.#region?.draw([]);
  }

  #startRedrawing(): void {
    if (this.#region === null || this.#timer !== undefined) return;
    this.#timer = setInterval(this.#redraw, tuning.redrawMs).unref();
    this.#stream.on?.('resize', this.#redraw);
  }

  /** Lines that stay; the region is redrawn below them. */
  #print(lines: readonly string[]): void {
    if (this.#region === null) this.#write(lines);
    else this.#region.draw(this.#timer === undefined ? [] : this.#liveLines(this.#region.linesMax), lines);
  }

  #write(lines: readonly string[]): void {
    if (lines.length > 0) this.#stream.write(`${lines.join('\n')}\n`);
  }

  /** On a terminal alone: a log has no columns. */
  #wrapped(lines: readonly string[]): string[] {
    const columns = this.#region === null ? undefined : (this.#width ?? this.#stream.columns);
    if (columns === undefined || columns < tuning.wrapColumnsMin) return [...lines];
    return lines.flatMap((line) => wrapText(line, columns));
  }

  #planLines({ runs, drills, skipped = 0, concurrency, seed, shard }: Extract<RunEvent, { event: 'plan' }>): string[] {
    const { bold, dim } = this.#palette;
    const facts = [
      ...(shard === undefined ? [] : [`shard ${shard.index} of ${shard.count}`]),
      `${counted(drills + skipped, 'drill')}${skipped === 0 ? '' : ` (${grouped(skipped)} skipped)`}`,
      counted(runs, 'run'),
      ...(concurrency > 1 ? [`${concurrency} at once`] : []),
      `seed ${visibleLine(seed)}`,
    ];
    return ['', `${bold('Drillyard')}  ${dim(facts.join(' · '))}`, ''];
  }

  /** `✗ refund-duplicate-charge      2 of 3 trials   41 ms` */
  #drillLine({ durationMs, flaky }: DrillProgress, event: Extract<RunEvent, { event: 'drill' }>): string {
    const { drillId, verdict, trialsPassed, trialCount, statistics, notStarted } = event;
    const { dim, yellow } = this.#palette;
    const left = notStarted?.trials.length ?? 0;
    const name = padText(fitText(visibleLine(drillId), tuning.nameColumnsMax), this.#nameColumns());
    const facts = [
      ...(trialCount > 1 ? [`${grouped(trialsPassed)} of ${counted(trialCount, 'trial')}`] : []),
      ...(statistics === undefined ? [] : [`${statistics.passed === trialsPassed ? '' : 'first attempts '}${rateText(statistics)}`]),
      ...(left < trialCount ? [hostDuration(durationMs)] : []),
    ];
    const never = left === 0 ? '' : yellow(`  ${left < trialCount ? `${grouped(left)} ` : ''}never started`);
    return `${statusMark(verdict, this.#palette)} ${name}  ${dim(facts.join('  '))}${never}${flaky ? yellow('  flaky: passed only when tried again') : ''}`;
  }

  #skippedLine({ drillId, reason }: Extract<RunEvent, { event: 'skipped' }>): string {
    const { dim } = this.#palette;
    return dim(`- ${visibleLine(drillId)}  skipped: ${visibleLine(reason)}`);
  }

  #attemptLine({ runId, drillId, trial, attempt, verdict }: Extract<RunEvent, { event: 'attempt' }>): string {
    const { dim } = this.#palette;
    return `  ${statusMark(verdict, this.#palette)} ${dim(`${visibleLine(drillId)}  trial ${trial}, attempt ${attempt}  ${visibleLine(runId)}`)}`;
  }

  #liveLines(linesMax: number): string[] {
    const { dim, cyan, green, red, yellow } = this.#palette;
    const { running, planned, elapsedMs } = this.#progress;
    const { passed, failed, inconclusive } = this.#progress.tallies();
    this.#frame = (this.#frame + 1) % spinner.length;
    const rows = running.slice(0, Math.max(linesMax - 2, 1)).map(({ drillId, which, interactionId, elapsedMs: ranMs }) => {
      const facts = [which, interactionId ?? '', hostDuration(ranMs)].filter((fact) => fact !== '').join('  ');
      return `${cyan(spinner[this.#frame] ?? '')} ${padText(fitText(visibleLine(drillId), tuning.nameColumnsMax), this.#nameColumns())}  ${dim(visibleLine(facts))}`;
    });
    const tallies = [green(`✓ ${passed}`), red(`✗ ${failed}`), yellow(`? ${inconclusive}`)].join('  ');
    const bar = planned > 1 ? `${cyan(barText(passed + failed + inconclusive, planned))}  ` : '';
    return [
      ...rows,
      '',
      `${bar}${passed + failed + inconclusive} of ${counted(planned, 'run')}  ${tallies}  ${dim(hostDuration(elapsedMs))}`,
    ];
  }

  /** Every trial that did not pass, with its reasons and its report. */
  #reasonLines(): string[] {
    const { kept, left, tolerated } = this.#progress.reasons();
    const lines = kept.flatMap(({ detail, folder }) => {
      const why = whyLines(detail.report, detail.cited, this.#palette).map((line) => (line === '' ? '' : `  ${line}`));
      const next = this.#nextLines(detail.report, folder).map((line) => `  ${line}`);
      const happened = storyLines(detail.story ?? [], this.#palette).map((line) => `  ${line}`);
      const story = happened.length === 0 ? [] : [...happened, ''];
      const unanswered = unansweredLines(detail.report).slice(0, limits.terminalUnansweredMax);
      const wanted =
        unanswered.length === 0
          ? []
          : [`  ${this.#palette.yellow('!')} ${unansweredTitle}`, ...unanswered.map((line) => `    ${line}`), ''];
      const said = ['', ...runHeading(detail.report, this.#palette), '', ...story, ...why, ...(why.length > 0 ? [''] : []), ...wanted];
      // A command that is cut is no command any more.
      return [...this.#wrapped(said), ...next];
    });
    if (left > 0) lines.push('', `${counted(left, 'more trial')} did not pass; the reports tell why.`);
    if (tolerated.length > 0) lines.push('');
    for (const { drillId, why } of tolerated)
      lines.push(this.#palette.dim(`${visibleLine(drillId)}: ${why}; the reports of the others tell why they did not.`));
    return lines;
  }

  /** The report, the source of what failed first, and commands. */
  #nextLines(report: RunReport, folder: string): string[] {
    const palette = this.#palette;
    const [first] = findingsOf(report.result);
    const place = this.#placeOf(report.drill.id, first?.assertion.assertionId);
    const page = `${folder}/index.html`;
    return [
      folder === '' ? 'no report was written' : step('report', palette.link(visibleLine(page), pathToFileURL(page).href), palette),
      ...(place === undefined
        ? []
        : [step('source', palette.link(visibleLine(`${place.file}:${place.line}`), pathToFileURL(place.file).href), palette)]),
      ...nextSteps(report, { palette, place: this.#commandPlace, folder }),
    ];
  }

  #summaryLines({
    verdict,
    passed,
    failed,
    inconclusive,
    skipped = 0,
    flaky = [],
    notStarted = 0,
    usage,
    endedEarly,
  }: Extract<RunEvent, { event: 'summary' }>): string[] {
    const { bold, dim, green, red, yellow } = this.#palette;
    const parts = [
      ...(passed > 0 ? [green(`${passed} passed`)] : []),
      ...(failed > 0 ? [red(`${failed} failed`)] : []),
      ...(inconclusive > 0 ? [yellow(`${inconclusive} inconclusive`)] : []),
      ...(skipped > 0 ? [dim(`${skipped} skipped`)] : []),
    ];
    const ran = passed + failed + inconclusive;
    const word = ran === 0 ? bold('NOTHING RAN') : paintVerdict(verdict, bold(verdict.toUpperCase()), this.#palette);
    const { reportFolder: folder, elapsedMs } = this.#progress;
    // Only a shard can be empty.
    if (ran + skipped === 0) parts.push('none falls to this shard');
    const broken = this.#progress.toolFailures.map(({ failure, runs }) =>
      red(visibleLine(`! ${toolFailureText(failure)}${runs > 1 ? ` (in ${runs} runs)` : ''}`)),
    );
    return [
      ...(broken.length === 0 ? [] : ['', ...broken]),
      '',
      `${word}  ${counted(ran + skipped, 'drill')}: ${parts.join(', ')}  ${dim(hostDuration(elapsedMs))}`,
      ...(notStarted === 0 ? [] : [yellow(`never started, as the run ended before: ${counted(notStarted, 'trial')}`)]),
      ...(flaky.length === 0 ? [] : [yellow(`flaky, passed only when tried again: ${visibleLine(flaky.join(', '))}`)]),
      ...(usage === undefined ? [] : [dim(`agents used ${usageText(usage)}`)]),
      ...(folder === null ? [] : [dim(`reports in ${visibleLine(folder)}`)]),
      ...(endedEarly === undefined ? [] : [red(visibleLine(endedEarly.message))]),
    ];
  }

  #nameColumns(): number {
    return Math.min(this.#progress.longestName, tuning.nameColumnsMax);
  }
}
