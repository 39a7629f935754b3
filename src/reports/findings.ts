// Why a run has its verdict: the assertions that did not pass, the worst first, each named once however many checkpoints repeat it.
import type { AssertionResult, InteractionResult, RunResult } from '../contract/run.js';
import type { RunReport } from '../contract/run-events.js';

export interface Finding {
  assertion: AssertionResult;
  /** The checkpoints at which it did not pass, in order; empty for an assertion of the whole run. */
  checkpointIds: string[];
}

/** Everything that did not pass: gates that failed or are invalid, then inconclusive gates, then what is no gate. */
export function findingsOf(result: RunResult): Finding[] {
  const byAssertion = new Map<string, Finding>();
  const add = (assertion: AssertionResult, checkpointId?: string): void => {
    if (assertion.status === 'passed') return;
    const key = `${checkpointId === undefined}/${assertion.assertionId}/${assertion.status}`;
    const known = byAssertion.get(key);
    if (known === undefined) byAssertion.set(key, { assertion, checkpointIds: checkpointId === undefined ? [] : [checkpointId] });
    else if (checkpointId !== undefined) known.checkpointIds.push(checkpointId);
  };
  for (const assertion of result.assertionResults) add(assertion);
  for (const checkpoint of result.checkpoints) for (const assertion of checkpoint.assertionResults) add(assertion, checkpoint.checkpointId);
  return [...byAssertion.values()].sort((left, right) => weight(left.assertion) - weight(right.assertion));
}

function weight({ gate, status }: AssertionResult): number {
  if (!gate) return 2;
  return status === 'inconclusive' ? 1 : 0;
}

/** The agents' own failures: they need not fail a run, but explain much. */
export function failedInteractions(result: RunResult): InteractionResult[] {
  return result.interactions.filter((interaction) => interaction.targetResult.status !== 'completed');
}

/** One line under the title: what decided the verdict. */
export function headline({ result }: RunReport): string {
  if (result.failure !== undefined) return `${result.status === 'cancelled' ? 'Cancelled' : 'Could not run'}: ${result.failure.message}`;
  const found = findingsOf(result).filter(({ assertion }) => assertion.gate);
  const decisive = found.filter(({ assertion }) => (result.verdict === 'failed' ? assertion.status !== 'inconclusive' : true));
  if (decisive.length === 0) return result.verdict === 'passed' ? everythingHolds(result) : `The run is ${result.status.replace('_', ' ')}`;
  const names = decisive.slice(0, 3).map(({ assertion }) => assertion.assertionId);
  const more = decisive.length > 3 ? ` and ${decisive.length - 3} more` : '';
  const verb = result.verdict === 'failed' ? (decisive.length === 1 ? 'does not hold' : 'do not hold') : 'could not be decided';
  return `${names.join(', ')}${more} ${verb}`;
}

function everythingHolds({ assertionResults }: RunResult): string {
  const held = assertionResults.filter((assertion) => assertion.status === 'passed').length;
  if (held === assertionResults.length) return held === 1 ? 'The one assertion holds' : `All ${held} assertions hold`;
  return `${held} of ${assertionResults.length} assertions hold; none that did not is a gate`;
}
