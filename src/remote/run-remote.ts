// The public run with its worlds in a hosted service: the source pushed, the plan made here, each attempt in a session of its own there,
// its target here. Plan, gates, retries, reporters and reports are those of a local run.
import { resolve } from 'node:path';
import { graceAfter } from '../async/grace.js';
import { defined } from '../contract/defined.js';
import { ServiceError } from '../contract/errors.js';
import { type OptionShapes, requireOptions } from '../contract/known-options.js';
import { limits } from '../contract/limits.js';
import { localFolders } from '../contract/local-folders.js';
import type { Binding, HttpMounts } from '../contract/run/target.js';
import { runShapes } from '../drills/plan/known-options.js';
import type { RunDrillsOptions } from '../drills/plan/options.js';
import { type Plan, planRun, refuseJudges, refuseMounts } from '../drills/plan/plan.js';
import { announcePlan, type BuildRunResult, newInvocation, Run } from '../drills/run.js';
import type { RunDrillsResult } from '../drills/run-drills.js';
import { thenPrune } from '../drills/stored/kept-runs.js';
import { Targets } from '../drills/targets/targets.js';
import { markRun } from '../reports/runs-in-progress.js';
import { asked, connectRemote, environmentOf, type Remote, type RemoteOptions, remoteShape } from './connection.js';
import { type CompiledSource, compileForRemote, type PushedSource, pushCompiled } from './push-source.js';
import { playRemotely, type RemoteStage } from './remote-attempt.js';

export interface RemoteRunOptions extends RunDrillsOptions {
  remote: RemoteOptions;
  /** The source is there. */
  onPushed?: (pushed: PushedSource) => void;
}

const mountsOfServices: ReadonlySet<HttpMounts> = new Set<HttpMounts>(['path', 'host']);
const available: ReadonlySet<Binding> = new Set<Binding>(['direct', 'http', 'mcp', 'cli']);

const shapes: OptionShapes<RemoteRunOptions> = { ...runShapes, remote: { required: remoteShape }, onPushed: 'function' };

export async function runDrillsRemotely(given: RemoteRunOptions): Promise<RunDrillsResult> {
  requireOptions('runDrillsRemotely', given, shapes);
  const { remote: place, onPushed, ...options } = given;
  refuseLocalOptions(options);
  const compiled = await compileForRemote(options);
  const { build, diagnostics, view } = compiled;
  // Before anything is sent: what selects nothing is refused here.
  const plan = hosted(planRun(build, options, available));
  const remote = await asked(() => connectRemote(place, compiled.settings?.remote, options.signal));
  const pushed = await pushCompiled(remote, compiled, {
    ...options,
    ...defined({ onProgress: options.onNotice }),
  });
  onPushed?.(pushed);
  const environmentId = await asked(() => environmentOf(remote, options.signal));
  const sources = Object.fromEntries(view.drills.map(({ id, provenance }) => [id, provenance]));
  options.onSources?.(sources);
  const result = await thenPrune(options, () => runPlan(plan, options, { remote, environmentId, compiled, buildHash: pushed.buildHash }));
  return { ...result, diagnostics, sources };
}

/** The verdict is the service's, which asks no modules, and so are the addresses of worlds: it refuses host names that it does not have. */
function hosted(plan: Plan): Plan {
  return {
    ...plan,
    drills: plan.drills.map((planned) => ({
      ...planned,
      ...defined({ refusal: planned.refusal ?? refuseJudges(planned) ?? refuseMounts(planned, mountsOfServices) }),
    })),
  };
}

interface Ground {
  remote: Remote;
  environmentId: string;
  compiled: CompiledSource;
  buildHash: string;
}

async function runPlan(
  plan: Plan,
  options: RunDrillsOptions,
  { remote, environmentId, compiled, buildHash }: Ground,
): Promise<BuildRunResult> {
  const { root, agent, isolate, allowRemote, onEvent = () => {}, onNotice = () => {}, signal = new AbortController().signal } = options;
  const { build, handlerPlace: placeOfHandler } = compiled;
  if (buildHash !== build.buildHash) {
    onNotice(
      `The service makes another build of this source (${buildHash}) than this machine (${build.buildHash}): it has another version. Hashes will differ.`,
    );
  }
  const invocation = newInvocation(plan);
  announcePlan(plan, { invocation, onEvent });
  const targets = new Targets({
    root: resolve(root),
    isolation: isolate === 'box' ? 'process' : (isolate ?? 'thread'),
    prefixes: build.compat.environmentPrefixes,
    allowRemote: allowRemote === true,
    ...defined({ agent }),
  });
  const mark = markRun(resolve(root, options.runDirectory ?? localFolders.runs));
  const ending = graceAfter(signal, limits.remoteEndingMs);
  const place = { remote, environmentId, build, buildHash, ending, targets, options, placeOfHandler };
  const stage: RemoteStage = { ...place, invocation, signal, onEvent, onNotice };
  try {
    return await new Run(plan, options, { invocation, signal, onEvent, play: (request) => playRemotely(stage, request) }).play();
  } finally {
    await targets.close();
    mark?.remove();
  }
}

/** What only a world on this machine has. */
function refuseLocalOptions({ callbackReceivers = {}, handlerTimeoutMs, freshModulePerTurn, inlineDrills = [] }: RunDrillsOptions): void {
  if (Object.keys(callbackReceivers).length > 0) {
    throw local(
      'Callbacks of a remote run go to receivers that are registered with the service, not to ones of this machine: leave --receiver out.',
    );
  }
  if (handlerTimeoutMs !== undefined) throw local('handlerTimeoutMs is a setting of the service in a remote run.');
  if (inlineDrills.length > 0) throw local('inlineDrills are no files, and a remote run sends files: write them to *.drill.yaml files.');
  if (freshModulePerTurn === true) throw local('freshModulePerTurn is for worlds on this machine.');
}

const local = (message: string): ServiceError => new ServiceError('control.INVALID_REQUEST', { message });
