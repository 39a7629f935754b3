// The reporters of one run, behind one door: the terminal, JSON lines, files over the whole run, GitHub's annotations.
//   RUN-REPORTERS-1. With JSON on stdout nothing else goes there: what is for people, annotations too, goes to stderr, which GitHub reads
//     as well.
//   RUN-REPORTERS-2. A file appears whole or not at all: it is written beside its place and renamed. One that cannot be made
//     or written is reported, the others are written nevertheless, and the run has not passed.
import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { assertionPlace } from '../compiler/assertion-place.js';
import { defined } from '../contract/defined.js';
import { ServiceError } from '../contract/errors.js';
import type { Provenance } from '../contract/provenance.js';
import type { RunEvent } from '../contract/run/run-events.js';
import { fileRefusal } from '../files/file-faults.js';
import type { CommandPlace } from '../reports/command-place.js';
import { ctrfDocument } from '../reports/ctrf.js';
import { githubAnnotations, githubRefusal, githubSummary } from '../reports/github.js';
import { MergedJunit } from '../reports/junit.js';
import { runPage } from '../reports/run-page.js';
import { RunRecords } from '../reports/run-records.js';
import type { RunRefusal } from '../reports/run-refusal.js';
import type { PlaceOf } from '../reports/source-place.js';
import { createTerminalReporter, type TerminalReporter } from '../reports/terminal-reporter.js';
import { fromHere } from './from-here.js';
import type { Output } from './output.js';
import { holds, type ReporterChoice } from './reporter-list.js';
import { LinesFile, writeWhole } from './whole-files.js';

export interface RunReportersOptions {
  choices: readonly ReporterChoice[];
  /** The repository. */
  root: string;
  /** Where files go that name no place. */
  reportDirectory: string;
  output: Output;
  /** Where drills are shown as they run; absent: nowhere. */
  terminal: NodeJS.WriteStream | undefined;
  environment: NodeJS.ProcessEnv;
  /** Of the commands that the terminal shows. */
  commandPlace: CommandPlace;
}
type Sources = { readonly [drillId: string]: Provenance };

const defaultFiles = { junit: 'junit.xml', ctrf: 'ctrf-report.json', html: 'index.html' } as const;

export class RunReporters {
  readonly #options: RunReportersOptions;
  readonly #terminal: TerminalReporter | undefined;
  readonly #records: RunRecords | undefined;
  readonly #junit: MergedJunit | undefined;
  readonly #lines: LinesFile[];
  /** Empty until the source has been compiled. */
  #sources: Sources = {};
  /** While set, GitHub takes nothing for a command: the terminal shows what agents and tools wrote. */
  #stopToken: string | undefined;

  constructor(options: RunReportersOptions) {
    const { choices, terminal } = options;
    requireOwnFiles(options);
    this.#options = options;
    const { commandPlace } = options;
    const placeOf: PlaceOf = (...asked) => this.#placeOf(this.#sources, resolve('.'))(...asked);
    this.#terminal = terminal === undefined ? undefined : createTerminalReporter({ stream: terminal, placeOf, commandPlace });
    this.#records = choices.some(({ name }) => name === 'ctrf' || name === 'html' || name === 'github')
      ? new RunRecords({ place: commandPlace })
      : undefined;
    this.#junit = holds(choices, 'junit') ? new MergedJunit() : undefined;
    if (holds(choices, 'github')) this.#stopCommands();
    this.#lines = choices.flatMap(({ name, path }) => (name === 'json' && path !== undefined ? [new LinesFile(resolve(path))] : []));
  }

