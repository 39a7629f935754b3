// Why a run has its verdict: the assertions that did not pass, the worst first, each named once however many checkpoints repeat it.
import type { AssertionResult, AssertionStatus, InteractionResult, RunResult } from '../contract/run/run.js';
import type { RunReport } from '../contract/run/run-events.js';
import { agentWordsOf } from './words.js';

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
  // Of an invariant that did not hold it says nothing more that a later checkpoint left it undecided.
  const broken = new Set([...byAssertion.values()].filter(isBrokenInvariant).map(({ assertion }) => assertion.assertionId));
  return [...byAssertion.values()]
    .filter(({ assertion, checkpointIds }) => !(checkpointIds.length > 0 && isOpen(assertion) && broken.has(assertion.assertionId)))
    .sort((left, right) => weight(left.assertion) - weight(right.assertion));
}

const isOpen = ({ status }: AssertionResult): boolean => status === 'inconclusive';
const isBrokenInvariant = ({ assertion, checkpointIds }: ReportFinding): boolean => checkpointIds.length > 0 && !isOpen(assertion);

function weight({ gate, status }: AssertionResult): number {
  if (!gate) return 2;
  return status === 'inconclusive' ? 1 : 0;
}

/** The agents' own failures: they need not fail a run, but explain much. */
export function failedInteractions(result: RunResult): InteractionResult[] {
  return result.interactions.filter((interaction) => interaction.targetResult.status !== 'completed');
}

/** The gates that something else left undecided: an agent that failed, or what cut the run short. */
export function leftUndecided({ result, cutShort }: Pick<RunReport, 'result' | 'cutShort'>): ReportFinding[] {
  if (failedInteractions(result).length === 0 && cutShort === undefined) return [];
  return findingsOf(result).filter(({ assertion }) => assertion.gate && assertion.status === 'inconclusive');
}

/** One line under the title: what decided the verdict. */
export function headline({ result, cutShort, toolFailures: [tool] = [] }: RunReport): string {
  const { verdict, status, failure } = result;
  const gates = findingsOf(result).filter(({ assertion }) => assertion.gate);
  const failed = gates.filter(({ assertion }) => assertion.status !== 'inconclusive');
  if (verdict === 'failed' && failed.length > 0) return `${names(failed)} ${failed.length === 1 ? 'does not hold' : 'do not hold'}`;
  if (failure !== undefined) return `${status === 'cancelled' ? 'Cancelled' : 'Could not run'}: ${failure.message}`;
  if (gates.length > 0 && tool !== undefined) return `The tool ${tool.packageId} broke in ${tool.handlerId}: ${tool.message}`;
  const [agent] = failedInteractions(result);
  if (verdict !== 'passed' && agent !== undefined) return agentWords(agent);
  if (gates.length > 0 && cutShort !== undefined) return `${cutShort.charAt(0).toUpperCase()}${cutShort.slice(1)}`;
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
  const words = `The agent ${agentWordsOf[status]}`;
  return error === undefined ? words : `${words}: ${error.code}: ${error.message.split('\n')[0]}`;
}

function names(findings: readonly ReportFinding[]): string {
  const first = findings.slice(0, 3).map(({ assertion }) => assertion.assertionId);
  return `${first.join(', ')}${findings.length > 3 ? ` and ${findings.length - 3} more` : ''}`;
}

/**
 * What the run was judged by, each once: the assertions of the whole run, and each invariant with the worst of what its checkpoints found.
 */
export function judgedOf({ assertionResults, checkpoints }: RunResult): AssertionResult[] {
  const invariants = new Map<string, AssertionResult>();
  for (const assertion of checkpoints.flatMap((checkpoint) => checkpoint.assertionResults)) {
    const known = invariants.get(assertion.assertionId);
    if (known === undefined || rank[assertion.status] < rank[known.status]) invariants.set(assertion.assertionId, assertion);
  }
  return [...assertionResults, ...invariants.values()];
}
const rank: { readonly [Status in AssertionStatus]: number } = { failed: 0, invalid: 1, inconclusive: 2, passed: 3 };

/** Those that did not pass first, gates before what is advisory. */
export function worstFirst(assertions: readonly AssertionResult[]): AssertionResult[] {
  return [...assertions].sort((left, right) => rank[left.status] - rank[right.status] || Number(right.gate) - Number(left.gate));
}

function everythingHolds(result: RunResult): string {
  const judged = judgedOf(result);
  const held = judged.filter((assertion) => assertion.status === 'passed').length;
  if (held === judged.length) return held === 1 ? 'The one assertion holds' : `All ${held} assertions hold`;
  return `${held} of ${judged.length} assertions hold; none that did not is a gate`;
}
