// The conformance suite of a tool package, run as it is and again in amnesia: the behavior is made anew before every turn. A tool that keeps
// something outside its state (a variable of its module) then behaves differently, and a world that leaves the memory would too.
import { join } from 'node:path';
import { compileProject } from '../compiler/compile.js';
import { Diagnostics } from '../compiler/diagnostics.js';
import { realRoot } from '../compiler/source-files.js';
import { describePackage } from '../compiler/tool-packages.js';
import type { Diagnostic } from '../contract/build.js';
import { ServiceError } from '../contract/errors.js';
import type { RunResult, Verdict } from '../contract/run.js';
import type { BindingsPort } from './bindings-port.js';
import type { RunDrillsOptions } from './options.js';
import { runBuild, type RunDrillsResult } from './run-drills.js';
import { sourceInvalid } from './source-invalid.js';

export type ConformanceOptions = Pick<RunDrillsOptions, 'concurrency' | 'isolate' | 'onEvent' | 'signal' | 'reportDirectory' | 'runDirectory'> & {
  /** The package's folder. */
  folder: string;
};
export interface ConformanceResult {
  /** Passed when every drill passed, and the same in amnesia. */
  verdict: Verdict;
  suiteId: string;
  plain: Omit<RunDrillsResult, 'diagnostics'>;
  /** Drills that went otherwise in amnesia, with what differs. */
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

export async function testToolPackage({ folder, ...options }: ConformanceOptions, openBindings: () => BindingsPort): Promise<ConformanceResult> {
  const { project, suite } = conformanceOf(folder);
  const { build, diagnostics } = await compileProject({ root: project });
  if (build === undefined) throw sourceInvalid(diagnostics);
  // Retries would hide what this looks for.
  const run = (more: Partial<RunDrillsOptions>) => runBuild(build, { ...options, ...more, root: project, suite, retries: 0 }, openBindings);
  const plain = await run({});
  const stopped = plain.verdict !== 'passed' || plain.cancelled;
  const amnesia = stopped ? undefined : await run({ amnesia: true, reportDirectory: false });
  const differing = amnesia === undefined ? [] : differences(plain, amnesia);
  const again = differing.length === 0 ? undefined : await run({ drills: [...new Set(differing.map(({ drillId }) => drillId))], reportDirectory: false });
  const unsteady = new Set(again === undefined ? [] : differences(plain, again).map(trialKey));
  return {
    verdict: differing.length > 0 ? 'failed' : (amnesia?.verdict ?? plain.verdict),
    suiteId: suite,
    plain,
    differences: differing.map((difference) => ({ ...difference, cause: unsteady.has(trialKey(difference)) ? 'unsteady_drill' : 'module_state' })),
    cancelled: plain.cancelled || amnesia?.cancelled === true,
  };
}

function conformanceOf(folder: string): { project: string; suite: string } {
  const root = realRoot(folder);
  if (root === undefined) throw new ServiceError('control.NOT_FOUND', { message: `There is no folder ${folder}.` });
  const found = new Diagnostics();
  const described = describePackage(found, { root, shownAs: '' });
  const diagnostics: Diagnostic[] = found.sorted();
  if (described === undefined || diagnostics.some(({ severity }) => severity === 'error')) throw sourceInvalid(diagnostics);
  const { conformance } = described;
  if (conformance === undefined) {
    throw new ServiceError('control.NOT_FOUND', {
      message: 'The package names no conformance suite. Write "conformance": { "project": "conformance", "suite": "conformance" } in the "drillyard" field of its package.json.',
    });
  }
  return { project: join(root, conformance.project), suite: conformance.suite };
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
  return drills.flatMap(({ drillId, trials }) => trials.flatMap(({ trial, attempts }) => attempts.slice(0, 1).map(({ result }) => ({ drillId, trial, result }))));
}

function trialKey({ drillId, trial }: { drillId: string; trial: number }): string {
  return `${drillId} ${trial}`;
}
