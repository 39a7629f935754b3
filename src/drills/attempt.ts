// One attempt: a world of its own, its timeline played, judged, sealed.
//   T1. Whatever happens, there is a result; `play` rejects only for bugs in putting it together.
//   T2. Of several failures the first is told.
import { counted } from '../contract/counted.js';
import { newId } from '../contract/ids.js';
import type { RunError, RunResult } from '../contract/run.js';
import type { WorldRef } from '../worlds/api.js';
import type { AttemptContext } from './attempt-context.js';
import { attemptResult, type ResultParts, type SealedWorld } from './attempt-result.js';
import { Capture, type Captured } from './capture.js';
import { Journal } from './journal.js';
import { Judge } from './judge/judge.js';
import { stateViewOf } from './judge/state-view.js';
import type { PlannedDrill, PlannedTrial } from './plan.js';
import { Play } from './play.js';
import { runError, runErrorFrom } from './run-error.js';
import { runIdentity, runSetup } from './run-setup.js';
import { recordVerdict } from './verdicts-in-evidence.js';

export interface PlayedAttempt {
  result: RunResult;
  captured: Captured;
  /** Absent when no world could be made. */
  world?: WorldRef;
  journal?: Journal;
}

export class Attempt {
  readonly runId = newId('run');
  readonly #context: AttemptContext;
  readonly #planned: PlannedDrill;
  readonly #trial: PlannedTrial;
  readonly #attempt: number;
  readonly #capture = new Capture();
  #failure: RunError | undefined;

  constructor(context: AttemptContext, { planned, trial, attempt }: { planned: PlannedDrill; trial: PlannedTrial; attempt: number }) {
    this.#context = context;
    this.#planned = planned;
    this.#trial = trial;
    this.#attempt = attempt;
  }

  async play(): Promise<PlayedAttempt> {
    const world = await this.#orFailure(() => this.#createWorld());
    if (world === undefined) return this.#result({ worldInstanceId: '', interactions: [], checkpoints: [], cancelled: false });
    const final = new Judge(this.#planned.drill.assertions);
    const invariants = new Judge(this.#planned.drill.timeline.invariants);
    const journal = new Journal(world, {
      startUs: this.#planned.setup.virtualTimeUs,
      observe: (entry) => {
        final.observe(entry);
        invariants.observe(entry);
      },
    });
    const { runId } = this;
    const play = new Play({ runId, context: this.#context, planned: this.#planned, world, journal, invariants, capture: this.#capture });
    await this.#orFailure(() => this.#playOut(play));
    if (this.#failure !== undefined) play.cut(`the run failed (${this.#failure.code})`);
    const sealed = await this.#orFailure(() => this.#seal(world, { play, journal, final }));
    const { worldInstanceId } = world;
    const { interactions, checkpoints, cancelled } = play;
    return {
      world,
      journal,
      ...this.#result({ worldInstanceId, interactions, checkpoints, cancelled, ...(sealed === undefined ? {} : { sealed }) }),
    };
  }

  #createWorld(): Promise<WorldRef> {
    const { build, worlds } = this.#context;
    const { drill, setup, setupHash } = this.#planned;
    return worlds.create({
      worldId: this.runId,
      build,
      setup,
      setupHash,
      seed: { seed: this.#trial.seed, trial: this.#trial.trial, attempt: this.#attempt },
      budgets: { maxToolCalls: drill.timeline.maxToolCalls, maxEvents: drill.timeline.maxEvents },
    });
  }

  async #playOut(play: Play): Promise<void> {
    const { target, refusal } = this.#planned;
    this.#failure = refusal;
    if (refusal !== undefined) return;
    const runner = this.#context.targets.runnerFor(target);
    try {
      await play.run(runner);
    } finally {
      await runner.release();
    }
  }

  /** Judges, records the verdict and closes the world; from here on its journal does not grow. */
  async #seal(world: WorldRef, { play, journal, final }: { play: Play; journal: Journal; final: Judge }): Promise<SealedWorld> {
    const budgets = await world.query({ kind: 'budgets' });
    const { limit, rejected } = budgets.toolCalls;
    if (rejected > 0)
      play.cut(
        `${counted(rejected, 'call')} ${rejected === 1 ? 'was' : 'were'} refused, because the budget of ${counted(limit ?? 0, 'tool call')} was used up`,
      );
    await journal.catchUp();
    await play.checkInvariants({ checkpointId: 'end', kind: 'invariant' }, play.cutShort);
    const assertionResults = await final.results(stateViewOf(world), play.cutShort);
    await recordVerdict(world, { checkpointId: 'final', kind: 'final' }, assertionResults);
    const { position } = await world.command({ kind: 'close' });
    await journal.catchUp();
    return { assertionResults, position, budgets, trajectoryHash: journal.trajectoryHash() };
  }

  #result({
    worldInstanceId,
    cancelled,
    ...played
  }: Pick<ResultParts, 'interactions' | 'checkpoints' | 'sealed'> & { worldInstanceId: string; cancelled: boolean }) {
    const { build } = this.#context;
    const status = this.#failure !== undefined ? 'runner_failed' : cancelled ? 'cancelled' : 'sealed';
    const failure = this.#failure ?? (status === 'cancelled' ? runError('framework.CANCELLED', 'The run was cancelled.') : undefined);
    return attemptResult({
      ...played,
      identity: { ...runIdentity(build, this.#planned, this.#trial, { runId: this.runId, attempt: this.#attempt }), worldInstanceId },
      setup: runSetup(build, this.#planned),
      planned: this.#planned,
      capture: this.#capture,
      status,
      ...(failure === undefined ? {} : { failure }),
    });
  }

  async #orFailure<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.#failure ??= runErrorFrom(error);
      return undefined;
    }
  }
}
