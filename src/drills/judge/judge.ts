// Judges assertions over one run: its journal, rows and outputs. Pure but for the reading: the same run gives the same results.
//   JUDGE-1. When the run was cut short, only findings that further evidence could not change keep their status; the others are
//     inconclusive.
// Every entry is observed once, in order, whatever the number of assertions.
import { isServiceError } from '../../contract/errors.js';
import type { Assertion } from '../../contract/run/assertion.js';
import type { AssertionResult } from '../../contract/run/run.js';
import type { EvidenceEntry } from '../../contract/world/evidence.js';
import { type Check, type Finding, invalidFinding, RowsUnknown, type RunStart, type RunView, type ViewCheck } from './finding.js';
import { checkOf } from './kinds.js';
import { RunFacts } from './run-facts.js';

export class Judge {
  readonly #checks: readonly { assertion: Assertion; check: Check | ViewCheck }[];
  readonly #facts: RunFacts;

  constructor(assertions: readonly Assertion[], start: RunStart) {
    this.#facts = new RunFacts(assertions);
    this.#checks = assertions.map((assertion) => ({ assertion, check: checkOf(assertion, start, this.#facts) }));
  }

  observe(entry: EvidenceEntry): void {
    this.#facts.observe(entry);
    for (const { check } of this.#checks) check.observe(entry);
  }

  /** In the order of the assertions. `cutShort`: why the run ended before its time, for the message. */
  async results(view: RunView, cutShort?: string): Promise<AssertionResult[]> {
    return await Promise.all(
      this.#checks.map(async ({ assertion, check }) => toResult(assertion, decide(await findingOf(check, view, cutShort), cutShort))),
    );
  }
}

/** A world that refuses the question (no such namespace, say) makes the assertion invalid, not the run. */
async function findingOf(check: Check | ViewCheck, view: RunView, cutShort: string | undefined): Promise<Finding> {
  try {
    return await check.finding(view, cutShort);
  } catch (error) {
    if (isServiceError(error, 'control.INVALID_REQUEST', 'control.NOT_FOUND')) {
      return invalidFinding(`The world cannot answer this: ${error.message}`);
    }
    if (error instanceof RowsUnknown) return { status: 'inconclusive', settled: true, message: error.message, evidenceSequences: [] };
    throw error;
  }
}

function decide(finding: Finding, cutShort: string | undefined): Finding {
  if (cutShort === undefined || finding.settled || (finding.status !== 'passed' && finding.status !== 'failed')) return finding;
  return { ...finding, status: 'inconclusive', message: `${finding.message} Undecided: ${cutShort}.` };
}

function toResult(assertion: Assertion, { settled: _, message, evidenceSequences, ...finding }: Finding): AssertionResult {
  const { id, kind, gate } = assertion;
  // The author's own words first, where there are any.
  const said = assertion.message === undefined || finding.status === 'passed' ? message : `${assertion.message} (${message})`;
  // A check continues with its list; what was judged does not.
  return { schemaVersion: 1, assertionId: id, kind, gate, message: said, ...finding, evidenceSequences: [...evidenceSequences] };
}
