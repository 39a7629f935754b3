// What the runs of one drill say about it: rate with its interval, pass^k, the last verdicts, and what decided those that did not pass.
import type { SavedRun } from '../../../contract/inspector/runs.js';
import type { TrialStatistics } from '../../../contract/trial-statistics.js';
import { medianOf, trialStatistics } from '../../../drills/plan/statistics.js';
import { inconsistentOf, inputsOf, passedAtRetryOf } from '../../../drills/stored/flakiness.js';
import { rateText } from '../../../reports/shown-values.js';
import { compareTexts } from '../../../text/compare-texts.ts';
import { ColumnHeads, counted, Fact, hostDuration, Scroll, Status } from '../../../viewer/kit/parts.tsx';
import { tuning } from '../../tuning.js';
import { runHash } from '../state/route.ts';
import { VerdictStrip } from './verdict-strip.tsx';

export interface TrialFiguresProps {
  /** Of one drill, the newest first. */
  runs: readonly SavedRun[];
  /** There are older ones, which are not counted. */
  isPart: boolean;
  /** The rate and the last verdicts alone. */
  isShort?: boolean;
}

export function TrialFigures({ runs, isPart, isShort = false }: TrialFiguresProps) {
  const first = runs.filter(({ attempt }) => attempt === 1);
  if (first.length === 0) return null;
  const passed = first.filter(({ verdict }) => verdict === 'passed').length;
  const statistics = trialStatistics({ trials: first.length, passed });
  return (
    <section class="card figures" aria-label="Trials">
      <div class="figures-head">
        <p class="rate">
          <strong>
            {passed} of {counted(first.length, 'trial')} passed
          </strong>{' '}
          <span class="quiet">
            {rateText(statistics)}
            {isPart && `, of the latest ${counted(runs.length, 'run')}`}
          </span>
        </p>
        <VerdictStrip runs={runs} />
      </div>
      {!isShort && <Rates runs={runs} statistics={statistics} />}
    </section>
  );
}

function Rates({ runs, statistics }: { runs: readonly SavedRun[]; statistics: TrialStatistics }) {
  const flaky = flakyWords(runs);
  return (
    <>
      <dl class="facts">
        {flaky !== '' && (
          <Fact name="Flaky">
            <span class="status">{flaky}</span>
          </Fact>
        )}
        <Fact name="Typical time">{hostDuration(medianOf(runs.map((run) => run.finishedAtMs - run.startedAtMs)))}</Fact>
        {statistics.atK
          .filter(({ k }) => k > 1)
          .slice(0, tuning.ratesAtK)
          .map(({ k, passAtK, passHatK }) => (
            <Fact key={k} name={`Of ${k} trials`}>
              all pass {percent(passHatK)}, <span class="quiet">one at least {percent(passAtK)}</span>
            </Fact>
          ))}
      </dl>
      <Outcomes runs={runs.filter(({ verdict }) => verdict !== 'passed')} />
    </>
  );
}

/** As `drillyard history` marks it. */
function flakyWords(runs: readonly SavedRun[]): string {
  const judged = runs
    .map((run) => ({ ...run, inputs: inputsOf({ ...run, targetId: run.target.id }) }))
    .sort((left, right) => left.startedAtMs - right.startedAtMs || compareTexts(left.runId, right.runId));
  const [retried, inconsistent] = [passedAtRetryOf(judged).length, inconsistentOf(judged).length];
  return [
    ...(retried === 0 ? [] : [`${counted(retried, 'trial')} passed when tried again`]),
    ...(inconsistent === 0 ? [] : [`verdicts of ${counted(inconsistent, 'seed')} went to and fro`]),
  ].join(', ');
}

/** Those that did not pass, by what decided them: the same reason again and again is one line. */
function Outcomes({ runs }: { runs: readonly SavedRun[] }) {
  if (runs.length === 0) return null;
  const reasons = Map.groupBy(runs, ({ verdict, headline }) => `${verdict} ${headline}`);
  const rows = [...reasons.values()].sort((left, right) => right.length - left.length).slice(0, tuning.reasonsShown);
  return (
    <Scroll label="Why runs did not pass" flat>
      <table class="reasons">
        <ColumnHeads names={['Runs', 'Verdict', 'What decided it, in the latest']} />
        <tbody>
          {rows.map((same) => (
            <tr key={same[0]!.runId}>
              <td class="number-cell">{same.length}</td>
              <td>
                <Status value={same[0]!.verdict} />
              </td>
              <td>
                <a href={runHash(same[0]!.runId)}>{same[0]!.headline}</a>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function percent(share: number): string {
  return share === 0 || share === 1 ? `${share * 100} %` : `${Math.min(Math.max(Math.round(share * 1000) / 10, 0.1), 99.9)} %`;
}
