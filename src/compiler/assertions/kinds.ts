// The kinds of assertions, as the compiler knows them. A kind of the contract that is missing here does not compile.
import type { Assertion, AssertionKind, AssertionOf } from '../../contract/run/assertion.js';
import { callbackCount } from './callback-count.js';
import { custom } from './custom.js';
import type { AssertionDefinition } from './definition.js';
import { effectAtMostOnce } from './effect-at-most-once.js';
import { eventCount } from './event-count.js';
import { expression } from './expression.js';
import { faultCount } from './fault-count.js';
import { operationArguments } from './operation-arguments.js';
import { operationCount } from './operation-count.js';
import { operationDenied } from './operation-denied.js';
import { operationOrder } from './operation-order.js';
import { outputValue } from './output-value.js';
import { stateCount } from './state-count.js';
import { stateDiff } from './state-diff.js';
import { stateUnchanged } from './state-unchanged.js';
import { stateValue } from './state-value.js';
import { timeReached } from './time-reached.js';

/** In the order of docs/assertions.md. */
export const assertionDefinitions: { readonly [K in AssertionKind]: AssertionDefinition<AssertionOf<K>> } = {
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

export function definitionOf<A extends Assertion>({ kind }: A): AssertionDefinition<A> {
  return assertionDefinitions[kind] as AssertionDefinition<A>;
}
