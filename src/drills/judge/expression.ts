// expr: a CEL expression over a read-only view of the run: rows it names, calls, events, outputs, the clock.
import { setImmediate } from 'node:timers/promises';
import type { ExprAssertion } from '../../contract/assertion.js';
import type { EvidenceEntry } from '../../contract/evidence.js';
import type { JsonObject, JsonValue } from '../../contract/json.js';
import { limits } from '../../contract/limits.js';
import type { Evaluated, View } from '../../expressions/evaluate.js';
import { Citations, type Finding, invalidFinding, type RunStart, type RunView, type ViewCheck } from './finding.js';
import { rowName } from './net-changes.js';
import { inSpace } from './state-value.js';

type Undecided = { undecided: string };

export function expression(assertion: ExprAssertion, start: RunStart): ViewCheck {
  const { expression: text } = assertion;
  const spaces = Object.values(assertion.state).map(({ packageId, instanceId = packageId, namespace }) => ({ packageId, instanceId, namespace }));
  const changes = new Citations();
  const calls = new Seen(text, 'operations');
  const events = new Seen(text, 'events');
  let nowUs = start.startUs;
  return {
    observe: (entry) => {
      nowUs = entry.kind === 'clock' ? entry.toUs : entry.virtualTimeUs;
      if (entry.kind === 'operation') calls.add(entry.sequence, () => callFacts(entry));
      if (entry.kind === 'state_change' && spaces.some((space) => inSpace(entry, space))) changes.add(entry.sequence);
      if (entry.kind === 'event') events.add(entry.sequence, () => eventFacts(entry));
    },
    finding: async (view) => {
      // Loaded when the first expression is judged: most drills have none, and commands shall start fast.
      const [{ parseExpression }, { countValues }, { evaluate }] = await Promise.all([
        import('../../expressions/syntax.js'),
        import('../../expressions/values.js'),
        import('../../expressions/evaluate.js'),
      ]);
      const parsed = parseExpression(text);
      if ('fault' in parsed) return invalidFinding(`The expression does not parse: ${parsed.fault}.`);
      const shown = await viewOf(assertion, view, { calls, events, clock: { nowUs, startUs: start.startUs } });
      if ('undecided' in shown) return undecided(assertion, shown.undecided);
      if (countValues(shown.view, limits.exprNodesMax) > limits.exprNodesMax)
        return undecided(assertion, `what it looks at has more than ${limits.exprNodesMax} values`);
      await ownTurn();
      const result = evaluate(parsed.expr, shown.view, limits.exprStepsMax);
      return findingOf(assertion, result, [...changes.sequences, ...calls.sequences, ...events.sequences]);
    },
  };
}

let lastTurn: Promise<void> = Promise.resolve();
/** One expression a turn of the event loop, whichever run it is of: whatever else this thread serves comes between. */
function ownTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => setImmediate());
  return lastTurn;
}

/** Entries of one kind, kept only if the expression may look at them. */
class Seen {
  readonly sequences: number[] = [];
  readonly facts: JsonObject[] = [];
  readonly name: string;
  readonly #isNamed: boolean;
  more = false;

  constructor(text: string, name: string) {
    this.name = name;
    this.#isNamed = new RegExp(`\\b${name}\\b`).test(text);
  }
  add(sequence: number, facts: () => JsonObject): void {
    if (!this.#isNamed) return;
    if (this.facts.length === limits.exprEntriesMax) {
      this.more = true;
      return;
    }
    this.facts.push(facts());
    if (this.sequences.length < Citations.max) this.sequences.push(sequence);
  }
}

function callFacts(entry: Extract<EvidenceEntry, { kind: 'operation' }>): JsonObject {
  const { sequence, virtualTimeUs, actorId, idempotency, outcome, committedOutcome } = entry;
  const { packageId, instanceId, operationId, arguments: given, idempotencyKey } = entry.invocation;
  return {
    ...{ sequence, virtualTimeUs, actorId, packageId, instanceId, operationId, arguments: given, idempotency },
    outcome: outcome as unknown as JsonObject,
    ...(committedOutcome === undefined ? {} : { committedOutcome: committedOutcome as unknown as JsonObject }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  };
}

function eventFacts({ sequence, virtualTimeUs, event, phase, payload }: Extract<EvidenceEntry, { kind: 'event' }>): JsonObject {
  return { sequence, virtualTimeUs, ...event, phase, payload };
}

interface Parts {
  calls: Seen;
  events: Seen;
  clock: { nowUs: number; startUs: number };
}

async function viewOf(assertion: ExprAssertion, view: RunView, { calls, events, clock }: Parts): Promise<{ view: View } | Undecided> {
  for (const { more, name } of [calls, events]) if (more) return { undecided: `there are more than ${limits.exprEntriesMax} ${name}` };
  const state = await rowsOf(assertion, view);
  if ('undecided' in state) return state;
  const outputs = view.interactions.flatMap(({ interactionId, targetResult: { output } }): [string, JsonValue][] =>
    output === undefined ? [] : [[interactionId, output]],
  );
  return { view: { state: state.rows, operations: calls.facts, events: events.facts, outputs: Object.fromEntries(outputs), clock } };
}

async function rowsOf({ state }: ExprAssertion, view: RunView): Promise<{ rows: { [name: string]: JsonObject } } | Undecided> {
  const named: [string, JsonObject][] = [];
  let left = limits.exprRowsMax;
  for (const [name, { packageId, instanceId = packageId, namespace }] of Object.entries(state)) {
    const rows: [string, JsonObject][] = [];
    await view.eachRow({ packageId, instanceId, namespace }, ({ rowId, value }) => {
      left -= 1;
      if (left >= 0) rows.push([rowId, value]);
    });
    if (left < 0) return { undecided: `with ${rowName({ packageId, instanceId, namespace })} there are more than ${limits.exprRowsMax} rows` };
    // A row may be called `__proto__`, too: members are made, never assigned.
    named.push([name, Object.fromEntries(rows)]);
  }
  return { rows: Object.fromEntries(named) };
}

function findingOf(assertion: ExprAssertion, result: Evaluated, evidenceSequences: number[]): Finding {
  switch (result.kind) {
    case 'value':
      return {
        status: result.value ? 'passed' : 'failed',
        settled: false,
        message: result.value ? 'The expression is true.' : `The expression is false: ${assertion.expression}`,
        expected: true,
        actual: result.value,
        diff: { operator: 'expr', matched: result.value, details: {} },
        evidenceSequences: evidenceSequences.sort((left, right) => left - right).slice(0, Citations.max),
      };
    case 'not_boolean':
      return invalidFinding(`The expression is ${result.type}; expected true or false: ${assertion.expression}`);
    case 'error':
      return undecided(assertion, result.message);
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
