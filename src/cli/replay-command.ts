// `drillyard replay <run>`, also `report replay`: the calls of a stored run, made again against the world of the present source.
import { resolve } from 'node:path';
import pc from 'picocolors';
import { diffJson, pathText } from '../contract/json-diff.js';
import { type ReplayReportResult, replayReport } from '../drills/replay-report.js';
import type { ReplayDifference } from '../drills/stored/replay.js';
import { valueLine } from '../reports/shown-values.js';
import { counted, grouped } from '../text/counted.js';
import { virtualClock } from '../text/virtual-time.js';
import { visibleLine } from '../text/visible-text.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { reportFailure } from './failure.js';
import { fromHere } from './from-here.js';
import { createOutput } from './output.js';
import { withProgressBar } from './progress-bar.js';

export interface ReplayFlags {
  report: string;
  baseline?: boolean;
  scenarioId?: string;
  /** `package.fault`, with `=off` behind it or nothing. */
  faults: readonly string[];
  root: string;
  config?: string;
  json: boolean;
}

export async function replayCommand({ json, faults: named, ...options }: ReplayFlags): Promise<ExitCode> {
  const output = createOutput({ json });
  const faults = named.map((text) => ({ fault: text.replace(/=(on|off)$/, ''), active: !text.endsWith('=off') }));
  try {
    const { folder, diagnostics: _, ...replayed } = await withProgressBar('Replaying', () => replayReport({ ...options, faults }));
    output.line({ event: 'replay', ...replayed, report: folder });
    if (!json) for (const line of replayLines({ ...replayed, folder })) output.say(line);
    return replayed.same ? exitCodes.passed : exitCodes.failed;
  } catch (error) {
    return reportFailure(error, output, resolve(options.root));
  }
}

function replayLines(replayed: Omit<ReplayReportResult, 'diagnostics'>): string[] {
  const { runId, drillId, folder, start, calls, same, sameState, differing, differences, setupChanged } = replayed;
  const [first] = differences;
  return [
    `${pc.bold(runId)}  ${visibleLine(drillId)}  ${pc.dim(fromHere(resolve(folder)))}`,
    ...(start === undefined
      ? []
      : [start.kind === 'world' ? "Against the world's own start." : `Against the scenario ${start.scenarioId}.`]),
    ...(setupChanged && start === undefined ? ['The drill starts from another setup now.'] : []),
    ...(first === undefined ? [] : differenceLines(first, calls)),
    ...(differing > 1
      ? [`${counted(differing - 1, 'further answer')} ${differing === 2 ? 'differs' : 'differ'}, perhaps because of it.`]
      : []),
    same
      ? `Same: ${counted(calls, 'call')} got the ${calls === 1 ? 'answer' : 'answers'} of then${sameState ? ', and the rows at the end are those of then.' : '. The rows at the end are others.'}`
      : `Not the same: ${grouped(differing)} of the answers differ${differing === 1 ? 's' : ''}.`,
  ];
}

function differenceLines(
  { call, sequence, virtualTimeUs, what, path, recorded, present, ...asked }: ReplayDifference,
  calls: number,
): string[] {
  const which = call === undefined ? `Entry ${sequence}` : `Call ${call} of ${calls} (entry ${sequence})`;
  const [change] = diffJson(recorded, present).changes;
  const line = (name: string, text: string): string => visibleLine(`  ${name.padEnd(9)} ${text}`);
  return [
    `${which}, at ${virtualClock(virtualTimeUs)}: ${visibleLine(what)}`,
    ...(asked.arguments === undefined ? [] : [line('with', valueLine(asked.arguments))]),
    line('differs', `${pathText(path)}: ${valueLine(change?.before)} -> ${valueLine(change?.after)}`),
    line('recorded', valueLine(recorded)),
    line('present', valueLine(present)),
  ];
}
