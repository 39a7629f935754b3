// One attempt: its timeline played in its world, judged, sealed. Where the world comes from and who the agent is, its environment says.
//   ATTEMPT-1. Every attempt has a result; `play` rejects only with an Interruption, and for bugs in putting it
//     together.
//   ATTEMPT-2. Interrupted at any moment and played again in the same environment, it does every step once and comes to the same result.
// Of several failures the first is reported.
import { defined } from '../../contract/defined.js';
import type { RunError, RunResult } from '../../contract/run/run.js';
import type { UnansweredRequests } from '../../contract/run/run-events.js';
import type { ToolFailureReport, ToolThrow } from '../../contract/world/tool-failure.js';
import { counted } from '../../text/counted.js';
import type { WorldRef } from '../../worlds/api.js';
import { Judge } from '../judge/judge.js';
import { runViewOf } from '../judge/state-view.js';
import { refuseTimeline } from '../plan/plan.js';
import { runError, runErrorForOthers, runErrorFrom } from '../ports/run-error.js';
import type { Agent, AttemptEnvironment, AttemptStart, OpenedWorld, TimelineEnd } from './attempt-environment.js';
import { attemptResult, type ResultParts, type SealedWorld } from './attempt-result.js';
import { Capture, type CaptureOutcome } from './capture.js';
import { Interruption } from './interruption.js';
import { RunJournal } from './journal.js';
import { Play } from './play.js';
import { runIdentity, runSetup } from './run-setup.js';
import { ToolFailures } from './tool-failures.js';
import { recordVerdict } from './verdicts-in-evidence.js';

export interface PlayedAttempt {
  result: RunResult;
  captured: CaptureOutcome;
  /** Absent when no world could be opened. */
  world?: WorldRef;
  journal?: RunJournal;
  /** Why its timeline ended before its time. */
  cutShort?: string;
  /** Tool code that broke. */
  toolFailures?: ToolFailureReport[];
  /** What no wire route answered, where there was any. */
  unanswered?: UnansweredRequests;
}

export class Attempt {
  readonly #environment: AttemptEnvironment;
  readonly #capture: Capture;
  #failure: RunError | undefined;

  constructor(environment: AttemptEnvironment) {
    this.#environment = environment;
    this.#capture = new Capture(environment.planned.drill.capture);
  }

