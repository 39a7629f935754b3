// A control plane with hosted runs of the example's drills, played by the example's own agents through the hosted bindings.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileProject } from '../../src/compiler/compile.js';
import type { LongRunningOperation } from '../../src/contract/hosted/operation.js';
import type { WorldSession } from '../../src/contract/hosted/resources.js';
import type { CompleteInteractionRequest, StartRunRequest } from '../../src/contract/hosted/runs.js';
import type { JsonValue } from '../../src/contract/json.js';
import type { CustomAssertion, ExprAssertion } from '../../src/contract/run/assertion.js';
import type { CompiledBuild } from '../../src/contract/run/build.js';
import type { HostedRun } from '../../src/contract/run/run.js';
import { putBuild } from '../../src/control/builds/build-records.js';
import type { ControlServices } from '../../src/control/core/services.js';
import type { Endpoints } from '../../src/control/dispatch.js';
import { defineRunRunners, runEndpoints, sweepRuns } from '../../src/control/runs/endpoints.js';
import { evidenceEndpoints } from '../../src/control/runs/evidence-bundles.js';
import { bundleFolder } from '../../src/control/runs/evidence-records.js';
import { defineSessionRunners, sessionEndpoints } from '../../src/control/sessions/endpoints.js';
import { packBuild } from '../../src/control/tasks/build-pack.js';
import { until } from '../until.js';
import type { ControlKitOptions } from './control-kit.js';
import { openSessionKit, type SessionKit } from './session-kit.js';

const exampleRoot = fileURLToPath(new URL('../../../examples/01-support-desk', import.meta.url));
export const keepingDrill = 'careless-refund';
/** The drill `refund-happy-path` with expressions of some 60,000 steps each. */
export const longJudgedDrill = 'long-judged';
/** The same drill with a module as its judge. */
export const moduleJudgedDrill = 'module-judged';
let compiled: Promise<CompiledBuild> | undefined;
export const example = { root: exampleRoot, build: () => (compiled ??= compileExample()) };

async function compileExample(): Promise<CompiledBuild> {
  const { build, diagnostics } = await compileProject({ root: exampleRoot });
  assert.ok(build, JSON.stringify(diagnostics));
  // One drill that keeps everything.
  const always = { logs: 'always', screenshots: 'always', video: 'always', files: 'always' } as const;
  const drills = build.drills.map((one) => (one.drill.id === keepingDrill ? { ...one, drill: { ...one.drill, capture: always } } : one));
  const first = drills.find(({ drill }) => drill.id === 'refund-happy-path');
  assert.ok(first);
  const further = { [longJudgedDrill]: expensive(), [moduleJudgedDrill]: [byModule] };
  const made = Object.entries(further).map(([id, assertions]) => ({ ...first, drill: { ...first.drill, id, assertions } }));
  return { ...build, drills: [...drills, ...made] };
}

const byModule: CustomAssertion = {
  id: 'tone',
  kind: 'custom',
  gate: true,
  module: 'agents/refund-agent.mjs',
  export: 'default',
  with: {},
  state: {},
  timeoutMs: 1000,
};

function expensive(): ExprAssertion[] {
  const numbers = `[${Array.from({ length: 16 }, (_, index) => index).join(', ')}]`;
  const expression = `${numbers}.all(a, ${numbers}.all(b, ${numbers}.all(c, a + b + c >= 0))) && size(operations) >= 0`;
  return Array.from({ length: 8 }, (_, index) => ({ id: `e${index}`, kind: 'expr', gate: true, state: {}, expression }));
}

/** As the agents of the example are written: what they call a world. */
export interface AgentWorld {
  call(packageId: string, operationId: string, args: JsonValue, options?: { idempotencyKey?: string }): Promise<unknown>;
}
export type Agent = (run: HostedRun, world: AgentWorld) => Promise<JsonValue>;
type TargetResult = Partial<CompleteInteractionRequest['targetResult']>;

/** One interaction of the example's module agent. */
export const refundAgent: Agent = async (run, world) => {
  const { default: agent } = await import(join(exampleRoot, 'agents/refund-agent.mjs'));
  const { interaction, startedAtVirtualUs: virtualTimeUs } = run.pendingInteraction!;
  return agent({ task: interaction.task, virtualTimeUs }, { world, log: () => {} });
};

