// `drillyard run --watch`: runs, waits for a change of the source, and runs again what it concerns.
//   WATCH-COMMAND-1. Again runs what has other inputs than when it was last run, and what did not pass then.
//   WATCH-COMMAND-2. Source that does not compile is reported and waited out; what was said of it already is not said again.
import { resolve } from 'node:path';
import { createBindings } from '../bindings/create-bindings.js';
import { rootFileIn } from '../compiler/root-file-name.js';
import { defined } from '../contract/defined.js';
import { seedOf } from '../contract/fresh-seed.js';
import { localFolders } from '../contract/local-folders.js';
import { drillInputs } from '../drills/attempt/drill-inputs.js';
import { planRun } from '../drills/plan/plan.js';
import type { RunDrillsResult } from '../drills/run-drills.js';
import { SourceInvalidError } from '../drills/source-invalid.js';
import { SourceWatch } from '../files/source-watch.js';
import { counted } from '../text/counted.js';
import { compileShown } from './compile-shown.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { failureLines, reportFailure } from './failure.js';
import { fromHere } from './from-here.js';
import type { Interrupt } from './interrupt.js';
import type { OneRun, RunFlags } from './one-run.js';
import type { Output } from './output.js';
import { withProgressBar } from './progress-bar.js';
import { runOnce, withReporters } from './run-command.js';
import { readKeys } from './watch-keys.js';

/** What is due follows from the files: `again` says nothing here. */
export async function watchCommand({ again: _, ...flags }: RunFlags, interrupt: Interrupt): Promise<ExitCode> {
  const root = resolve(flags.root);
  const { reportDirectory, runDirectory = localFolders.runs, config = rootFileIn(root) } = flags;
  const files = flags.reporters.flatMap(({ path }) => (path === undefined ? [] : [resolve(path)]));
  const written = [...[reportDirectory, runDirectory].map((folder) => resolve(root, folder)), ...files];
  return await withReporters(flags, interrupt, async (run) => {
    const watch = await withProgressBar('Looking at the files', () => SourceWatch.open({ root, config, written }));
    try {
      return await new WatchSession(run, watch).play();
    } finally {
      await watch.close();
    }
  });
}

class WatchSession {
  readonly #run: OneRun;
  readonly #watch: SourceWatch;
  readonly #root: string;
  readonly #output: Output;
  /** By drill id, as of its last run. */
  readonly #inputs = new Map<string, string>();
  readonly #notPassed = new Set<string>();
  #wantsAll = true;
  #quit = new AbortController();
  /** Of the last round that ran something. */
  #runCode: ExitCode = exitCodes.passed;
  /** Why the source of the last round did not compile, and what was said of it; undefined when it did. */
  #broken: { code: ExitCode; said: string } | undefined;

  constructor(run: OneRun, watch: SourceWatch) {
    // One for every round: what changes between two of them is the source.
    this.#run = { ...run, options: { ...run.options, ...defined({ seed: seedOf(run.options.seed) }) } };
    this.#watch = watch;
    this.#root = resolve(run.options.root);
    this.#output = run.output;
  }

  async play(): Promise<ExitCode> {
    const { signal } = this.#run;
    let wake = new AbortController();
    const restoreTerminal = readKeys(process.stdin, (key) => {
      if (key === 'interrupt') process.kill(process.pid, 'SIGINT');
      if (key === 'quit') this.#quit.abort();
      if (key === 'all') this.#wantsAll = true;
      wake.abort();
    });
    try {
      let changed: string[] = [];
      while (!signal.aborted) {
        wake = new AbortController();
        await this.#round(changed);
        if (signal.aborted || this.#quit.signal.aborted) break;
        if (this.#wantsAll) continue;
        changed = await this.#watch.changes(AbortSignal.any([signal, wake.signal]));
        if (this.#quit.signal.aborted) break;
      }
      return signal.aborted ? exitCodes.interrupted : (this.#broken?.code ?? this.#runCode);
    } finally {
      restoreTerminal();
    }
  }

  async #round(changed: readonly string[]): Promise<void> {
    const all = this.#wantsAll;
    this.#wantsAll = false;
    this.#watch.followPackages();
    const wasBroken = this.#broken !== undefined;
    const due = await this.#due(all);
    if (due === 'said') return;
    if (due === 'broken') return this.#tellWaiting();
    if (due.drills.length === 0) {
      if (wasBroken) this.#tellMended(changed);
      return all || wasBroken ? this.#tellWaiting() : undefined;
    }
    if (changed.length > 0) this.#tellChanged(changed, due.drills);
    const { options } = this.#run;
    // The suite by name, as naming drills would leave it out.
    const { code, result } = await runOnce({ ...this.#run, options: { ...options, ...due } });
    this.#runCode = code;
    if (result !== undefined) this.#note(result);
    else for (const id of due.drills) this.#inputs.delete(id);
    if (!this.#run.signal.aborted) this.#tellWaiting();
  }

  /** What is to be run now; else the source does not compile, or selects nothing: `said` where that is no news. */
  async #due(all: boolean): Promise<{ drills: string[]; suite?: string } | 'broken' | 'said'> {
    const { options, output } = this.#run;
    try {
      const { build, diagnostics } = await compileShown({
        root: this.#root,
        ...defined({ config: options.config }),
      });
      if (build === undefined) throw new SourceInvalidError(diagnostics);
      const plan = planRun(build, options, createBindings().available);
      const inputs = await drillInputs(build, plan, this.#root);
      const drills = [...inputs]
        .filter(([id, digest]) => all || this.#inputs.get(id) !== digest || this.#notPassed.has(id))
        .map(([id]) => id);
      this.#broken = undefined;
      for (const id of drills) this.#inputs.set(id, inputs.get(id) ?? '');
      // Shown with all, as nothing of them changes by a run.
      if (all) drills.push(...plan.skipped.map(({ id }) => id));
      return { drills, ...defined({ suite: plan.suiteId }) };
    } catch (error) {
      // Where what is said goes to a file of the repository, saying it again would be the next change.
      const said = JSON.stringify(failureLines(error));
      if (!all && this.#broken?.said === said) return 'said';
      this.#broken = { code: reportFailure(error, output, this.#root), said };
      return 'broken';
    }
  }

  #note({ drills }: RunDrillsResult): void {
    for (const { drillId, verdict } of drills) {
      if (verdict === 'passed') this.#notPassed.delete(drillId);
      else this.#notPassed.add(drillId);
    }
  }

  #tellChanged(changed: readonly string[], drills: readonly string[]): void {
    const files = changed.map(fromHere).sort();
    this.#output.line({ event: 'changed', files, drills });
    if (!this.#output.json)
      this.#output.say(
        `\n${files.slice(0, 3).join(', ')}${files.length > 3 ? ` and ${files.length - 3} more` : ''} changed: ${counted(drills.length, 'drill')} to run again.`,
      );
  }

  /** Else the error would stay the last word, though the source is what it was before. */
  #tellMended(changed: readonly string[]): void {
    this.#output.line({ event: 'changed', files: changed.map(fromHere).sort(), drills: [] });
    if (!this.#output.json) this.#output.say('\nThe source compiles again, and is what every drill last ran with: nothing to run.');
  }

  #tellWaiting(): void {
    this.#output.line({ event: 'waiting' });
    const keys = process.stdin.isTTY === true ? ' a: run all, q: quit.' : '';
    if (!this.#output.json) this.#output.say(`\nWaiting for a change of the source.${keys}`);
  }
}
