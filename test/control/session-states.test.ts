// The session's state machine as a law: of all moves that are tried, only those of the drawing are made, and the version counts them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SessionRecord } from '../../src/control/catalog/session-records.js';
import { advanceLease, type SessionState, takeLease, transition } from '../../src/control/sessions/states.js';

const states: SessionState[] = ['creating', 'warming', 'ready', 'resetting', 'degraded', 'expired', 'destroying', 'destroyed'];
const drawing: [SessionState, SessionState][] = [
  ['creating', 'warming'],
  ['creating', 'ready'],
  ['warming', 'ready'],
  ['ready', 'resetting'],
  ['resetting', 'ready'],
  ['ready', 'degraded'],
  ['degraded', 'ready'],
  ['degraded', 'resetting'],
  ...(['creating', 'warming', 'ready', 'resetting', 'degraded'] as const).flatMap((live): [SessionState, SessionState][] => [
    [live, 'expired'],
    [live, 'destroying'],
  ]),
  ['destroying', 'destroyed'],
];
const recordIn = (state: SessionState): SessionRecord =>
  ({
    session: { sessionId: 'ses_0', state, version: 4, leaseGeneration: 2, updatedAtMs: 1 },
    setupHash: 'x',
    createdBy: 'y',
    clockUs: 0,
  }) as unknown as SessionRecord;

// SESSION-STATES-1
test('a session moves as drawn and in no other way, and its version rises with every move', () => {
  for (const from of states) {
    for (const to of states) {
      const before = recordIn(from);
      if (drawing.some(([left, right]) => left === from && right === to)) {
        const { session } = transition(before, to, 9);
        assert.deepEqual([session.state, session.version, session.updatedAtMs], [to, 5, 9]);
      } else {
        assert.throws(() => transition(before, to, 9), new RegExp(`from ${from} to ${to}`));
      }
      assert.deepEqual(before, recordIn(from));
    }
  }
});

// SESSION-STATES-2
test('a new lease knows nothing of the run that owned the old one', () => {
  const taken = takeLease(recordIn('ready'), 'hrun_0', 9);
  assert.equal(taken.hostedRunId, 'hrun_0');
  const next = advanceLease(taken);
  assert.deepEqual([next.hostedRunId, next.session.leaseGeneration], [undefined, 3]);
});
