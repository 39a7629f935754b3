// The kinds of assertions, as they are judged. A kind of the contract that is missing here does not compile.
import type { Assertion, AssertionKind, AssertionOf } from '../../contract/run/assertion.js';
import { callbackCount } from './callback-count.js';
import { custom } from './custom.js';
import { effectAtMostOnce } from './effect-at-most-once.js';
import { eventCount } from './event-count.js';
import { expression } from './expression.js';
import { faultCount } from './fault-count.js';
import type { Check, RunStart, ViewCheck } from './finding.js';
import { operationArguments } from './operation-arguments.js';
import { operationCount } from './operation-count.js';
import { operationDenied } from './operation-denied.js';
import { operationOrder } from './operation-order.js';
import { outputValue } from './output-value.js';
import type { RunFacts } from './run-facts.js';
import { stateCount } from './state-count.js';
import { stateDiff } from './state-diff.js';
import { stateUnchanged } from './state-unchanged.js';
import { stateValue } from './state-value.js';
import { timeReached } from './time-reached.js';

/** `facts` sees every entry, too. */
type JudgeOf<A extends Assertion> = (assertion: A, start: RunStart, facts: RunFacts) => Check | ViewCheck;

const judges: { readonly [K in AssertionKind]: JudgeOf<AssertionOf<K>> } = {
  'state.value': stateValue,
  'state.count': stateCount,
  'state.unchanged': stateUnchanged,
  'state.diff': stateDiff,
  'operation.count': operationCount,
  'operation.order': operationOrder,
  'operation.arguments': operationArguments,
  'operation.denied': operationDenied,
  'effect.at_most_once': effectAtMostOnce,
  'event.count': eventCount,
  'callback.count': callbackCount,
  'fault.count': faultCount,
  'time.reached': timeReached,
  'output.value': outputValue,
  expr: expression,
  custom,
};

export function checkOf<A extends Assertion>(assertion: A, start: RunStart, facts: RunFacts): Check | ViewCheck {
  return (judges[assertion.kind] as JudgeOf<A>)(assertion, start, facts);
}
