// `drillyard run`: the public runDrills, told live on a terminal or as JSON lines.
import { resolve } from 'node:path';
import type { RunEvent } from '../contract/run-events.js';
import type { RunDrillsOptions } from '../drills/options.js';
import type { RunDrillsResult } from '../drills/run-drills.js';
import { runDrills } from '../index.js';
import { createTerminalReporter } from '../reports/terminal-reporter.js';
import { diagnosticsText } from './diagnostics-text.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import type { ExternalDesk } from './external-desk.js';
import { reportFailure } from './failure.js';
import { fromHere } from './from-here.js';
import { abortOnInterrupt } from './interrupt.js';
import { createOutput, type Output } from './output.js';

export interface RunFlags extends Omit<RunDrillsOptions, 'onEvent' | 'signal' | 'root'> {
  root: string;
  json: boolean;
  reporter: 'terminal' | 'json' | 'none';
  /** Agents of `external` targets fetch their work from an agent desk. */
  external: boolean;
  /** Where its address and token go instead of stdout. */
  externalFile?: string;
}

export async function runCommand({ json, reporter, external, externalFile, ...options }: RunFlags): Promise<ExitCode> {
  const hasDesk = external || externalFile !== undefined;
  // What an agent elsewhere is told is JSON lines; people then read stderr.
  const wantsJson = json || reporter === 'json';
  const output = createOutput({ json: wantsJson || hasDesk });
  const interrupt = abortOnInterrupt((text) => output.warn(text));
  const stream = hasDesk ? process.stderr : process.stdout;
  const terminal = wantsJson || reporter === 'none' ? undefined : createTerminalReporter({ stream });
  let desk: ExternalDesk | undefined;
  try {
    if (hasDesk) desk = await (await import('./external-desk.js')).openExternalDesk(output, externalFile);
    const result = await runDrills({
      ...options,
      ...(desk === undefined ? {} : { agent: desk.agent }),
      signal: interrupt.signal,
      onEvent: (event) => {
        output.line(withoutDetail(event));
        terminal?.onEvent(
          event.event === 'attempt' && event.report !== '' ? { ...event, report: fromHere(resolve(options.root, event.report)) } : event,
        );
      },
    });
    terminal?.close();
    tellAfterwards(result, options.root, output);
    return exitCodeFor(result);
  } catch (error) {
    terminal?.close();
    return reportFailure(error, output, resolve(options.root));
  } finally {
    await desk?.close();
    interrupt.stop();
  }
}

/** The detail is for reporters in this process: it holds whole reports. */
function withoutDetail(event: RunEvent): object {
  if (event.event !== 'attempt') return event;
  const { detail: _, ...line } = event;
  return line;
}

function tellAfterwards({ drills, diagnostics }: RunDrillsResult, root: string, output: Output): void {
  if (diagnostics.length > 0) output.warn(diagnosticsText(diagnostics, { root: resolve(root), color: process.stderr.isTTY === true }));
  const attempts = drills.flatMap(({ trials }) => trials.flatMap((trial) => trial.attempts));
  for (const { runId, reportError } of attempts) if (reportError !== undefined) output.warn(`${runId}: ${reportError.message}`);
}

function exitCodeFor({ verdict, cancelled, drills }: RunDrillsResult): ExitCode {
  if (cancelled) return exitCodes.interrupted;
  const unreported = drills.some(({ trials }) => trials.some(({ attempts }) => attempts.some(({ reportError }) => reportError !== undefined)));
  return verdict === 'passed' && !unreported ? exitCodes.passed : exitCodes.failed;
}
