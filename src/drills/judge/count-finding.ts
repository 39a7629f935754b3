// Counting against bounds, shared by every assertion that counts.
import type { CountBounds } from '../../contract/run/assertion.js';
import type { AssertionLocation } from '../../contract/run/run.js';
import { checkCount, describeCount } from './compare.js';
import { type Finding, invalidFinding } from './finding.js';

export interface CountQuestion {
  /** `calls to ticket-desk.ticket.close`, in agreement with the number. */
  subject: (many: number) => string;
  count: number;
  bounds: CountBounds;
  location: AssertionLocation;
  evidenceSequences: number[];
  /** Added to the message of a count that is too low: what came near. */
  hint?: string;
  /** State can shrink again; a journal only grows, so that a count too high, or high enough, is settled. */
  grows: boolean;
}

export function countFinding({ subject, count, bounds, location, evidenceSequences, hint = '', grows }: CountQuestion): Finding {
  const wanted = describeCount(bounds);
  // The last number named: `exactly 1 call`, `at least 1 and at most 2 calls`.
  const wantedMany = bounds.atMost ?? bounds.atLeast ?? bounds.equals ?? 0;
  if (wanted === '') return invalidFinding('The count names no bound: give `equals`, `atLeast` or `atMost`.', location);
  const check = checkCount(count, bounds);
  const openEnded = bounds.equals === undefined && bounds.atMost === undefined;
  const matched = check === 'within';
  return {
    status: matched ? 'passed' : 'failed',
    settled: grows && (check === 'too_many' || (matched && openEnded)),
    message: matched
      ? `Found ${count} ${subject(count)}, as wanted.`
      : `Expected ${wanted} ${subject(wantedMany)}, found ${count}.${check === 'too_few' ? hint : ''}`,
    expected: { ...bounds },
    actual: count,
    location,
    diff: { operator: 'count', matched, details: { count, check } },
    evidenceSequences,
  };
}
