// The timeline of one attempt, played in its world: the clock goes to each interaction's time, its target works, invariants are checked.
//   PLAY-1. What ends the timeline early is said once, in `cutShort`; it is undefined when the timeline was played to its horizon.
import { defined } from '../../contract/defined.js';
import type { CheckpointResult, InteractionResult } from '../../contract/run/run.js';
import type { RunEvent, UnansweredRequests } from '../../contract/run/run-events.js';
import { eventBudgetReason, failedEventReason, inInteraction, targetFailureReason } from '../../contract/run/verdict.js';
import type { BudgetUsage } from '../../contract/world/world-protocol.js';
import type { WorldRef } from '../../worlds/api.js';
import type { Judge } from '../judge/judge.js';
import { runViewOf } from '../judge/state-view.js';
import type { PlayableDrill } from '../plan/plan.js';
import { layTimeline, type PlannedInteraction } from '../plan/timeline.js';
import type {
  Agent,
  AttemptProgress,
  OnceGuard,
  PlayedStep,
  ProgressStore,
  StepPosition,
  StepStart,
  TimelineEnd,
  WorkResult,
} from './attempt-environment.js';
import type { Capture } from './capture.js';
import type { RunJournal } from './journal.js';
import { joinUnanswered } from './unanswered.js';
import { type Checkpoint, recordVerdict } from './verdicts-in-evidence.js';

/** The attempt's world and what observes it. */
export interface Stage {
  runId: string;
  planned: PlayableDrill;
  world: WorldRef;
  journal: RunJournal;
  invariants: Judge;
  capture: Capture;
  agent: Agent;
  /** Where the world stood when the attempt began. */
  begun: StepPosition;
  /** Aborted when the run is cancelled. */
  signal: AbortSignal;
  onEvent: (event: RunEvent) => void;
  once: OnceGuard;
  progressStore?: ProgressStore;
}

