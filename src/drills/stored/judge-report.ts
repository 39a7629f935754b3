// A sealed run judged once more, with other assertions: from its report alone, no agent, no world. The same assertions give the same
// results.
//   JUDGE-REPORT-1. Each checkpoint is judged where the journal has it, with the entries, rows and outputs of that moment.
//   JUDGE-REPORT-2. What the report does not hold is inconclusive and says why; nothing is guessed.
import type { Drill } from '../../contract/run/drill.js';
import type { AssertionResult, CheckpointResult, InteractionResult, RunResult, Verdict } from '../../contract/run/run.js';
import type { RunReport } from '../../contract/run/run-events.js';
import { failedEventReason, inInteraction, resultVerdict, runVerdict } from '../../contract/run/verdict.js';
import type { EvidenceEntry, VerificationEntry } from '../../contract/world/evidence.js';
import type { RunView } from '../judge/finding.js';
import { Judge } from '../judge/judge.js';
import { RebuiltRows } from './rebuilt-rows.js';

export interface Judgement {
  verdict: Verdict;
  checkpoints: CheckpointResult[];
  assertionResults: AssertionResult[];
}

/** `entries`: the whole journal, in order. */
export async function judgeReport(
  { result, cutShort }: Pick<RunReport, 'result' | 'cutShort'>,
  entries: AsyncIterable<EvidenceEntry>,
  drill: Pick<Drill, 'assertions' | 'timeline'>,
): Promise<Judgement> {
  const judging = new Rejudging(result, drill, cutShort);
  for await (const entry of entries) await judging.take(entry);
  const { checkpoints, assertionResults } = judging;
  const verdict = resultVerdict({ status: result.status, assertionResults, checkpoints, interactions: result.interactions }, cutShort);
  return { verdict, checkpoints, assertionResults };
}

class Rejudging {
  readonly checkpoints: CheckpointResult[] = [];
  /** Empty where the run ended before it was judged. */
  assertionResults: AssertionResult[] = [];
  readonly #result: RunResult;
  readonly #drill: Pick<Drill, 'assertions' | 'timeline'>;
  readonly #cutShort: string | undefined;
  readonly #rows: RebuiltRows;
  readonly #final: Judge;
  readonly #invariants: Judge;
  #checkpointsSeen = 0;
  #failedEvent: string | undefined;

  constructor(result: RunResult, drill: Pick<Drill, 'assertions' | 'timeline'>, cutShort: string | undefined) {
    const judged = new Map(
      result.assertionResults.flatMap((assertion) => (assertion.judged === undefined ? [] : [[assertion.assertionId, assertion.judged]])),
    );
    const start = { startUs: result.startedAtVirtualUs, judged };
    this.#result = result;
    this.#drill = drill;
    this.#cutShort = cutShort;
    this.#rows = new RebuiltRows(result.setup.setup.scenario.state);
    this.#final = new Judge(drill.assertions, start);
    this.#invariants = new Judge(drill.timeline.invariants, start);
  }

  async take(entry: EvidenceEntry): Promise<void> {
    this.#rows.apply(entry);
    // A hosted world may have an incarnation before the run.
    if (entry.sequence < this.#result.evidenceRange.fromSequence) return;
    if (entry.kind === 'verification') await this.#judge(entry);
    if (entry.kind === 'event' && entry.phase === 'failed' && entry.scheduledEventId !== undefined)
      this.#failedEvent ??= failedEventReason(entry);
    this.#final.observe(entry);
    this.#invariants.observe(entry);
  }

  async #judge(entry: VerificationEntry): Promise<void> {
    const { interactions } = this.#result;
    if (entry.checkpointKind !== 'final') {
      this.#checkpointsSeen += 1;
      const isAtEnd = entry.checkpointKind === 'invariant';
      const known = this.#result.checkpoints.find(({ checkpointId }) => checkpointId === entry.checkpointId);
      const until = interactions.findIndex(({ interactionId }) => interactionId === known?.interactionId);
      const ended = isAtEnd ? interactions : interactions.slice(0, until + 1);
      const { checkpointId, checkpointKind: kind } = entry;
      const interaction = known?.interactionId === undefined ? {} : { interactionId: known.interactionId };
      await this.#check(
        { checkpointId, kind, ...interaction, virtualTimeUs: entry.virtualTimeUs },
        this.#view(ended),
        isAtEnd || this.#isStoppedIn(known?.interactionId) ? this.#cutShort : undefined,
      );
      return;
    }
    this.#rows.confirm(this.#result.stateHash);
    if (this.#checkpointsSeen === 0) await this.#checkUnrecorded(entry);
    this.assertionResults = await this.#final.results(this.#view(interactions), this.#cutShort);
  }

  /** What ended the timeline had happened before the checkpoint after this interaction, while its agent waited. */
  #isStoppedIn(interactionId = ''): boolean {
    const cutShort = this.#cutShort;
    return cutShort !== undefined && (cutShort === this.#failedEvent || cutShort.endsWith(`used up ${inInteraction(interactionId)}`));
  }

  /** The drill had no invariants when it ran: where it stood after each interaction was not written down. */
  async #checkUnrecorded({ virtualTimeUs }: VerificationEntry): Promise<void> {
    const { interactions } = this.#result;
    if (this.#drill.timeline.invariants.length === 0) return;
    for (const { interactionId, finishedAtVirtualUs } of interactions) {
      const results = this.#drill.timeline.invariants.map(({ id, kind, gate }): AssertionResult => {
        const message = `The run has no checkpoint after interaction ${interactionId}, as its drill had no invariants then.`;
        return { schemaVersion: 1, assertionId: id, kind, gate, message, status: 'inconclusive', evidenceSequences: [] };
      });
      const checkpoint = {
        checkpointId: `after-${interactionId}`,
        kind: 'after_interaction',
        interactionId,
        virtualTimeUs: finishedAtVirtualUs,
      } as const;
      this.checkpoints.push({ schemaVersion: 1, ...checkpoint, verdict: runVerdict(results), assertionResults: results });
    }
    await this.#check({ checkpointId: 'end', kind: 'invariant', virtualTimeUs }, this.#view(interactions), this.#cutShort);
  }

  async #check(
    checkpoint: Pick<CheckpointResult, 'checkpointId' | 'kind' | 'virtualTimeUs' | 'interactionId'>,
    view: RunView,
    cutShort: string | undefined,
  ): Promise<void> {
    if (this.#drill.timeline.invariants.length === 0) return;
    const assertionResults = await this.#invariants.results(view, cutShort);
    this.checkpoints.push({ schemaVersion: 1, ...checkpoint, verdict: runVerdict(assertionResults), assertionResults });
  }

  #view(interactions: readonly InteractionResult[]): RunView {
    return { ...this.#rows.view(), interactions };
  }
}
