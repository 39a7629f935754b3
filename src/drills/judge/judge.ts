// Judges assertions over one world's journal and rows. Pure but for the reading: the same journal and rows give the same results.
//   J1. Every entry is observed once, in order, whatever the number of assertions.
//   J2. When the run was cut short, only findings that further evidence could not change keep their status; the others are inconclusive.
import type { Assertion } from '../../contract/assertion.js';
import { ServiceError } from '../../contract/errors.js';
import type { EvidenceEntry } from '../../contract/evidence.js';
import type { AssertionResult } from '../../contract/run.js';
import { callbackCount, eventCount } from './event-count.js';
import { type Check, type Finding, invalidFinding, type StateCheck, type StateView } from './finding.js';
import { operationArguments } from './operation-arguments.js';
import { operationCount, operationDenied } from './operation-count.js';
import { operationOrder } from './operation-order.js';
import { stateCount } from './state-count.js';
import { stateValue } from './state-value.js';

export class Judge {
  readonly #checks: readonly { assertion: Assertion; check: Check | StateCheck }[];

  constructor(assertions: readonly Assertion[]) {
    this.#checks = assertions.map((assertion) => ({ assertion, check: checkOf(assertion) }));
  }

  observe(entry: EvidenceEntry): void {
    for (const { check } of this.#checks) check.observe(entry);
  }

  /** In the order of the assertions. `cutShort`: why the run ended before its time, for the message. */
  async results(state: StateView, cutShort?: string): Promise<AssertionResult[]> {
    return await Promise.all(this.#checks.map(async ({ assertion, check }) => toResult(assertion, decide(await findingOf(check, state), cutShort))));
  }
}

function checkOf(assertion: Assertion): Check | StateCheck {
  switch (assertion.kind) {
    case 'state.value':
      return stateValue(assertion);
    case 'state.count':
      return stateCount(assertion);
    case 'operation.count':
      return operationCount(assertion);
    case 'operation.order':
      return operationOrder(assertion);
    case 'operation.arguments':
      return operationArguments(assertion);
    case 'operation.denied':
      return operationDenied(assertion);
    case 'event.count':
      return eventCount(assertion);
    case 'callback.count':
      return callbackCount(assertion);
    default:
      return assertion satisfies never;
  }
}

/** A world that refuses the question (no such namespace, say) makes the assertion invalid, not the run. */
async function findingOf(check: Check | StateCheck, state: StateView): Promise<Finding> {
  try {
    return await check.finding(state);
  } catch (error) {
    if (error instanceof ServiceError && (error.code === 'control.INVALID_REQUEST' || error.code === 'control.NOT_FOUND')) {
      return invalidFinding(`The world cannot answer this: ${error.message}`);
    }
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
  // A check goes on with its list; what was judged does not.
  return { schemaVersion: 1, assertionId: id, kind, gate, message: said, ...finding, evidenceSequences: [...evidenceSequences] };
}
