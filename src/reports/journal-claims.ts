// What the journal says of its run that the report says too: of what its world was made, and what was judged. The two must agree, so that
// neither can be changed without the evidence hash.
//   JOURNAL-CLAIMS-1. Every judgement of the run is in the report as the journal has it, and the report has no other. A judgement before
//     the report's range is of an earlier run only if the world was reset after it.
//   JOURNAL-CLAIMS-2. Build, setup, seed and world are those of which the journal says the world was made.
import { canonicalJson } from '../contract/canonical-json.js';
import type { JsonValue } from '../contract/json.js';
import type { CheckpointResult, RunIdentity } from '../contract/run/run.js';
import type { RunReport } from '../contract/run/run-events.js';
import { runVerdict } from '../contract/run/verdict.js';
import type { EvidenceEntry, VerificationEntry } from '../contract/world/evidence.js';
import { worldTag } from './compared-values.js';
import { evidenceFile, reportFile } from './report-folder.js';
import type { ReportProblems } from './report-problems.js';

type Judgement = Pick<CheckpointResult, 'checkpointId' | 'kind' | 'verdict' | 'assertionResults'>;

export class JournalClaims {
  readonly #report: Pick<RunReport, 'result' | 'invocation'>;
  readonly #judged = new Map<string, VerificationEntry>();
  #first: EvidenceEntry | undefined;

  constructor(report: Pick<RunReport, 'result' | 'invocation'>) {
    this.#report = report;
  }

  append(entry: EvidenceEntry): void {
    this.#first ??= entry;
    const { fromSequence } = this.#report.result.evidenceRange;
    if (entry.kind === 'verification') this.#judged.set(keyOf({ ...entry, kind: entry.checkpointKind }), entry);
    // A run holds its world until a reset, so none is in the midst of one, and each run after the first begins behind one.
    else if (entry.kind === 'lifecycle' && entry.phase === 'world_reset' && entry.sequence < fromSequence) this.#judged.clear();
  }

  verify(problems: ReportProblems): void {
    if (this.#first !== undefined) {
      this.#verifyIdentity(this.#first, problems);
      this.#verifyJudgements(problems);
    } else if (this.#report.result.status === 'sealed') {
      problems.add(evidenceFile, 'EVIDENCE_RANGE_MISMATCH', 'is empty; the journal of a sealed run says what was judged');
    }
  }

  #verifyIdentity(first: EvidenceEntry, problems: ReportProblems): void {
    const { result, invocation } = this.#report;
    const { identity } = result;
    const add = (message: string): void => problems.add(reportFile, 'IDENTITY_MISMATCH', message);
    if (!first.transactionId.startsWith(`txn_${worldTag(identity.worldInstanceId)}`))
      add(`is of the world ${identity.worldInstanceId}; the journal is of another`);
    // A fork begins in the journal of its parent, which says of what it was made.
    if (first.kind === 'lifecycle' && first.phase === 'world_forked') return;
    if (first.kind !== 'lifecycle' || first.phase !== 'world_created') {
      problems.add(evidenceFile, 'IDENTITY_MISMATCH', 'does not begin with the making of a world');
      return;
    }
    // Which trial and attempt a hosted run is, its client says; its world is made before, mostly as the first of both.
    const held = ['buildHash', 'setupHash', 'seed', ...(invocation === undefined ? [] : ['trial', 'attempt'])] as (keyof RunIdentity)[];
    for (const name of held) {
      const made = first.details[name];
      if (made !== identity[name]) add(`has the ${name} ${identity[name]}; the journal says that its world was made with ${made}`);
    }
  }

  #verifyJudgements(problems: ReportProblems): void {
    const { status, checkpoints, assertionResults, evidenceRange } = this.#report.result;
    const add = (message: string): void => problems.add(reportFile, 'VERDICT_MISMATCH', message);
    const final: Judgement = { checkpointId: 'final', kind: 'final', verdict: runVerdict(assertionResults), assertionResults };
    const left = new Map(this.#judged);
    for (const judgement of [...checkpoints, final]) {
      const recorded = this.#judged.get(keyOf(judgement))?.result;
      left.delete(keyOf(judgement));
      if (recorded !== undefined && canonicalJson(recorded as unknown as JsonValue) === canonicalJson(recordOf(judgement))) continue;
      add(`its verdict${placeOf(judgement)} is not what the journal ${recorded === undefined ? 'has: it has none' : 'has'}`);
    }
    for (const { checkpointId, checkpointKind: kind, result } of left.values()) {
      // A run that failed as it wrote a judgement down may not know that the journal has it; it never passes.
      if (status !== 'sealed' && result.verdict !== 'failed') continue;
      add(`leaves out the verdict ${result.verdict} that the journal has${placeOf({ checkpointId, kind })}`);
    }
    const hidden = [...this.#judged.values()].find(({ sequence }) => sequence < evidenceRange.fromSequence);
    if (hidden === undefined) return;
    problems.add(
      evidenceFile,
      'EVIDENCE_RANGE_MISMATCH',
      `has a judgement of the run in entry ${hidden.sequence}; the report says that the run begins at ${evidenceRange.fromSequence}`,
    );
  }
}

const keyOf = ({ kind, checkpointId }: Pick<Judgement, 'kind' | 'checkpointId'>): string => `${kind} ${checkpointId}`;

const placeOf = ({ kind, checkpointId }: Pick<Judgement, 'kind' | 'checkpointId'>): string =>
  kind === 'final' ? '' : ` at checkpoint ${checkpointId}`;

function recordOf({ verdict, assertionResults }: Judgement): JsonValue {
  return { verdict, assertions: assertionResults.map(({ assertionId, status, gate }) => ({ assertionId, status, gate })) };
}
