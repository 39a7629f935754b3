// effect.at_most_once: the same logical effect happened at most once, however often its call was tried.
//   EFFECT-AT-MOST-ONCE-1. An effect is a call that stands: its outcome is ok or a failure that kept its effects, or was and only its
//     answer was lost. A replay repeats an answer; nothing happens again.
//   EFFECT-AT-MOST-ONCE-2. Two effects are the same where package, instance, operation and identity are.
import { canonicalJson } from '../../contract/canonical-json.js';
import { valueAt } from '../../contract/json-path.js';
import { limits } from '../../contract/limits.js';
import type { EffectAtMostOnceAssertion, EffectIdentity } from '../../contract/run/assertion.js';
import { hasEffect, type OperationEntry } from '../../contract/world/evidence.js';
import { noun } from '../../text/counted.js';
import { beginningOf } from '../../text/cut-text.js';
import { tuning } from '../tuning.js';
import { type Check, Citations, type Finding } from './finding.js';
import { callsOperation, describeCalls, mismatch, operationLocation } from './operation-filter.js';

interface Effect {
  /** For people. */
  identity: string;
  count: number;
  sequences: number[];
}

export function effectAtMostOnce(assertion: EffectAtMostOnceAssertion): Check {
  const { operation } = assertion;
  const effects = new Map<string, Effect>();
  const repeated: Effect[] = [];
  const unidentified = new Citations();
  let total = 0;
  return {
    observe: (entry) => {
      if (!callsOperation(entry, operation) || mismatch(entry, operation) !== null || !stands(entry)) return;
      total += 1;
      const identity = identityOf(entry, assertion.identity);
      if (identity === undefined) {
        unidentified.add(entry.sequence);
        return;
      }
      const key = `${entry.invocation.instanceId} ${identity}`;
      const effect = effects.get(key) ?? { identity: cutText(identity), count: 0, sequences: [] };
      effects.set(key, effect);
      effect.count += 1;
      if (effect.count === 2) repeated.push(effect);
      if (effect.sequences.length < limits.citedSequencesMax) effect.sequences.push(entry.sequence);
    },
    finding: () => effectFinding(assertion, { total, distinct: effects.size, repeated, unidentified: unidentified.sequences }),
  };
}

function stands({ outcome, committedOutcome, idempotency }: OperationEntry): boolean {
  return idempotency !== 'replayed' && hasEffect(committedOutcome ?? outcome);
}

/** Undefined for a call without a key. An argument that is absent is a value like any other: two calls that lack it are the same. */
function identityOf({ invocation }: OperationEntry, identity: EffectIdentity): string | undefined {
  if (identity === 'idempotencyKey')
    return invocation.idempotencyKey === undefined ? undefined : `idempotency key ${JSON.stringify(invocation.idempotencyKey)}`;
  const values = identity.arguments.map((path) => {
    const value = valueAt(invocation.arguments, path);
    return `/${path.join('/')} = ${value === undefined ? 'absent' : canonicalJson(value)}`;
  });
  return values.join(', ');
}

function cutText(text: string): string {
  return text.length <= tuning.identityCharsShown ? text : `${beginningOf(text, tuning.identityCharsShown - 3)}...`;
}

interface SeenEffect {
  total: number;
  distinct: number;
  repeated: readonly Effect[];
  unidentified: readonly number[];
}

function effectFinding({ operation }: EffectAtMostOnceAssertion, { total, distinct, repeated, unidentified }: SeenEffect): Finding {
  const calls = describeCalls(operation);
  const location = operationLocation(operation);
  const [first] = repeated;
  if (first !== undefined) {
    const more = repeated.length === 1 ? '' : ` So did ${repeated.length - 1} more ${noun(repeated.length - 1, 'effect')}.`;
    return {
      status: 'failed',
      settled: true,
      message: `Of ${calls}, the effect with ${first.identity} happened ${first.count} times, at sequences ${first.sequences.slice(0, 10).join(', ')}; expected at most once.${more}`,
      expected: { atMost: 1 },
      actual: first.count,
      location,
      diff: { operator: 'at_most_once', matched: false, details: { identity: first.identity, repeatedEffects: repeated.length } },
      evidenceSequences: repeated.flatMap(({ sequences }) => sequences).slice(0, limits.citedSequencesMax),
    };
  }
  // One call is one effect, whatever it is about.
  if (unidentified.length > 0 && total > 1) {
    const message = `${unidentified.length} of the ${total} ${calls} that took effect had no idempotency key, so it is not known whether they are about the same thing.`;
    return { status: 'inconclusive', settled: false, message, expected: { atMost: 1 }, location, evidenceSequences: [...unidentified] };
  }
  return {
    status: 'passed',
    settled: false,
    message: total === 0 ? `None of the ${calls} took effect.` : `${total} ${noun(total, 'effect')} of ${calls}, none twice.`,
    expected: { atMost: 1 },
    actual: total === 0 ? 0 : 1,
    location,
    diff: { operator: 'at_most_once', matched: true, details: { effects: distinct + unidentified.length } },
    evidenceSequences: [],
  };
}
