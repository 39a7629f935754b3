// What an assertion of a drill asks for, in words: what must be true, before any run has judged it.
import { pathText } from '../../../contract/json-diff.js';
import type {
  Assertion,
  Comparison,
  CountBounds,
  ExpectedChange,
  Footprint,
  OperationChoice,
  OperationFilter,
} from '../../../contract/run/assertion.js';
import type { OutcomeKind } from '../../../contract/world/evidence.js';
import { virtualClock, virtualDuration } from '../../../text/virtual-time.js';
import { tuning } from '../../../viewer/tuning.js';

export function assertionWords(assertion: Assertion): string {
  switch (assertion.kind) {
    case 'state.value':
      return `${rowName(assertion)}${inside(assertion.path)} ${compared(assertion)}`;
    case 'state.count':
      return `${ownerOf(assertion)}/${assertion.namespace} has ${boundsWords(assertion.count, 'row')}${where(assertion.where)}`;
    case 'operation.count':
      return `${subjectWords(assertion.operation)} ${doneWords('called', assertion.count)}`;
    case 'operation.order':
      return assertion.operations.map(callWords).join(', then ');
    case 'operation.arguments': {
      const which = assertion.occurrence === undefined ? 'every call' : `call ${assertion.occurrence}`;
      return `in ${which} of ${callWords(assertion.operation)}, ${pathText(assertion.path) || 'the arguments'} ${compared(assertion)}`;
    }
    case 'operation.denied':
      return `${subjectWords(assertion.operation)} ${doneWords('denied', assertion.count ?? { atLeast: 1 })}`;
    case 'event.count':
      return `${ownerOf(assertion.event)}.${assertion.event.eventId}${where(assertion.payload)} ${doneWords(assertion.phase, assertion.count)}`;
    case 'callback.count':
      return `${ownerOf(assertion)}.${assertion.callbackId} ${doneWords(assertion.phase.replaceAll('_', ' '), assertion.count)}`;
    case 'fault.count': {
      const { fault } = assertion;
      const by = fault.operationId === undefined ? '' : ` at ${fault.operationId}`;
      return `the fault ${ownerOf(fault)}.${fault.faultId} ${isNever(assertion.count) ? `never happens${by}` : `happens${by} ${timesWords(assertion.count)}`}`;
    }
    case 'time.reached':
      return assertion.virtualTimeUs === undefined
        ? `the clock reaches ${virtualDuration(assertion.afterStartUs ?? 0)} after the start`
        : `the clock reaches ${virtualClock(assertion.virtualTimeUs)}`;
    case 'output.value':
      return `the output of ${assertion.interactionId}${inside(assertion.path)} ${compared(assertion)}`;
    case 'effect.at_most_once':
      return `no effect of ${subjectWords(assertion.operation)} happens twice, where ${identityWords(assertion.identity)}`;
    case 'state.unchanged':
      return `no row changes${scopeWords('in', assertion.scope)}${scopeWords('but for', assertion.except)}`;
    case 'state.diff':
      return `${assertion.changes.map(changeWords).join(', ') || 'no row changes'}${assertion.exact ? '; nothing else changes' : ''}`;
    case 'expr':
      return assertion.expression;
    case 'custom':
      return `${assertion.export === 'default' ? '' : `${assertion.export} of `}${assertion.module} says so`;
  }
}

interface Owner {
  packageId: string;
  instanceId?: string;
}
const ownerOf = ({ packageId, instanceId = packageId }: Owner): string =>
  instanceId === packageId ? packageId : `${packageId}@${instanceId}`;

function rowName(row: Owner & { namespace: string; rowId: string }): string {
  return `${ownerOf(row)}/${row.namespace}/${row.rowId}`;
}

function inside(path: readonly (string | number)[]): string {
  return path.length === 0 ? '' : ` ${pathText(path as (string | number)[])}`;
}

function value(given: unknown): string {
  const text = JSON.stringify(given) ?? 'nothing';
  return text.length > tuning.shortChars ? `${text.slice(0, tuning.shortChars)}…` : text;
}

