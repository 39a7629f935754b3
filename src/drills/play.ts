// The timeline of one attempt, played in its world: the clock goes to each interaction's time, its target works, invariants are checked.
//   P1. What ends the timeline early is said once, in `cutShort`; it is undefined when the timeline was played to its horizon.
import { counted } from '../contract/counted.js';
import type { CheckpointResult, InteractionResult } from '../contract/run.js';
import type { AdvanceResult } from '../contract/world-protocol.js';
import type { WorldRef } from '../worlds/api.js';
import type { AttemptContext } from './attempt-context.js';
import type { Capture } from './capture.js';
import { playInteraction } from './interaction.js';
import type { Journal } from './journal.js';
import type { Judge } from './judge/judge.js';
import { stateViewOf } from './judge/state-view.js';
import type { PlannedDrill } from './plan.js';
import type { TargetRun, TargetRunner } from './targets/target-run.js';
import { layTimeline, type PlannedInteraction } from './timeline.js';
import { type Checkpoint, recordVerdict } from './verdicts-in-evidence.js';

/** The attempt's world and who looks at it. */
export interface Stage {
  runId: string;
  context: AttemptContext;
  planned: PlannedDrill;
  world: WorldRef;
  journal: Journal;
  invariants: Judge;
  capture: Capture;
}

export class Play {
  readonly interactions: InteractionResult[] = [];
  readonly checkpoints: CheckpointResult[] = [];
  readonly #stage: Stage;
  #cutShort: string | undefined;
  #cancelled = false;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  get cutShort(): string | undefined {
    return this.#cutShort;
  }

  /** The run's signal ended the timeline. */
  get cancelled(): boolean {
    return this.#cancelled;
  }

  /** The first reason stands. */
  cut(reason: string): void {
    this.#cutShort ??= reason;
  }

  /** To the horizon, or to what stops it. */
  async run(runner: TargetRunner): Promise<void> {
    const { planned } = this.#stage;
    const startUs = planned.setup.virtualTimeUs;
    for (const interaction of layTimeline(planned.drill, startUs)) {
      if (!(await this.#advanceTo(interaction.atUs)) || !(await this.#interact(interaction, runner))) return;
    }
    await this.#advanceTo(startUs + planned.drill.timeline.horizonUs);
  }

  async checkInvariants(checkpoint: Checkpoint & { interactionId?: string }, cutShort?: string): Promise<boolean> {
    const { planned, world, journal, invariants } = this.#stage;
    if (planned.drill.timeline.invariants.length === 0) return true;
    const assertionResults = await invariants.results(stateViewOf(world), cutShort);
    const verdict = await recordVerdict(world, checkpoint, assertionResults);
    this.checkpoints.push({ schemaVersion: 1, ...checkpoint, virtualTimeUs: journal.virtualTimeUs, verdict, assertionResults });
    return verdict !== 'failed';
  }

  /** Whether the clock got there. An agent that waited may have moved it further already. */
  async #advanceTo(targetUs: number): Promise<boolean> {
    const { planned, world, journal, context } = this.#stage;
    if (context.signal.aborted) return this.#cancel();
    if (targetUs <= journal.virtualTimeUs) return true;
    const { limit, processed } = (await world.query({ kind: 'budgets' })).scheduledEvents;
    const maxEvents = Math.max(0, (limit ?? planned.drill.timeline.maxEvents) - processed);
    const advanced = await world.command({ kind: 'advance', targetUs, maxEvents }, { signal: context.signal });
    await journal.catchUp();
    if (advanced.status === 'cancelled') return this.#cancel();
    const stopped = whyStopped(advanced, planned.drill.timeline.maxEvents);
    if (stopped !== undefined) this.cut(stopped);
    return stopped === undefined;
  }

  /** Whether the timeline goes on. */
  async #interact(interaction: PlannedInteraction, runner: TargetRunner): Promise<boolean> {
    const { runId, context, planned, world, journal, capture } = this.#stage;
    const { timeline } = planned.drill;
    const startedAtUs = journal.virtualTimeUs;
    this.#tell(interaction, 'started');
    const { run, observed } = await playInteraction(context, {
      runId,
      drill: planned.drill,
      target: planned.target,
      planned: interaction,
      world,
      runner,
      startedAtUs,
    });
    await journal.catchUp();
    capture.add(interaction.id, run);
    this.interactions.push(interactionResult(interaction, { run, observed, startedAtUs, finishedAtUs: journal.virtualTimeUs }));
    this.#tell(interaction, 'finished', run.status);
    const holds = await this.checkInvariants({ checkpointId: `after-${interaction.id}`, kind: 'after_interaction', interactionId: interaction.id });
    if (run.status === 'cancelled') return this.#cancel();
    if (run.status !== 'completed' && timeline.stopOnTargetFailure) {
      this.cut(`the target ${run.status.replace('_', ' ')} in interaction ${interaction.id} (${run.error?.code ?? 'no reason given'})`);
    } else if (!holds && timeline.stopOnInvariantFailure) {
      this.cut(`an invariant did not hold after interaction ${interaction.id}`);
    }
    return this.#cutShort === undefined;
  }

  #cancel(): false {
    this.#cancelled = true;
    this.cut('the run was cancelled');
    return false;
  }

  #tell({ id }: PlannedInteraction, phase: 'started' | 'finished', status?: string): void {
    const { runId, context, planned } = this.#stage;
    const told = status === undefined ? {} : { status };
    context.onEvent({ event: 'interaction', runId, drillId: planned.drill.id, interactionId: id, phase, ...told });
  }
}

function whyStopped({ failure, eventBudgetExhausted, reachedUs }: AdvanceResult, maxEvents: number): string | undefined {
  if (failure !== undefined) return `a scheduled event failed at ${reachedUs} us (${failure.code}: ${failure.message})`;
  if (eventBudgetExhausted) return `the budget of ${counted(maxEvents, 'scheduled event')} was used up at ${reachedUs} us`;
  return undefined;
}

function interactionResult(
  { id, actorId, actorInstanceId, task, atUs }: PlannedInteraction,
  { run, observed, startedAtUs, finishedAtUs }: { run: TargetRun; observed: boolean; startedAtUs: number; finishedAtUs: number },
): InteractionResult {
  return {
    schemaVersion: 1,
    interactionId: id,
    actorId,
    ...(actorInstanceId === undefined ? {} : { actorInstanceId }),
    task,
    scheduledAtVirtualUs: atUs,
    startedAtVirtualUs: startedAtUs,
    finishedAtVirtualUs: finishedAtUs,
    bindingEvidence: observed ? 'observed' : 'issued',
    targetResult: {
      schemaVersion: 1,
      status: run.status,
      // Named once the verdict has said what is kept (attempt-result.ts).
      attachments: [],
      ...(run.output === undefined ? {} : { output: run.output }),
      ...(run.error === undefined ? {} : { error: run.error }),
    },
  };
}
