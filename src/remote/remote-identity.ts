// Which run was asked for, held against what a service shows of one.
//   REMOTE-IDENTITY-1. What is of another drill, seed, trial, attempt, build or setup than was asked for is believed in nothing.
import type { HostedRun, RunError, RunIdentity } from '../contract/run/run.js';
import { runError } from '../drills/ports/run-error.js';

export type AskedIdentity = Omit<RunIdentity, 'worldInstanceId'>;
/** Those that no two versions make differently. */
const ofRequest = ['drillId', 'seed', 'trial', 'trialCount', 'attempt', 'attemptLimit', 'buildHash'] as const;
const ofBuild = ['targetId', 'scenarioId', 'setupHash', 'packageLockHash'] as const;

/** What a run that has begun, or is read again, must be; `started` once that is known. */
export function requireAskedRun(run: HostedRun, asked: Omit<AskedIdentity, 'runId'>, started?: HostedRun): void {
  const shown = { ...run.request, buildHash: run.buildHash };
  const differing: string[] = ofRequest.filter((name) => shown[name] !== asked[name]);
  if (started !== undefined) {
    if (run.request.runId !== started.request.runId) differing.push('runId');
    for (const name of ['hostedRunId', 'evidenceBundleId'] as const) if (run[name] !== started[name]) differing.push(name);
  }
  if (differing.length > 0) throw new OtherRun(otherRun('The service shows a run', differing));
}

/** Undefined where it is the one. `isSameBuild`: service and machine make the same of the source, setups and locks included. */
export function otherIdentity(
  identity: Partial<RunIdentity> | undefined,
  asked: AskedIdentity,
  { isSameBuild }: { isSameBuild: boolean },
): RunError | undefined {
  const names: (keyof AskedIdentity)[] = ['runId', ...ofRequest, ...(isSameBuild ? ofBuild : [])];
  const differing = names.filter((name) => identity?.[name] !== asked[name]);
  return differing.length === 0 ? undefined : otherRun('The evidence is of a run', differing);
}

/** The evidence that a service shows is of something else. */
export class OtherRun extends Error {
  readonly error: RunError;

  constructor(error: RunError) {
    super(error.message);
    this.error = error;
  }
}

function otherRun(what: string, members: string[]): RunError {
  return runError('reporter.EVIDENCE_INVALID', `${what} that was not asked for: its ${members.join(', ')} differs.`, {
    details: { members },
  });
}