const comparisons: { [C in Comparison]: string } = {
  equals: 'is',
  not_equals: 'is not',
  greater_than_or_equal: 'is at least',
  less_than_or_equal: 'is at most',
  one_of: 'is one of',
};
const compared = ({ comparison, expected }: { comparison: Comparison; expected: unknown }): string =>
  `${comparisons[comparison]} ${value(expected)}`;

function boundsWords({ equals, atLeast, atMost }: CountBounds, noun: string): string {
  const nouns = (count: number): string => `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
  if (equals !== undefined) return equals === 0 ? `no ${noun}s` : `exactly ${nouns(equals)}`;
  if (atLeast !== undefined && atMost !== undefined) return `between ${atLeast} and ${nouns(atMost)}`;
  return atLeast === undefined ? `at most ${nouns(atMost ?? 0)}` : `at least ${nouns(atLeast)}`;
}

const isNever = ({ equals, atLeast, atMost }: CountBounds): boolean =>
  atLeast === undefined && (equals === 0 || (equals === undefined && atMost === 0));

/** `is called exactly once`, `is never called`. */
function doneWords(done: string, bounds: CountBounds): string {
  return isNever(bounds) ? `is never ${done}` : `is ${done} ${timesWords(bounds)}`;
}

function timesWords(bounds: CountBounds): string {
  if (bounds.atLeast === undefined && bounds.atMost === undefined && bounds.equals === 1) return 'exactly once';
  if (bounds.equals === undefined && bounds.atLeast === undefined && bounds.atMost === 1) return 'at most once';
  if (bounds.equals === undefined && bounds.atMost === undefined && bounds.atLeast === 1) return 'at least once';
  return boundsWords(bounds, 'time');
}

const where = (members: object | undefined): string => (members === undefined ? '' : ` with ${value(members)}`);

function callWords(choice: OperationChoice): string {
  return 'anyOf' in choice ? choice.anyOf.map(oneCall).join(' or ') : oneCall(choice);
}

/** Before what is said of it. */
function subjectWords(choice: OperationChoice): string {
  const words = callWords(choice);
  return words.includes(', ') ? `${words},` : words;
}

const answerWords: { [Kind in OutcomeKind]: string } = {
  ok: 'a result',
  denied: 'a denial',
  tool_error: 'an error',
  unsupported: '"unsupported"',
  invalid: '"invalid arguments"',
};

function oneCall(filter: OperationFilter): string {
  const by = filter.actorId === undefined ? '' : ` by ${filter.actorId}`;
  const answers = filter.outcome === undefined ? [] : [filter.outcome].flat().map((outcome) => answerWords[outcome]);
  const outcome = answers.length === 0 ? '' : `, answered with ${answers.join(' or ')}`;
  const key = filter.idempotency === undefined ? '' : `, its key ${filter.idempotency.replaceAll('_', ' ')}`;
  return `${ownerOf(filter)}.${filter.operationId}${where(filter.arguments)}${by}${outcome}${key}`;
}

function identityWords(identity: 'idempotencyKey' | { arguments: readonly (readonly (string | number)[])[] }): string {
  if (identity === 'idempotencyKey') return 'calls with one idempotency key are one';
  return `calls with the same ${identity.arguments.map((path) => pathText(path as (string | number)[])).join(', ')} are one`;
}

function footprint({ namespace, rowId, ...owner }: Footprint): string {
  return [ownerOf(owner), namespace, rowId].filter((part) => part !== undefined).join('/');
}

const scopeWords = (word: string, list: readonly Footprint[] = []): string =>
  list.length === 0 ? '' : ` ${word} ${list.map(footprint).join(', ')}`;

function changeWords({ change, after, before, ...row }: ExpectedChange): string {
  const verb = { insert: 'is added', update: 'is changed', delete: 'is deleted' }[change];
  const values = after ?? before;
  return `${row.rowId === undefined ? 'a row of ' : ''}${footprint(row)} ${verb}${values === undefined ? '' : ` (${value(values)})`}`;
}
