// state.diff: the whole net change of the run against a set that was expected.
//   STATE-DIFF-1. Each expected change takes one changed row, and no two the same: as many are matched as can be.
import { defined } from '../../contract/defined.js';
import type { JsonObject } from '../../contract/json.js';
import { limits } from '../../contract/limits.js';
import type { ExpectedChange, StateDiffAssertion } from '../../contract/run/assertion.js';
import { hasMembers, preview } from './compare.js';
import type { Check, Finding } from './finding.js';
import { matchMost } from './matching.js';
import { changedMembers, changeFacts, describeChange, type NetChange, NetChanges, rowName } from './net-changes.js';

export function stateDiff(assertion: StateDiffAssertion): Check {
  const changes = new NetChanges(assertion.scope);
  return { observe: (entry) => changes.observe(entry), finding: () => diffFinding(assertion, changes.list()) };
}

function diffFinding({ changes: expected, exact }: StateDiffAssertion, actual: readonly NetChange[]): Finding {
  const taken = matchMost(expected, actual, fits);
  const missing = expected.filter((_, index) => taken[index] === undefined);
  const used = new Set(taken);
  const others = actual.filter((_, index) => !used.has(index));
  const unexpected = exact ? others : [];
  const matched = missing.length === 0 && unexpected.length === 0;
  // What stands where something else was expected.
  const near = missing.flatMap((wanted) => others.filter((change) => isOfRow(wanted, change)).slice(0, 1));
  const cited = matched ? actual.filter((_, index) => used.has(index)) : [...new Set([...unexpected, ...near])];
  const place = missing[0] ?? unexpected[0];
  return {
    status: matched ? 'passed' : 'failed',
    settled: false,
    message: matched ? holds(expected.length, others.length, exact) : fails(missing, unexpected, near),
    expected: expected.slice(0, limits.diffChangesShown).map((change) => ({ ...change }) as unknown as JsonObject),
    actual: actual.slice(0, limits.diffChangesShown).map(changeFacts),
    location: { subject: 'state', ...(place === undefined ? {} : placeOf(place)) },
    diff: {
      operator: 'changes',
      matched,
      details: {
        missing: missing.slice(0, limits.diffChangesShown).map(describeExpected),
        unexpected: unexpected.slice(0, limits.diffChangesShown).map((change) => `${describeChange(change)}, sequence ${change.sequence}`),
      },
    },
    evidenceSequences: cited.slice(0, limits.citedSequencesMax).map(({ sequence }) => sequence),
  };
}

function fits(wanted: ExpectedChange, found: NetChange): boolean {
  return (
    wanted.change === found.change &&
    isOfRow(wanted, found) &&
    hasMembers(found.before, wanted.before) &&
    hasMembers(found.after, wanted.after) &&
    (wanted.only === undefined || changedMembers(found).every((name) => wanted.only?.includes(name)))
  );
}

/** Without `instanceId`: of the default instance. Without `rowId`: any row. */
function isOfRow({ packageId, instanceId = packageId, namespace, rowId }: ExpectedChange, found: NetChange): boolean {
  return (
    found.packageId === packageId &&
    found.instanceId === instanceId &&
    found.namespace === namespace &&
    (rowId === undefined || rowId === found.rowId)
  );
}

function holds(expected: number, others: number, exact: boolean): string {
  if (expected === 0) return exact ? 'Nothing changed, as wanted.' : 'No change was expected, and any is allowed.';
  const all = expected === 1 ? 'The one expected change was made' : `All ${expected} expected changes were made`;
  if (exact) return `${all}, and nothing else changed.`;
  return others === 0 ? `${all}.` : `${all}; ${others} more ${others === 1 ? 'row' : 'rows'} changed.`;
}

function fails(missing: readonly ExpectedChange[], unexpected: readonly NetChange[], near: readonly NetChange[]): string {
  const parts = [
    ...(missing.length === 0 ? [] : [`Missing: ${listed(missing.map(describeExpected))}.`]),
    ...(unexpected.length === 0
      ? []
      : [`Not expected: ${listed(unexpected.map((change) => `${describeChange(change)} at sequence ${change.sequence}`))}.`]),
    ...near
      .filter((change) => !unexpected.includes(change))
      .slice(0, 1)
      .map((change) => `Found instead: ${describeChange(change)} at sequence ${change.sequence}.`),
  ];
  return parts.join(' ');
}

function listed(texts: readonly string[]): string {
  const more = texts.length > 3 ? `, and ${texts.length - 3} more` : '';
  return `${texts.slice(0, 3).join(', ')}${more}`;
}

/** `insert of payments/refunds with after {"amount":5}`. */
function describeExpected(wanted: ExpectedChange): string {
  const { before, after, only } = wanted;
  const conditions = [
    ...(before === undefined ? [] : [`before ${preview(before)}`]),
    ...(after === undefined ? [] : [`after ${preview(after)}`]),
    ...(only === undefined ? [] : [`only ${only.join(', ')} changed`]),
  ];
  return `${wanted.change} of ${rowName(wanted)}${conditions.length === 0 ? '' : ` with ${conditions.join(' and ')}`}`;
}

function placeOf({ packageId, instanceId, namespace, rowId }: ExpectedChange | NetChange) {
  return { packageId, instanceId: instanceId ?? packageId, namespace, ...defined({ rowId }) };
}
