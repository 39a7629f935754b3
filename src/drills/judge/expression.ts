// expr: a CEL expression over a read-only view of the run: rows it names, calls, events, outputs, the clock.
import { setImmediate } from 'node:timers/promises';
import type { JsonValue } from '../../contract/json.js';
import { limits } from '../../contract/limits.js';
import type { ExprAssertion } from '../../contract/run/assertion.js';
import { clockAfter } from '../../contract/world/evidence.js';
import type { View } from '../../expressions/evaluate.js';
import { type ExpressionFinding, type ExpressionJudge, evaluateExpression, type ShownView } from './evaluate-expression.js';
import { Citations, type Finding, invalidFinding, type RunStart, type RunView, type ViewCheck } from './finding.js';
import { namedRows, rowsByName, type UndecidedReason } from './named-rows.js';
import { type RunFacts, textOf, tooLarge } from './run-facts.js';
import { inSpace } from './state-value.js';

/** `facts` sees every entry, too. */
export function expression(assertion: ExprAssertion, start: RunStart, facts: RunFacts): ViewCheck {
  const { expression: text } = assertion;
  const { judgeExpression = judgeHere } = start;
  const spaces = Object.values(assertion.state).map(({ packageId, instanceId = packageId, namespace }) => ({
    packageId,
    instanceId,
    namespace,
  }));
  const named = [facts.calls, facts.events].filter((seen) => seen.isNamedIn(text));
  const changes = new Citations();
  let nowUs = start.startUs;
  return {
    observe: (entry) => {
      nowUs = clockAfter(nowUs, entry);
      if (entry.kind === 'state_change' && spaces.some((space) => inSpace(entry, space))) changes.add(entry.sequence);
    },
    finding: async (view) => {
      for (const { cut } of named) if (cut !== undefined) return undecided(assertion, cut);
      const shown = await viewOf(assertion, view, { facts, clock: { nowUs, startUs: start.startUs } });
      if ('undecided' in shown) return undecided(assertion, shown.undecided);
      const judged = await judgeExpression(text, shown);
      return findingOf(assertion, judged, [...changes.sequences, ...named.flatMap(({ sequences }) => sequences)]);
    },
  };
}

let lastTurn: Promise<void> = Promise.resolve();
/** One expression a turn of the event loop, over all runs: all else that this thread serves comes between. */
const judgeHere: ExpressionJudge = async (text, { values }) => {
  lastTurn = lastTurn.then(() => setImmediate());
  await lastTurn;
  return evaluateExpression(text, values);
};

interface Parts {
  facts: RunFacts;
  clock: { nowUs: number; startUs: number };
}

async function viewOf(assertion: ExprAssertion, view: RunView, { facts, clock }: Parts): Promise<ShownView | UndecidedReason> {
  const state = await namedRows(assertion.state, view);
  if ('undecided' in state) return state;
  const outputs = view.interactions.flatMap(({ interactionId, targetResult: { output } }): [string, JsonValue][] =>
    output === undefined ? [] : [[interactionId, output]],
  );
  const [calls, events] = [facts.calls, facts.events].map((seen) => (seen.isNamedIn(assertion.expression) ? seen : undefined));
  const chars = outputs.reduce((sum, [, output]) => sum + textOf(output).length, state.chars + (calls?.chars ?? 0) + (events?.chars ?? 0));
  if (chars > limits.exprViewCharsMax) return { undecided: tooLarge };
  const values: View = {
    state: rowsByName(state),
    operations: calls?.facts ?? [],
    events: events?.facts ?? [],
    outputs: Object.fromEntries(outputs),
    clock,
  };
  const text = () =>
    membersText([
      ['state', membersText(state.rows.map(([name, rows]) => [name, membersText(rows.map(([rowId, value]) => [rowId, textOf(value)]))]))],
      ['operations', `[${(calls?.texts ?? []).join(',')}]`],
      ['events', `[${(events?.texts ?? []).join(',')}]`],
      ['outputs', membersText(outputs.map(([name, value]) => [name, textOf(value)]))],
      ['clock', JSON.stringify(clock)],
    ]);
  return { values, text };
}

function membersText(members: readonly (readonly [string, string])[]): string {
  return `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
}

function findingOf(assertion: ExprAssertion, result: ExpressionFinding, evidenceSequences: number[]): Finding {
  switch (result.kind) {
    case 'value':
      return {
        status: result.value ? 'passed' : 'failed',
        settled: false,
        message: result.value ? 'The expression is true.' : `The expression is false: ${assertion.expression}`,
        expected: true,
        actual: result.value,
        diff: { operator: 'expr', matched: result.value, details: {} },
        evidenceSequences: evidenceSequences.sort((left, right) => left - right).slice(0, limits.citedSequencesMax),
      };
    case 'not_boolean':
      return invalidFinding(`The expression is ${result.type}; expected true or false: ${assertion.expression}`);
    case 'error':
      return undecided(assertion, result.message);
    case 'fault':
      return invalidFinding(`The expression does not parse: ${result.message}.`);
    case 'too_many_values':
      return undecided(assertion, `what it looks at has more than ${limits.exprNodesMax} values`);
    case 'too_much':
      return undecided(assertion, `it takes more than ${limits.exprStepsMax} steps`);
    default:
      return result satisfies never;
  }
}

function undecided({ expression: text }: ExprAssertion, reason: string): Finding {
  return {
    status: 'inconclusive',
    settled: false,
    message: `The expression could not be decided: ${reason}. It is: ${text}`,
    expected: true,
    evidenceSequences: [],
  };
}
