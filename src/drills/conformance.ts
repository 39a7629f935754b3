// The conformance suite of a tool package, run as it is and again with a fresh module each turn. A tool that keeps
// something outside its state (a variable of its module) then behaves differently, and a world that leaves the memory would too.
import { join } from 'node:path';
import { compileProject } from '../compiler/compile.js';
import { loadConformance } from '../compiler/conformance.js';
import { glancePackage } from '../compiler/package-glance.js';
import { defined } from '../contract/defined.js';
import type { RunResult, Verdict } from '../contract/run/run.js';
import { evidenceFile } from '../reports/report-folder.js';
import type { RunDrillsOptions } from './plan/options.js';
import type { OpenBindings } from './ports/bindings-port.js';
import type { BuildRunResult } from './run.js';
import { type RunDrillsResult, runBuild } from './run-drills.js';
import { SourceInvalidError } from './source-invalid.js';
import { CoverageWatch, type ToolCoverage } from './tool-coverage.js';

export type ConformanceOptions = Pick<
  RunDrillsOptions,
  'concurrency' | 'isolate' | 'onEvent' | 'onNotice' | 'signal' | 'reportDirectory' | 'runDirectory'
> & {
  /** The package's folder. */
  folder: string;
  /** The root file of its conformance project: absolute, or relative to that project. Default drillyard.json. */
  config?: string;
};
export interface ConformanceResult {
  /** Passed when every drill passed, and the same with a fresh module each turn. */
  verdict: Verdict;
  suiteId: string;
  plain: BuildRunResult;
  /** Drills that went otherwise with a fresh module each turn, with what differs. */
  differences: Difference[];
  /** What of the package's manifest the plain run has shown; absent where it wrote no reports, or the package has no manifest to ask. */
  coverage?: ToolCoverage;
  cancelled: boolean;
}
export interface Difference {
  drillId: string;
  trial: number;
  hashes: HashName[];
  /** `module_state`: the tool keeps something outside its state. `unsteady_drill`: it differs between two plain runs too. */
  cause: 'module_state' | 'unsteady_drill';
}
const hashNames = ['stateHash', 'evidenceHash', 'trajectoryHash'] as const;
type HashName = (typeof hashNames)[number];

export async function testToolPackage(
  { folder, config, ...options }: ConformanceOptions,
  openBindings: OpenBindings,
): Promise<ConformanceResult> {
  const { conformance, diagnostics: found } = loadConformance(folder, defined({ config }));
  if (conformance === undefined) throw new SourceInvalidError(found);
  const { suite, packageRoot, ...project } = conformance;
  const { root } = project;
  const { build, diagnostics, outsidePackages, handlerPlace } = await compileProject(project);
  if (build === undefined) throw new SourceInvalidError(diagnostics);
  // Retries would hide what this looks for.
  const run = (more: Partial<RunDrillsOptions>, bindings = openBindings) =>
    runBuild(build, { ...options, ...more, root, suite, retries: 0 }, bindings, { outsidePackages, placeOfHandler: handlerPlace });
  const tested = glancePackage('.', packageRoot)?.packageId;
  const manifest = build.tools.find(({ packageId }) => packageId === tested)?.manifest;
  const watch = manifest && new CoverageWatch(manifest);
  const plain = await run({}, (options) => watch?.over(openBindings(options)) ?? openBindings(options));
  const coverage = watch && (await coverageOf(watch, plain, options.reportDirectory));
  const stopped = plain.verdict !== 'passed' || plain.cancelled;
  const fresh = stopped ? undefined : await run({ freshModulePerTurn: true, reportDirectory: false });
  const differing = fresh === undefined ? [] : differences(plain, fresh);
  const again =
    differing.length === 0
      ? undefined
      : await run({ drills: [...new Set(differing.map(({ drillId }) => drillId))], reportDirectory: false });
  const unsteady = new Set(again === undefined ? [] : differences(plain, again).map(trialKey));
  return {
    verdict: differing.length > 0 ? 'failed' : (fresh?.verdict ?? plain.verdict),
    suiteId: suite,
    plain,
    differences: differing.map((difference) => ({
      ...difference,
      cause: unsteady.has(trialKey(difference)) ? 'unsteady_drill' : 'module_state',
    })),
    ...defined({ coverage }),
    cancelled: plain.cancelled || fresh?.cancelled === true,
  };
}

async function coverageOf(
  watch: CoverageWatch,
  { drills }: Pick<RunDrillsResult, 'drills'>,
  reportDirectory: RunDrillsOptions['reportDirectory'],
): Promise<ToolCoverage | undefined> {
  if (typeof reportDirectory !== 'string') return undefined;
  for (const { trials } of drills)
    for (const { attempts } of trials)
      for (const { result } of attempts) await watch.readEvidence(join(reportDirectory, result.identity.runId, evidenceFile));
  return watch.result();
}

/** By the first attempt of each trial; a trial that only one of them has is left out. */
function differences(left: Pick<RunDrillsResult, 'drills'>, right: Pick<RunDrillsResult, 'drills'>): Omit<Difference, 'cause'>[] {
  const firsts = new Map(firstResults(right).map(({ drillId, trial, result }) => [trialKey({ drillId, trial }), result]));
  return firstResults(left).flatMap(({ drillId, trial, result }) => {
    const other = firsts.get(trialKey({ drillId, trial }));
    const hashes = other === undefined ? [] : hashNames.filter((name) => result[name] !== other[name]);
    return hashes.length === 0 ? [] : [{ drillId, trial, hashes }];
  });
}

function firstResults({ drills }: Pick<RunDrillsResult, 'drills'>): { drillId: string; trial: number; result: RunResult }[] {
  return drills.flatMap(({ drillId, trials }) =>
    trials.flatMap(({ trial, attempts }) => attempts.slice(0, 1).map(({ result }) => ({ drillId, trial, result }))),
  );
}

function trialKey({ drillId, trial }: { drillId: string; trial: number }): string {
  return `${drillId} ${trial}`;
}
