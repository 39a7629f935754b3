// operation.arguments: what was in the arguments of one matching call, or of every one.
import { defined } from '../../contract/defined.js';
import type { JsonValue } from '../../contract/json.js';
import { valueAt } from '../../contract/json-path.js';
import type { OperationArgumentsAssertion } from '../../contract/run/assertion.js';
import type { EvidenceEntry, OperationEntry } from '../../contract/world/evidence.js';
import { type ComparisonOutcome, compare, describeExpected, preview } from './compare.js';
import { type Check, Citations, type Finding } from './finding.js';
import { callsOperation, describeCalls, mismatch, NearMisses, operationLocation } from './operation-filter.js';

interface ArgumentsFinding {
  sequence: number;
  actual: JsonValue | undefined;
  compared: ComparisonOutcome;
}

/** A call that differs settles it, whatever could not be compared in another. */
const weights = { matched: 0, undecided: 1, differs: 2, invalid: 2 } as const;

export function operationArguments(assertion: OperationArgumentsAssertion): Check {
  const { operation, occurrence } = assertion;
  const cited = new Citations();
  const others = new Citations();
  const near = new NearMisses();
  let calls = 0;
  let last: ArgumentsFinding | undefined;
  /** The first of the calls that weigh most against the assertion. */
  let against: ArgumentsFinding | undefined;
  return {
    observe: (entry: EvidenceEntry) => {
      if (!callsOperation(entry, operation)) return;
      const reason = mismatch(entry, operation);
      if (reason !== null) {
        near.add(reason);
        others.add(entry.sequence);
        return;
      }
      calls += 1;
      if (occurrence !== undefined && calls !== occurrence) {
        others.add(entry.sequence);
        return;
      }
      last = judgeCall(assertion, entry);
      cited.add(entry.sequence);
      if (weights[last.compared.kind] > weights[against?.compared.kind ?? 'matched']) against = last;
    },
    finding: () => {
      if (last === undefined) return { ...missingCall(assertion, calls, near), evidenceSequences: [...others.sequences] };
      return callFinding(assertion, against ?? last, against === undefined ? cited.sequences : [against.sequence]);
    },
  };
}

function judgeCall(
  { path, comparison, expected }: OperationArgumentsAssertion,
  { sequence, invocation }: OperationEntry,
): ArgumentsFinding {
  const actual = valueAt(invocation.arguments, path);
  if (actual !== undefined) return { sequence, actual, compared: compare(actual, comparison, expected) };
  return { sequence, actual, compared: { kind: comparison === 'not_equals' ? 'matched' : 'differs' } };
}

function missingCall(
  { operation, occurrence, expected }: OperationArgumentsAssertion,
  calls: number,
  near: NearMisses,
): Omit<Finding, 'evidenceSequences'> {
  const wanted = occurrence === undefined ? 'at least one' : `at least ${occurrence}`;
  return {
    status: 'failed',
    settled: false,
    message: `Expected ${wanted} ${describeCalls(operation, occurrence ?? 1)}, found ${calls}.${near.describe()}`,
    expected,
    location: operationLocation(operation),
  };
}

function callFinding(
  assertion: OperationArgumentsAssertion,
  { sequence, actual, compared }: ArgumentsFinding,
  evidenceSequences: number[],
): Finding {
  const { operation, occurrence, path, comparison, expected } = assertion;
  const matched = compared.kind === 'matched';
  const where = path.length === 0 ? 'the arguments' : `argument /${path.join('/')}`;
  const found = actual === undefined ? 'absent' : preview(actual);
  const status = { matched: 'passed', differs: 'failed', invalid: 'invalid', undecided: 'inconclusive' } as const;
  return {
    status: status[compared.kind],
    settled: occurrence !== undefined || weights[compared.kind] === weights.differs,
    message: matched
      ? `In ${occurrence === undefined ? 'every one of the' : `occurrence ${occurrence} of`} ${describeCalls(operation)}, ${where} ${path.length === 0 ? 'are' : 'is'} ${describeExpected(comparison, expected)}.`
      : `In the call at sequence ${sequence}, ${where} ${path.length === 0 ? 'are' : 'is'} ${found}; expected ${describeExpected(comparison, expected)}.${'reason' in compared ? ` ${compared.reason}.` : ''}`,
    expected,
    ...defined({ actual }),
    location: { ...operationLocation(operation), path },
    diff: { operator: comparison, matched, details: {} },
    evidenceSequences,
  };
}
