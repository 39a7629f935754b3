// time.reached: whether the clock got to a time. A clock that stands at a time has reached it; in a run it never goes back.
import type { TimeReachedAssertion } from '../../contract/run/assertion.js';
import { clockAfter } from '../../contract/world/evidence.js';
import type { Check, RunStart } from './finding.js';

export function timeReached({ virtualTimeUs, afterStartUs = 0 }: TimeReachedAssertion, { startUs }: RunStart): Check {
  const wantedUs = virtualTimeUs ?? startUs + afterStartUs;
  let nowUs = startUs;
  /** The entry that moved the clock last, up to the time that is waited for. */
  let movedAt: number | undefined;
  return {
    observe: (entry) => {
      const atUs = clockAfter(nowUs, entry);
      if (atUs === nowUs) return;
      if (nowUs < wantedUs) movedAt = entry.sequence;
      nowUs = atUs;
    },
    finding: () => {
      const matched = nowUs >= wantedUs;
      const since = `${wantedUs} us${virtualTimeUs === undefined ? ` (${afterStartUs} us after the start)` : ''}`;
      return {
        status: matched ? 'passed' : 'failed',
        settled: matched,
        message: matched ? `The clock reached ${since}.` : `The clock stands at ${nowUs} us; expected it to reach ${since}.`,
        expected: wantedUs,
        actual: nowUs,
        location: { subject: 'clock' },
        diff: { operator: 'reached', matched, details: matched ? {} : { missingUs: wantedUs - nowUs } },
        evidenceSequences: movedAt === undefined ? [] : [movedAt],
      };
    },
  };
}
