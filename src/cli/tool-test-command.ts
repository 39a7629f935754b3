// `drillyard tool test <folder | library:id>`: the package's conformance suite, as it is and with a fresh module each turn.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createBindings } from '../bindings/create-bindings.js';
import { defined } from '../contract/defined.js';
import { type ConformanceResult, type Difference, testToolPackage } from '../drills/conformance.js';
import { coveredKinds, type ToolCoverage } from '../drills/tool-coverage.js';
import { createTerminalReporter } from '../reports/terminal-reporter.js';
import { counted } from '../text/counted.js';
import type { LocalIsolation } from '../worlds/local-worlds.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { sayFailures } from './failure.js';
import { abortOnInterrupt } from './interrupt.js';
import type { Output } from './output.js';
import { conformanceConfig, packageFolder } from './package-folder.js';

export interface ToolTestFlags {
  tool: string;
  /** The root file: where one is from here, else relative to the conformance project. */
  config?: string;
  json: boolean;
  isolate?: LocalIsolation;
  concurrency?: number;
  /** What no drill has shown is an error. */
  requireCoverage?: boolean;
}

const passes = ['As it is:', 'With a fresh module each turn:', 'As it is once more, to tell module state from an unsteady agent:'];

export function toolTestCommand(flags: ToolTestFlags): Promise<ExitCode> {
  return sayFailures(flags, resolve(flags.tool), (output) => testTool(flags, output));
}

async function testTool({ tool, config, json, requireCoverage = false, ...options }: ToolTestFlags, output: Output): Promise<ExitCode> {
  const folder = packageFolder(tool);
  const interrupt = abortOnInterrupt((text) => output.warn(text));
  // A package may be installed where nothing may be written.
  const directory = await mkdtemp(join(tmpdir(), 'drillyard-tool-test-'));
  const reportDirectory = join(directory, 'reports');
  let keeps = false;
  let pass = 0;
  try {
    const terminal = json ? undefined : createTerminalReporter({ stream: process.stdout });
    const result = await testToolPackage(
      {
        ...options,
        folder,
        ...defined({ config: conformanceConfig(config) }),
        reportDirectory,
        runDirectory: join(directory, 'runs'),
        signal: interrupt.signal,
        onEvent: (event) => {
          if (event.event === 'plan') output.say(passes[pass++] ?? '');
          if (event.event !== 'attempt') {
            if (event.event !== 'summary') output.line(event);
            terminal?.onEvent(event);
            return;
          }
          // One attempt that did not pass keeps the folder; a report that goes away at the end is not shown.
          const kept = event.verdict !== 'passed' && event.report !== '';
          keeps ||= kept;
          const shown = { ...event, report: kept ? join(reportDirectory, event.runId) : '' };
          output.line({ ...shown, detail: undefined });
          terminal?.onEvent(shown);
        },
      },
      createBindings,
    ).finally(() => terminal?.close());
    tell(result, output);
    if (result.cancelled) return exitCodes.interrupted;
    if (!hasRun(result)) return exitCodes.failed;
    const lacks = requireCoverage && (result.coverage === undefined || result.coverage.missing.length > 0);
    return result.verdict === 'passed' && !lacks ? exitCodes.passed : exitCodes.failed;
  } finally {
    interrupt.stop();
    if (!keeps) await rm(directory, { recursive: true, force: true });
  }
}

/** A package whose drills are all skipped has shown nothing. */
function hasRun({ plain }: ConformanceResult): boolean {
  return plain.drills.length > 0;
}

function tell(result: ConformanceResult, output: Output): void {
  const { verdict, suiteId, plain, differences, coverage } = result;
  for (const difference of differences) {
    output.line({ event: 'difference', ...difference });
    if (!output.json) output.say(`${difference.drillId}, trial ${difference.trial}: ${explain(difference)}`);
  }
  if (coverage !== undefined) {
    output.line({ event: 'coverage', ...coverage });
    if (!output.json) for (const line of coverageLines(coverage)) output.say(line);
  }
  const { passed, failed, inconclusive, skipped } = plain;
  output.line({
    event: 'summary',
    verdict,
    suiteId,
    passed,
    failed,
    inconclusive,
    ...(skipped.length === 0 ? {} : { skipped: skipped.length }),
    differences: differences.length,
  });
  if (!output.json && verdict === 'passed' && hasRun(result))
    output.say('The same with a fresh module each turn: the tool keeps nothing outside its state.');
}

function coverageLines({ observed, declared, missing }: ToolCoverage): string[] {
  const lacking = coveredKinds.flatMap((kind) => {
    const ids = missing.filter((part) => part.kind === kind).map(({ id }) => id);
    return ids.length === 0 ? [] : [`  ${counted(ids.length, kind)}: ${ids.join(', ')}`];
  });
  const said = `Observed: ${observed} of the ${counted(declared, 'operation, error, event, fault and route', 'operations, errors, events, faults and routes')} that the manifest declares.`;
  return lacking.length === 0 ? [said] : [said, 'No drill has shown:', ...lacking];
}

function explain({ hashes, cause }: Difference): string {
  if (cause === 'unsteady_drill')
    return `${hashes.join(', ')} differ between two equal runs: its agent is not deterministic, so that module state cannot be looked for.`;
  return `${hashes.join(', ')} differ when the behavior is evaluated again before every turn: the tool keeps module state. Keep it in a state namespace.`;
}