  async play(): Promise<PlayedAttempt> {
    const opened = await this.#orFailure(() => this.#environment.open());
    if (opened === undefined) return this.#result({ worldInstanceId: '', interactions: [], checkpoints: [], cancelled: false });
    const { world, begun } = opened;
    const { planned, judgeExpression, judgeModule } = this.#environment;
    const startUs = begun.virtualTimeUs;
    const start = { startUs, ...defined({ judgeExpression, judgeModule }) };
    const final = new Judge(planned.drill.assertions, start);
    const invariants = new Judge(planned.drill.timeline.invariants, start);
    const toolFailures = new ToolFailures();
    const journal = new RunJournal(world, {
      begun,
      observe: (entry) => {
        toolFailures.observe(entry);
        final.observe(entry);
        invariants.observe(entry);
      },
    });
    const play = await this.#playOut(opened, { journal, invariants });
    const sealed = await this.#orFailure(() => this.#seal(world, { play, journal, final, begun }));
    const { worldInstanceId } = world;
    const { interactions, checkpoints, cancelled } = play;
    for (const attached of (await this.#environment.attached?.()) ?? []) this.#capture.attach(attached);
    return {
      world,
      journal,
      ...defined({ cutShort: play.cutShort }),
      ...(toolFailures.isEmpty ? {} : { toolFailures: toolFailures.list(await thrownIn(world)) }),
      ...(play.unanswered.requests.length === 0 ? {} : { unanswered: play.unanswered }),
      ...this.#result({ worldInstanceId, interactions, checkpoints, cancelled, begun, ...defined({ sealed, cutShort: play.cutShort }) }),
    };
  }

  async #playOut(opened: OpenedWorld, parts: { journal: RunJournal; invariants: Judge }): Promise<Play> {
    const { world, begun, played = { steps: [] }, ended } = opened;
    const { runId, planned, signal, onEvent, once, progressStore } = this.#environment;
    // A session's world may be further on than the setup of the drill.
    const refusal = refuseTimeline(planned, begun.virtualTimeUs) ?? this.#environment.refusal;
    const capture = this.#capture;
    const unheard: Agent = { work: () => Promise.reject(new Error('nothing is played any more')), release: async () => {} };
    const agent = refusal === undefined && ended === undefined ? this.#environment.agent(world, begun) : unheard;
    const stage = {
      runId,
      planned,
      world,
      capture,
      agent,
      begun,
      signal,
      onEvent,
      once,
      ...parts,
      ...defined({ progressStore }),
    };
    const play = new Play(stage);
    this.#failure = refusal ?? ended?.failure;
    try {
      if (ended !== undefined) play.recall(played.steps);
      else if (refusal === undefined) await this.#orFailure(() => play.run(played));
    } finally {
      await agent.release();
    }
    if (this.#failure !== undefined) play.cut(`the run failed (${this.#failure.code})`);
    const stands = ended ?? (await progressStore?.end(endOf(play, this.#failure)));
    if (stands !== undefined) play.endAs(stands);
    return play;
  }

  /** Judges, records the verdict and closes the world; from here on its journal does not grow. */
  async #seal(world: WorldRef, { play, journal, final, begun }: Sealing): Promise<SealedWorld> {
    const { once } = this.#environment;
    const [budgets] = await Promise.all([world.query({ kind: 'budgets' }), journal.catchUp()]);
    play.cutIfStopped(budgets);
    const { maxToolCalls } = this.#environment.planned.drill.timeline;
    const rejected = budgets.toolCalls.rejected - begun.toolCalls.rejected;
    if (rejected > 0)
      play.cut(
        `${counted(rejected, 'call')} ${rejected === 1 ? 'was' : 'were'} refused, because the budget of ${counted(maxToolCalls, 'tool call')} was used up`,
      );
    await play.checkAtEnd();
    const assertionResults = await final.results(runViewOf(world, play.interactions), play.cutShort);
    await recordVerdict(world, { checkpointId: 'final', kind: 'final' }, assertionResults, once);
    const { position } = await world.command({ kind: 'close', ...once('close') });
    await journal.catchUp();
    return { assertionResults, position, budgets, trajectoryHash: journal.trajectoryHash() };
  }

  #result({ worldInstanceId, cancelled, ...played }: PlayedParts): { result: RunResult; captured: CaptureOutcome } {
    const { build, planned, runId, numbers } = this.#environment;
    const status = this.#failure !== undefined ? 'runner_failed' : cancelled ? 'cancelled' : 'sealed';
    const failure = this.#failure ?? (status === 'cancelled' ? runError('framework.CANCELLED', 'The run was cancelled.') : undefined);
    return attemptResult({
      ...played,
      identity: { ...runIdentity(build, planned, { runId, numbers }), worldInstanceId },
      setup: runSetup(build, planned),
      planned,
      capture: this.#capture,
      status,
      ...defined({ failure }),
    });
  }

  async #orFailure<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Interruption) throw error;
      this.#failure ??= this.#environment.onBug === undefined ? runErrorFrom(error) : runErrorForOthers(error, this.#environment.onBug);
      return undefined;
    }
  }
}

/** Known as long as the world stays in memory. */
async function thrownIn(world: WorldRef): Promise<ToolThrow[]> {
  return await world.query({ kind: 'throws' }).catch(() => []);
}

interface Sealing {
  play: Play;
  journal: RunJournal;
  final: Judge;
  begun: AttemptStart;
}
type PlayedParts = Pick<ResultParts, 'interactions' | 'checkpoints' | 'sealed' | 'begun' | 'cutShort'> & {
  worldInstanceId: string;
  cancelled: boolean;
};

function endOf({ cancelled, cutShort }: Play, failure: RunError | undefined): TimelineEnd {
  return { cancelled, ...defined({ cutShort, failure }) };
}