  onEvent(event: RunEvent): void {
    const line = withoutDetail(event);
    this.#options.output.line(line);
    for (const file of this.#lines) file.add(line);
    this.#records?.take(event);
    if (event.event === 'attempt' && event.detail !== undefined) this.#junit?.take(event.detail.report, event.verdict);
    if (event.event === 'drill') this.#junit?.close(event);
    if (event.event === 'skipped') this.#junit?.skip(event);
    this.#terminal?.onEvent(
      event.event === 'attempt' && event.report !== '' ? { ...event, report: fromHere(resolve(this.#options.root, event.report)) } : event,
    );
  }

  /** Where the drills are declared. */
  locate(sources: Sources): void {
    this.#sources = sources;
  }

  /** Nothing moves on the terminal any more; safe to call twice. */
  quiet(): void {
    this.#terminal?.close();
  }

  /** The run ended with an error, which `lines` tell as JSON lines do on stdout; `finish` writes documents that say so. */
  refuse(refusal: RunRefusal, lines: readonly object[]): void {
    this.quiet();
    const placed = refusal.diagnostics.map((diagnostic) => ({
      ...diagnostic,
      file: below(this.#workspace, resolve(this.#options.root, diagnostic.file)),
    }));
    if (holds(this.#options.choices, 'github')) {
      this.#resumeCommands();
      for (const line of githubRefusal({ ...refusal, diagnostics: placed })) this.#options.output.say(line);
    }
    for (const file of this.#lines) for (const line of lines) file.add(line);
    this.#records?.refuse(refusal);
    this.#junit?.refuse(refusal);
  }

  /** There was nothing to run: `why` in words, and as the line that stdout has. */
  nothingToRun(why: string, line: object): void {
    for (const file of this.#lines) file.add(line);
    this.#records?.nothingToRun(why);
  }

  /** Writes what the whole run has to say: the files, and why others could not be written. */
  finish(sources: Sources): { files: string[]; failures: ServiceError[] } {
    this.quiet();
    this.#resumeCommands();
    const files: string[] = [];
    const failures: ServiceError[] = [];
    const attempt = (name: string, work: () => void): boolean => {
      try {
        work();
        return true;
      } catch (error) {
        failures.push(reportRefusal(name, error));
        return false;
      }
    };
    const write = (file: string, work: () => void): void => {
      if (attempt(file, work)) files.push(file);
    };
    for (const { name, path } of this.#options.choices) {
      if (name !== 'junit' && name !== 'ctrf' && name !== 'html') continue;
      const file = fileOf({ name, ...defined({ path }) }, this.#options.reportDirectory) as string;
      write(file, () => writeWhole(file, this.#document(name, file, sources)));
    }
    const records = this.#records;
    if (holds(this.#options.choices, 'github') && records !== undefined) {
      attempt('for GitHub', () => {
        for (const line of githubAnnotations(records, this.#placeOf(sources, this.#workspace))) this.#options.output.say(line);
      });
      const summary = this.#options.environment.GITHUB_STEP_SUMMARY;
      if (summary !== undefined && summary !== '') write(summary, () => appendFileSync(summary, githubSummary(records)));
    }
    for (const lines of this.#lines) write(lines.file, () => lines.publish());
    return { files, failures };
  }

  #stopCommands(): void {
    this.#stopToken = randomUUID();
    this.#options.output.say(`::stop-commands::${this.#stopToken}`);
  }
  #resumeCommands(): void {
    if (this.#stopToken !== undefined) this.#options.output.say(`::${this.#stopToken}::`);
    this.#stopToken = undefined;
  }

  #document(name: keyof typeof defaultFiles, file: string, sources: Sources): string {
    if (name === 'junit') return this.#junit?.text() ?? '';
    const records = this.#records ?? new RunRecords();
    if (name === 'ctrf') return ctrfDocument(records, this.#placeOf(sources, resolve(this.#options.root)));
    return runPage(records, { linkTo: (report) => linkFrom(dirname(file), resolve(this.#options.root, report)) });
  }

  /** GitHub wants paths from the checkout, wherever the command was started. */
  get #workspace(): string {
    return resolve(this.#options.environment.GITHUB_WORKSPACE || '.');
  }

  #placeOf(sources: Sources, base: string): PlaceOf {
    const root = resolve(this.#options.root);
    return (drillId, assertionId, known) => {
      const drill = Object.hasOwn(sources, drillId) ? sources[drillId] : undefined;
      if (drill === undefined) return undefined;
      const place = known ?? (assertionId === undefined ? undefined : assertionPlace(root, drill.file, assertionId)) ?? drill;
      return { file: below(base, resolve(root, place.file)), line: place.line, column: place.column };
    };
  }
}

/** A document that could not be made has no system's code. */
function reportRefusal(name: string, error: unknown): ServiceError {
  const undone = `The report ${name} could not be written`;
  if ((error as NodeJS.ErrnoException).code !== undefined) return fileRefusal(undone, name, error);
  return new ServiceError('control.INTERNAL', { message: `${undone}: ${(error as Error).message}`, cause: error });
}

/** Where it writes, if it writes a file. */
function fileOf({ name, path }: ReporterChoice, reportDirectory: string): string | undefined {
  if (path !== undefined) return resolve(path);
  return name === 'junit' || name === 'ctrf' || name === 'html' ? join(reportDirectory, defaultFiles[name]) : undefined;
}

/** Of two that write one file, one would be lost. `parseReporters` sees only the paths that are written down. */
function requireOwnFiles({ choices, reportDirectory }: RunReportersOptions): void {
  const names = new Map<string, string>();
  for (const choice of choices) {
    const file = fileOf(choice, reportDirectory);
    if (file === undefined) continue;
    const other = names.get(file);
    if (other !== undefined) {
      throw new ServiceError('control.INVALID_REQUEST', {
        message: `The reporters ${other} and ${choice.name} both write ${fromHere(file)}: name another file for one.`,
      });
    }
    names.set(file, choice.name);
  }
}

/** The detail is for reporters in this process: it holds whole reports. */
function withoutDetail(event: RunEvent): object {
  if (event.event !== 'attempt') return event;
  const { detail: _, ...line } = event;
  return line;
}

function below(folder: string, path: string): string {
  const way = relative(folder, path);
  return way.startsWith('..') || isAbsolute(way) ? path : way.split(sep).join('/');
}

function linkFrom(folder: string, path: string): string {
  return relative(folder, path).split(sep).map(encodeURIComponent).join('/');
}
