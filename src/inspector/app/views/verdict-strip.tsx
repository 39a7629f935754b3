// The verdicts of the last runs as a row of small bars, the newest at the right; each leads to its run.
import type { SavedRun } from '../../../contract/inspector/runs.js';
import { tuning } from '../../tuning.js';
import { agoText } from '../kit/host-time.tsx';
import { runHash } from '../state/route.ts';

/** `runs`: the newest first, as lists have them. */
export function VerdictStrip({ runs }: { runs: readonly SavedRun[] }) {
  const shown = runs.slice(0, tuning.stripRuns).reverse();
  return (
    <ol class="strip" aria-label={`The last ${shown.length} runs, the newest at the end`}>
      {shown.map((run) => {
        const words = `${run.verdict}, ${agoText(run.finishedAtMs, Date.now())}: ${run.headline}`;
        return (
          <li key={run.runId}>
            <a class={run.verdict} href={runHash(run.runId)} title={words}>
              <span class="unseen">{words}</span>
            </a>
          </li>
        );
      })}
    </ol>
  );
}
