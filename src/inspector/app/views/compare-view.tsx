// Two runs side by side: which two. What the comparison says is the viewer's.
import type { SavedRun } from '../../../contract/inspector/runs.js';
import { Await, Empty, useLoad } from '../../../viewer/kit/loading.tsx';
import { hostTime, PageHead, Status } from '../../../viewer/kit/parts.tsx';
import { tuning } from '../../tuning.js';
import { runsEnded } from '../state/live.tsx';
import { routeHash } from '../state/route.ts';
import { client, go } from '../state/session.tsx';
import { ComparedRuns } from './compared-runs.tsx';
import { counterpartOf, suggestedPairs } from './run-pairs.ts';

interface Chosen {
  left: string | undefined;
  right: string | undefined;
}

export function CompareView({ query }: { query: { [name: string]: string } }) {
  const list = useLoad(
    `runs to compare ${runsEnded.value}`,
    async () => (await client.call('listRuns', { query: { limit: tuning.runsChosenFrom } })).runs,
    { keep: true },
  );
  return (
    <>
      <PageHead title="Compare" lead="Two sealed runs: what went in, where they parted and with which values, what came out." />
      <Await of={list} what="the runs">
        {(runs) =>
          runs.length < 2 ? (
            <Empty title="Two runs are needed">
              <p>
                <a href={routeHash('drills')}>Run a drill</a> twice, say once with another seed, and come back.
              </p>
            </Empty>
          ) : (
            <Chooser runs={runs} left={given(query.left)} right={given(query.right)} />
          )
        }
      </Await>
    </>
  );
}

const given = (runId: string | undefined): string | undefined => (runId === '' ? undefined : runId);
const compareHash = ({ left, right }: Chosen): string => routeHash('compare', [], { left, right });

/** With one run chosen, the other is the one that says most beside it, until somebody chooses another. */
function Chooser({ runs, left, right: asked }: { runs: readonly SavedRun[] } & Chosen) {
  const near = runs.find((run) => run.runId === left);
  const right = asked ?? (near === undefined ? undefined : counterpartOf(near, runs)?.runId);
  return (
    <>
      <div class="pickers">
        <Picker side="Left" runs={runs} chosen={left} onChoose={(runId) => go(compareHash({ left: runId, right }))} />
        <button type="button" class="icon" aria-label="Swap sides" onClick={() => go(compareHash({ left: right, right: left }))}>
          ⇄
        </button>
        <Picker side="Right" runs={runs} chosen={right} onChoose={(runId) => go(compareHash({ left, right: runId }))} near={near} />
      </div>
      {left === undefined || right === undefined ? (
        <Suggestions runs={runs} />
      ) : (
        <ComparedRuns key={`${left} ${right}`} left={left} right={right} />
      )}
    </>
  );
}

function Suggestions({ runs }: { runs: readonly SavedRun[] }) {
  const pairs = suggestedPairs(runs).slice(0, tuning.pairsSuggested);
  return (
    <>
      {pairs.length === 0 && (
        <Empty title="Choose the two runs">
          <p>Runs of one setup say most: with equal inputs, whatever differs came from the agent.</p>
        </Empty>
      )}
      {pairs.length > 0 && <h2>What failed, beside what passed</h2>}
      <ul class="stack">
        {pairs.map(({ failed, passed }) => (
          <li key={failed.runId} class="card row">
            <a class="grow" href={compareHash({ left: failed.runId, right: passed.runId })}>
              <strong>{failed.drill.title ?? failed.drill.id}</strong>
            </a>
            <span class="quiet">
              <Status value={failed.verdict} /> {hostTime(failed.finishedAtMs)}, <Status value={passed.verdict} />{' '}
              {failed.drill.id === passed.drill.id ? '' : `${passed.drill.id}, `}
              {hostTime(passed.finishedAtMs)}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

interface PickerProps {
  side: string;
  runs: readonly SavedRun[];
  chosen: string | undefined;
  onChoose: (runId: string) => void;
  near?: SavedRun | undefined;
}

/** Runs of the same drill first, then of the same scenario, if the other side is chosen. */
function Picker({ side, runs, chosen, onChoose, near }: PickerProps) {
  const others = near === undefined ? [] : runs.filter((run) => run.runId !== near.runId);
  const same = others.filter((run) => run.drill.id === near?.drill.id);
  const beside = others.filter((run) => !same.includes(run) && run.scenarioId === near?.scenarioId);
  const rest = runs.filter((run) => !same.includes(run) && !beside.includes(run));
  const isGrouped = same.length + beside.length > 0;
  const option = (run: SavedRun) => (
    <option key={run.runId} value={run.runId}>
      {`${run.drill.id} · ${run.verdict} · ${run.trialCount > 1 ? `trial ${run.trial} · ` : ''}${hostTime(run.finishedAtMs)} · ${run.runId.slice(-6)}`}
    </option>
  );
  return (
    <label class="field grow">
      {side}
      <select value={chosen ?? ''} onChange={(event) => onChoose(event.currentTarget.value)}>
        <option value="">Choose a run…</option>
        {chosen !== undefined && !runs.some(({ runId }) => runId === chosen) && <option value={chosen}>{chosen}</option>}
        {same.length > 0 && <optgroup label="The same drill">{same.map(option)}</optgroup>}
        {beside.length > 0 && <optgroup label="The same scenario">{beside.map(option)}</optgroup>}
        <optgroup label={isGrouped ? 'Others' : 'Runs'}>{rest.map(option)}</optgroup>
      </select>
    </label>
  );
}
