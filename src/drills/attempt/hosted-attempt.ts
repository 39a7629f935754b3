// The environment of a hosted attempt: a session's world as it stands, an agent that is somebody at the other end of the API, and a store
// that keeps every step, so that the attempt continues in the next incarnation of the service.
import { defined } from '../../contract/defined.js';
import type { JsonValue } from '../../contract/json.js';
import type { AgentUsage } from '../../contract/run/agent-usage.js';
import type { CompiledBuild } from '../../contract/run/build.js';
import type { BindingEvidence, HostedRun, RunError, TargetStatus } from '../../contract/run/run.js';
import type { WorldRef } from '../../worlds/api.js';
import type { ExpressionJudge } from '../judge/evaluate-expression.js';
import { type PlayableDrill, refuseJudges, refuseMounts } from '../plan/plan.js';
import type { BindingsPort } from '../ports/bindings-port.js';
import type {
  Agent,
  AttemptEnvironment,
  AttemptProgress,
  AttemptStart,
  OpenedWorld,
  PlayedStep,
  TimelineEnd,
  WorkResult,
} from './attempt-environment.js';
import type { CapturedFile } from './capture.js';
import { orInterruption } from './interruption.js';
import type { AttemptNumbers } from './run-setup.js';

export type PendingInteraction = NonNullable<HostedRun['pendingInteraction']>;
/** How an interaction ended, as its agent, the deadline or a cancellation says. */
export interface AgentSubmission {
  status: TargetStatus;
  output?: JsonValue;
  error?: RunError;
  usage?: AgentUsage;
  /** `not_checked`: no access was ever issued. */
  bindingEvidence: BindingEvidence;
}

/** Where the attempt is kept and its agent awaited. What it cannot do interrupts the attempt. */
export interface AttemptStore {
  readonly begun?: AttemptStart;
  readonly played: AttemptProgress;
  readonly ended?: TimelineEnd;
  begin(begun: AttemptStart, world: WorldRef): Promise<void>;
  /** Tells that an agent is awaited, unless an earlier incarnation has; resolves when the interaction has ended and its access with it. */
  await(pending: PendingInteraction): Promise<AgentSubmission & Pick<WorkResult, 'unanswered'>>;
  keep(step: PlayedStep): Promise<void>;
  end(ended: TimelineEnd): Promise<TimelineEnd>;
  attached(): Promise<CapturedFile[]>;
}
export interface HostedPart {
  hostedRunId: string;
  runId: string;
  build: CompiledBuild;
  planned: PlayableDrill;
  numbers: AttemptNumbers;
  /** Every command of the attempt may be sent to it again: the world does each once. */
  world: WorldRef;
  store: AttemptStore;
  judgeExpression: ExpressionJudge;
  /** Where the service serves mounts of wire routes. */
  httpMounts: BindingsPort['httpMounts'];
  signal: AbortSignal;
  onBug: (bug: unknown, correlationId: string) => void;
}

export function hostedEnvironment(part: HostedPart): AttemptEnvironment {
  const { hostedRunId, runId, build, planned, numbers, world, store, judgeExpression, signal, onBug } = part;
  const refusal = refuseJudges(planned) ?? refuseMounts(planned, part.httpMounts);
  // The world outlives its runs, and keys live as long as the world.
  const once = (step: string): { operationKey: string } => ({ operationKey: `${hostedRunId} ${step}` });
  return {
    runId,
    build,
    planned,
    numbers,
    ...defined({ refusal }),
    judgeExpression: (text, view) => orInterruption(() => judgeExpression(text, view)),
    signal,
    onEvent: () => {},
    onBug,
    open: () => takeWorld({ world, store, planned, once }),
    agent: (_world, { virtualTimeUs }) => awaitedAgent(store, virtualTimeUs),
    once,
    progressStore: {
      keep: (step) => orInterruption(() => store.keep(step)),
      end: (ended) => orInterruption(() => store.end(ended)),
    },
    attached: () => orInterruption(() => store.attached()),
  };
}

async function takeWorld({
  world,
  store,
  planned,
  once,
}: Pick<HostedPart, 'world' | 'store' | 'planned'> & Pick<AttemptEnvironment, 'once'>): Promise<OpenedWorld> {
  if (store.begun === undefined) await world.query({ kind: 'checkTools' });
  const begun = store.begun ?? (await whereItStands(world));
  if (store.begun === undefined) await orInterruption(() => store.begin(begun, world));
  const { maxToolCalls, maxEvents } = planned.drill.timeline;
  const { toolCalls, eventsProcessed } = begun;
  // What the world did before this run is none of its business.
  const budgets = { maxToolCalls: maxToolCalls + toolCalls.attempted - toolCalls.rejected, maxEvents: maxEvents + eventsProcessed };
  await world.command({ kind: 'setBudgets', budgets, ...once('begin') });
  return { world, begun, played: store.played, ...defined({ ended: store.ended }) };
}

async function whereItStands(world: WorldRef): Promise<AttemptStart> {
  // A command, so that calls which were on their way when their access ended have been answered when it is.
  const { toolCalls, scheduledEvents } = await world.command({ kind: 'setBudgets', budgets: { maxToolCalls: null, maxEvents: null } });
  const { virtualTimeUs, evidenceSequence } = await world.query({ kind: 'position' });
  const { attempted, rejected } = toolCalls;
  return { virtualTimeUs, evidenceSequence, toolCalls: { attempted, rejected }, eventsProcessed: scheduledEvents.processed };
}

function awaitedAgent(store: AttemptStore, startUs: number): Agent {
  return {
    work: async ({ atUs, ...interaction }, { virtualTimeUs, toolCallsAtStart }): Promise<WorkResult> => {
      const pending: PendingInteraction = {
        schemaVersion: 1,
        interaction: { ...interaction, afterStartUs: atUs - startUs },
        scheduledAtVirtualUs: atUs,
        startedAtVirtualUs: virtualTimeUs,
        toolCallsAtStart,
      };
      const { bindingEvidence, unanswered, ...handedIn } = await orInterruption(() => store.await(pending));
      return { run: { ...handedIn, log: '', files: [], refusals: [] }, bindingEvidence, unanswered };
    },
    release: async () => {},
  };
}