export class Play {
  readonly interactions: InteractionResult[] = [];
  readonly checkpoints: CheckpointResult[] = [];
  readonly #stage: Stage;
  #mark: StepPosition;
  #cutShort: string | undefined;
  #cancelled = false;
  #unanswered: UnansweredRequests = { requests: [], left: 0 };

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#mark = stage.begun;
  }

  get cutShort(): string | undefined {
    return this.#cutShort;
  }

  /** The run's signal ended the timeline. */
  get cancelled(): boolean {
    return this.#cancelled;
  }

  /** What no route answered, of all interactions. */
  get unanswered(): UnansweredRequests {
    return this.#unanswered;
  }

  /** The first reason stands. */
  cut(reason: string): void {
    this.#cutShort ??= reason;
  }

  /** To the horizon, or to what stops it. */
  async run({ steps, started }: AttemptProgress): Promise<void> {
    const { planned, begun, journal } = this.#stage;
    const timeline = layTimeline(planned.drill, begun.virtualTimeUs);
    let goesOn = true;
    for (const step of steps) {
      this.interactions.push(step.interaction);
      goesOn = this.#take(step);
    }
    if (steps.length > 0 || started !== undefined) await journal.catchUp();
    let underWay = started;
    for (const interaction of goesOn ? timeline.slice(steps.length) : []) {
      underWay ??= await this.#start(interaction);
      if (underWay === undefined) return;
      goesOn = this.#take(await this.#interact(interaction, underWay));
      if (!goesOn) return;
      underWay = undefined;
    }
    if (goesOn) await this.#advanceTo(begun.virtualTimeUs + planned.drill.timeline.horizonUs, 'horizon');
  }

  /** Of a timeline that an earlier incarnation has ended. */
  recall(steps: readonly PlayedStep[]): void {
    for (const { interaction, checkpoint } of steps) {
      this.interactions.push(interaction);
      if (checkpoint !== undefined) this.checkpoints.push(checkpoint);
    }
  }
  endAs({ cancelled, cutShort }: TimelineEnd): void {
    this.#cutShort = cutShort;
    if (cancelled) this.#cancel();
  }

  /** Before the end is judged: a wait can outlive its agent. */
  cutIfStopped({ scheduledEvents }: BudgetUsage): void {
    const stopped = this.#whyStopped(scheduledEvents.exhausted, `at ${this.#stage.journal.virtualTimeUs} us`);
    if (stopped !== undefined) this.cut(stopped);
  }

  async checkAtEnd(): Promise<void> {
    const checkpoint = await this.#checkInvariants({ checkpointId: 'end', kind: 'invariant' }, this.#cutShort);
    if (checkpoint !== undefined) this.checkpoints.push(checkpoint);
  }

  async #checkInvariants(checkpoint: Checkpoint & { interactionId?: string }, cutShort?: string): Promise<CheckpointResult | undefined> {
    const { planned, world, journal, invariants, once } = this.#stage;
    if (planned.drill.timeline.invariants.length === 0) return undefined;
    const assertionResults = await invariants.results(runViewOf(world, this.interactions), cutShort);
    const verdict = await recordVerdict(world, checkpoint, assertionResults, once);
    return { schemaVersion: 1, ...checkpoint, virtualTimeUs: journal.virtualTimeUs, verdict, assertionResults };
  }

  /** When the clock is at the interaction's time; undefined when it does not get there. */
  async #start({ id, atUs }: PlannedInteraction): Promise<StepStart | undefined> {
    const { journal, begun } = this.#stage;
    const from = this.#mark;
    if (!(await this.#advanceTo(atUs, `interaction ${id}`))) return undefined;
    const virtualTimeUs = Math.max(from.virtualTimeUs, journal.virtualTimeUs);
    return { virtualTimeUs, toolCallsAtStart: from.toolCalls.attempted - begun.toolCalls.attempted };
  }

  /** Whether the clock got there. An agent that waited may have moved it further already. */
  async #advanceTo(targetUs: number, goal: string): Promise<boolean> {
    const { planned, world, journal, begun, signal, once } = this.#stage;
    if (signal.aborted) return this.#cancel();
    // As the last step left it, not as it is: an advance that was interrupted has moved the clock and not ended.
    if (targetUs <= this.#mark.virtualTimeUs) return true;
    const { timeline } = planned.drill;
    const maxEvents = Math.max(0, timeline.maxEvents - (this.#mark.eventsProcessed - begun.eventsProcessed));
    const advanced = await world.command({ kind: 'advance', targetUs, maxEvents, ...once(`advance to ${goal}`) }, { signal });
    await journal.catchUp();
    if (advanced.status === 'cancelled') return this.#cancel();
    const stopped = this.#whyStopped(advanced.eventBudgetExhausted, `at ${advanced.reachedUs} us`);
    if (stopped !== undefined) this.cut(stopped);
    return stopped === undefined;
  }

  /**
   * What has happened in the world, as far as its journal was read, after which nothing is played: in an advance of the timeline or in an
   * agent's wait. `when`: of the end of the budget, for the message.
   */
  #whyStopped(isBudgetUsedUp: boolean, when: string): string | undefined {
    const { planned, journal } = this.#stage;
    const { failedEvent } = journal;
    if (failedEvent !== undefined) return failedEventReason(failedEvent);
    return isBudgetUsedUp ? eventBudgetReason(planned.drill.timeline.maxEvents, when) : undefined;
  }

  async #interact(interaction: PlannedInteraction, started: StepStart): Promise<PlayedStep> {
    const { capture, agent, progressStore, begun, planned } = this.#stage;
    this.#tell(interaction, 'started');
    const workResult = await agent.work(interaction, started);
    const { mark, isBudgetUsedUp } = await this.#markNow();
    const stopped = this.#whyStopped(isBudgetUsedUp, inInteraction(interaction.id));
    capture.add(interaction.id, workResult.run);
    this.#unanswered = joinUnanswered([this.#unanswered, workResult.unanswered]);
    const played = interactionResult(interaction, { workResult, started, mark, begun });
    this.interactions.push(played);
    this.#tell(interaction, 'finished', workResult.run);
    const checkpoint = await this.#checkInvariants(
      { checkpointId: `after-${interaction.id}`, kind: 'after_interaction', interactionId: interaction.id },
      // Whose agent failed has that for its end, and what stood then is judged.
      workResult.run.status !== 'completed' && planned.drill.timeline.stopOnTargetFailure ? undefined : stopped,
    );
    const step: PlayedStep = { interaction: played, mark, ...defined({ checkpoint, stopped }) };
    await progressStore?.keep(step);
    return step;
  }

  /** Whether the timeline continues after it. */
  #take({ interaction, checkpoint, mark, stopped }: PlayedStep): boolean {
    const { timeline } = this.#stage.planned.drill;
    if (checkpoint !== undefined) this.checkpoints.push(checkpoint);
    this.#mark = mark;
    const { interactionId } = interaction;
    const { status } = interaction.targetResult;
    if (status === 'cancelled') return this.#cancel();
    if (status !== 'completed' && timeline.stopOnTargetFailure) {
      this.cut(targetFailureReason(interaction));
    } else if (stopped !== undefined) {
      this.cut(stopped);
    } else if (checkpoint?.verdict === 'failed' && timeline.stopOnInvariantFailure) {
      this.cut(`an invariant did not hold after interaction ${interactionId}`);
    }
    return this.#cutShort === undefined;
  }

  /** Where its world stands, whose journal is then read. */
  async #markNow(): Promise<{ mark: StepPosition; isBudgetUsedUp: boolean }> {
    const { world, journal } = this.#stage;
    // Asked together, they cross to the world's host and back once.
    const [{ toolCalls, scheduledEvents }] = await Promise.all([world.query({ kind: 'budgets' }), journal.catchUp()]);
    const { attempted, rejected } = toolCalls;
    const { processed: eventsProcessed, exhausted: isBudgetUsedUp } = scheduledEvents;
    return { mark: { virtualTimeUs: journal.virtualTimeUs, toolCalls: { attempted, rejected }, eventsProcessed }, isBudgetUsedUp };
  }

  #cancel(): false {
    this.#cancelled = true;
    this.cut('the run was cancelled');
    return false;
  }

  #tell({ id }: PlannedInteraction, phase: 'started' | 'finished', run?: WorkResult['run']): void {
    const { runId, onEvent, planned } = this.#stage;
    const { status, error } = run ?? {};
    const why = error === undefined ? {} : { error: { code: error.code, message: error.message } };
    const ending = status === undefined ? {} : { status, ...why };
    onEvent({ event: 'interaction', runId, drillId: planned.drill.id, interactionId: id, phase, ...ending });
  }
}

function interactionResult(
  { id, actorId, actorInstanceId, task, atUs }: PlannedInteraction,
  { workResult, started, mark, begun }: { workResult: WorkResult; started: StepStart; mark: StepPosition; begun: StepPosition },
): InteractionResult {
  const { run, bindingEvidence } = workResult;
  // An incarnation that ended in the midst of it has forgotten what its access saw; the world has not.
  const called = mark.toolCalls.attempted - begun.toolCalls.attempted > started.toolCallsAtStart;
  return {
    schemaVersion: 1,
    interactionId: id,
    actorId,
    ...defined({ actorInstanceId }),
    task,
    scheduledAtVirtualUs: atUs,
    startedAtVirtualUs: started.virtualTimeUs,
    finishedAtVirtualUs: mark.virtualTimeUs,
    bindingEvidence: called ? 'observed' : bindingEvidence,
    targetResult: {
      schemaVersion: 1,
      status: run.status,
      // Named once the verdict has said what is kept (attempt-result.ts).
      attachments: [],
      ...defined({ output: run.output, error: run.error, usage: run.usage }),
    },
  };
}
