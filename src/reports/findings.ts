// Why a run has its verdict: the assertions that did not pass, the worst first, each named once however many checkpoints repeat it.
import type { AssertionResult, InteractionResult, RunResult } from '../contract/run/run.js';
import type { RunReport } from '../contract/run/run-events.js';

export interface ReportFinding {
  assertion: AssertionResult;
  /** The checkpoints at which it did not pass, in order; empty for an assertion of the whole run. */
  checkpointIds: string[];
}

/** Everything that did not pass: gates that failed or are invalid, then inconclusive gates, then what is no gate. */
export function findingsOf(result: RunResult): ReportFinding[] {
  const byAssertion = new Map<string, ReportFinding>();
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

/** What those of them were left undecided by: nothing but the agents' own failures. */
export function leftUndecided(result: RunResult): ReportFinding[] {
  if (failedInteractions(result).length === 0) return [];
  return findingsOf(result).filter(({ assertion }) => assertion.gate && assertion.status === 'inconclusive');
}

/** One line under the title: what decided the verdict. */
export function headline({ result }: RunReport): string {
  const { verdict, status, failure } = result;
  const gates = findingsOf(result).filter(({ assertion }) => assertion.gate);
  const failed = gates.filter(({ assertion }) => assertion.status !== 'inconclusive');
  if (verdict === 'failed' && failed.length > 0) return `${names(failed)} ${failed.length === 1 ? 'does not hold' : 'do not hold'}`;
  if (failure !== undefined) return `${status === 'cancelled' ? 'Cancelled' : 'Could not run'}: ${failure.message}`;
  const [agent] = failedInteractions(result);
  if (verdict !== 'passed' && agent !== undefined) return agentWords(agent);
  if (gates.length > 0) return `${names(gates)} could not be decided`;
  if (isFlaky(result)) return `${everythingHolds(result)}; flaky: it passed only at attempt ${result.identity.attempt}`;
  return verdict === 'passed' ? everythingHolds(result) : `The run is ${status.replace('_', ' ')}`;
}

/** A further attempt is made only of a trial that has not passed: what passes then, had not before. */
export function isFlaky({ verdict, identity }: Pick<RunResult, 'verdict' | 'identity'>): boolean {
  return verdict === 'passed' && identity.attempt > 1;
}

interface AgentEnd {
  targetResult: Pick<InteractionResult['targetResult'], 'status' | 'error'>;
}

/** `The agent failed: target.THREW: no such table` */
export function agentWords({ targetResult: { status, error } }: AgentEnd): string {
  const words = `The agent ${agentStatus[status]}`;
  return error === undefined ? words : `${words}: ${error.code}: ${error.message.split('\n')[0]}`;
}
const agentStatus = { completed: 'completed', failed: 'failed', timed_out: 'timed out', cancelled: 'was cancelled' } as const;

function names(findings: readonly ReportFinding[]): string {
  const first = findings.slice(0, 3).map(({ assertion }) => assertion.assertionId);
  return `${first.join(', ')}${findings.length > 3 ? ` and ${findings.length - 3} more` : ''}`;
}

function everythingHolds({ assertionResults }: RunResult): string {
  const held = assertionResults.filter((assertion) => assertion.status === 'passed').length;
  if (held === assertionResults.length) return held === 1 ? 'The one assertion holds' : `All ${held} assertions hold`;
  return `${held} of ${assertionResults.length} assertions hold; none that did not is a gate`;
}