export interface RunKit extends SessionKit {
  /** A session for a drill, ready. */
  drillSession(drillId: string, seed?: string): Promise<WorldSession>;
  start(session: WorldSession, body?: Partial<StartRunRequest>): Promise<{ run: HostedRun; operation: LongRunningOperation }>;
  run(hostedRunId: string): Promise<HostedRun>;
  /** The run as soon as this is so of it. */
  when(hostedRunId: string, isSo: (run: HostedRun) => boolean): Promise<HostedRun>;
  /** When it awaits an agent, or has ended. */
  next(hostedRunId: string): Promise<HostedRun>;
  worldOf(run: HostedRun): Promise<AgentWorld & { credential: string }>;
  complete(run: HostedRun, targetResult?: TargetResult): Promise<HostedRun>;
  /** Plays every interaction to the end of the run. */
  play(hostedRunId: string, agent: Agent): Promise<HostedRun>;
  folderOf(run: HostedRun): string;
}

export const hasEnded = ({ finishedAtMs }: HostedRun): boolean => finishedAtMs !== undefined;
export const awaitsAgent = ({ pendingInteraction }: HostedRun): boolean => pendingInteraction !== undefined;

export async function openRunKit(options: ControlKitOptions = {}): Promise<RunKit> {
  const kit = await openSessionKit({
    endpoints: (services): Endpoints => ({ ...sessionEndpoints(services), ...runEndpoints(services), ...evidenceEndpoints(services) }),
    runners: defineEvery,
    ...options,
  });
  const build = await example.build();
  await publish(kit, build);
  const { call, services, directory } = kit;
  const run = async (hostedRunId: string): Promise<HostedRun> => (await call('getRun', { path: { hostedRunId } })).run;
  const when: RunKit['when'] = async (hostedRunId, isSo) => {
    let found = await run(hostedRunId);
    const last = Date.now() + 60_000;
    await until(async () => {
      found = await run(hostedRunId);
      return isSo(found) || Date.now() > last;
    });
    return isSo(found) ? found : assert.fail(`it never was so: ${JSON.stringify(found)}`);
  };
  const next: RunKit['next'] = (hostedRunId) => when(hostedRunId, (found) => awaitsAgent(found) || hasEnded(found));
  const worldOf: RunKit['worldOf'] = async ({ hostedRunId, pendingInteraction }) => {
    const interactionId = pendingInteraction!.interaction.id;
    const { credential } = (await call('createRunAccess', { path: { hostedRunId }, body: { interactionId } })).access;
    return {
      credential,
      call: async (packageId, operationId, args, how = {}) => {
        const { status, body } = await kit.agent(credential, `/world/v1/operations/${packageId}/${operationId}`, {
          arguments: args,
          ...how,
        });
        if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
        return body.outcome;
      },
    };
  };
  const complete: RunKit['complete'] = async (found, targetResult = {}) => {
    const { hostedRunId, revision: expectedRevision, pendingInteraction } = found;
    const body = {
      interactionId: pendingInteraction!.interaction.id,
      expectedRevision,
      targetResult: { status: 'completed', attachments: [], ...targetResult },
    };
    return (await call('completeInteraction', { path: { hostedRunId }, body: body as CompleteInteractionRequest })).run;
  };
  return {
    ...kit,
    drillSession: (drillId, seed = '7') => kit.session({ drillId, seed, buildHash: build.buildHash }),
    start: ({ sessionId, environmentId, leaseGeneration }, body = {}) =>
      call('startRun', { path: { environmentId, sessionId }, body: { expectedLeaseGeneration: leaseGeneration, ...body } }),
    run,
    when,
    next,
    worldOf,
    complete,
    play: async (hostedRunId, agent) => {
      for (;;) {
        const found = await next(hostedRunId);
        if (!awaitsAgent(found)) return found;
        await complete(found, { output: await agent(found, await worldOf(found)) });
      }
    },
    folderOf: ({ evidenceBundleId, request }) =>
      join(bundleFolder(services.settings.dataDirectory ?? directory, evidenceBundleId), request.runId),
  };
}

function defineEvery(services: ControlServices): void {
  defineSessionRunners(services);
  defineRunRunners(services);
}
export const sweep = ({ services }: RunKit): Promise<void> => sweepRuns(services);

async function publish({ services, organizationId, projectId }: SessionKit, build: CompiledBuild): Promise<void> {
  const { catalog, blobs, nowMs } = services;
  const content = { build: await blobs.put(packBuild(build)), view: await blobs.put(Buffer.from('{}')), bytes: 0 };
  const { buildHash, packageLockHash, world } = build;
  const summary = { buildHash, packageLockHash, worldId: world.id, tools: [], scenarioIds: [], drillIds: [], targetIds: [], suiteIds: [] };
  await catalog.change((tx) => putBuild(tx, { organizationId, projectId, summary, content, nowMs: nowMs() }));
}
