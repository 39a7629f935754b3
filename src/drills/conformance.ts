// The conformance suite of a tool package, run as it is and again with a fresh module each turn. A tool that keeps
// something outside its state (a variable of its module) then behaves differently, and a world that leaves the memory would too.
import { compileProject } from '../compiler/compile.js';
import { loadConformance } from '../compiler/conformance.js';
import type { RunResult, Verdict } from '../contract/run/run.js';
import type { RunDrillsOptions } from './plan/options.js';
import type { OpenBindings } from './ports/bindings-port.js';
import type { BuildRunResult } from './run.js';
import { type RunDrillsResult, runBuild } from './run-drills.js';
import { SourceInvalidError } from './source-invalid.js';

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
  const { conformance, diagnostics: found } = loadConformance(folder, config === undefined ? {} : { config });
  if (conformance === undefined) throw new SourceInvalidError(found);
  const { suite, packageRoot: _, ...project } = conformance;
  const { root } = project;
  const { build, diagnostics, outsidePackages, handlerPlace } = await compileProject(project);
  if (build === undefined) throw new SourceInvalidError(diagnostics);
  // Retries would hide what this looks for.
  const run = (more: Partial<RunDrillsOptions>) =>
    runBuild(build, { ...options, ...more, root, suite, retries: 0 }, openBindings, { outsidePackages, placeOfHandler: handlerPlace });
  const plain = await run({});
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
    cancelled: plain.cancelled || fresh?.cancelled === true,
  };
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
