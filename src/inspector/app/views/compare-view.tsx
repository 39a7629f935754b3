// Two runs side by side: whether their inputs were the same, where they parted, what came of it. Facts only, never which is better.
import type { ComponentChildren } from 'preact';
import type { RunComparison, RunDifferences } from '../../../contract/hosted/runs.js';
import type { SavedRun } from '../../../contract/inspector/runs.js';
import { Await, Empty, useLoad } from '../../../viewer/kit/loading.tsx';
import { ColumnHeads, hostTime, PageHead, Scroll, Short, Status } from '../../../viewer/kit/parts.tsx';
import { tuning } from '../../tuning.js';
import { runsEnded } from '../state/live.tsx';
import { routeHash, runHash } from '../state/route.ts';
import { client, go } from '../state/session.tsx';

export function CompareView({ query }: { query: { [name: string]: string } }) {
  const list = useLoad(
    `runs to compare ${runsEnded.value}`,
    async () => (await client.call('listRuns', { query: { limit: tuning.runsChosenFrom } })).runs,
  );
  const { left, right } = query;
  return (
    <>
      <PageHead title="Compare" lead="Two sealed runs: what went in, where they parted, what came out." />
      <Await of={list} what="the runs">
        {(runs) =>
          runs.length < 2 ? (
            <Empty title="Two runs are needed">
              <p>
                <a href={routeHash('drills')}>Run a drill</a> twice, say once with another seed, and come back.
              </p>
            </Empty>
          ) : (
            <>
              <div class="pickers">
                <Picker side="Left" runs={runs} chosen={left} onChoose={(runId) => go(routeHash('compare', [], { left: runId, right }))} />
                <button
                  type="button"
                  class="icon"
                  aria-label="Swap sides"
                  onClick={() => go(routeHash('compare', [], { left: right, right: left }))}
                >
                  ⇄
                </button>
                <Picker
                  side="Right"
                  runs={runs}
                  chosen={right}
                  onChoose={(runId) => go(routeHash('compare', [], { left, right: runId }))}
                  near={runs.find((run) => run.runId === left)}
                />
              </div>
              {left === undefined || right === undefined || left === '' || right === '' ? (
                <Empty title="Choose the two runs">
                  <p>Runs of the same drill say most: with equal inputs, whatever differs came from the agent.</p>
                </Empty>
              ) : (
                <Compared key={`${left} ${right}`} left={left} right={right} />
              )}
            </>
          )
        }
      </Await>
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

/** Runs of the same drill first, if the other side is chosen. */
function Picker({ side, runs, chosen, onChoose, near }: PickerProps) {
  const same = near === undefined ? [] : runs.filter((run) => run.drill.id === near.drill.id && run.runId !== near.runId);
  const rest = runs.filter((run) => !same.includes(run));
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
        {same.length > 0 && <optgroup label="The same drill">{same.map(option)}</optgroup>}
        <optgroup label={same.length > 0 ? 'Others' : 'Runs'}>{rest.map(option)}</optgroup>
      </select>
    </label>
  );
}

const grades: { [Grade in RunComparison['grade']]: [string, string] } = {
  exact_inputs: ['Equal inputs', 'World, setup, seed and target are the same. All that differs came from the agent.'],
  descriptive_only: ['Different inputs', 'What differs below may come from the inputs as well as from the agent.'],
  incompatible: ['Not comparable', 'These are runs of different drills: there is nothing to align.'],
};

function Compared({ left, right }: { left: string; right: string }) {
  const loaded = useLoad(`compare ${left} ${right}`, async () => (await client.call('compareRuns', { body: { left, right } })).comparison);
  return (
    <Await of={loaded} what="the comparison">
      {(comparison) => (
        <>
          <div class={`grade ${comparison.grade}`}>
            <h2>{grades[comparison.grade][0]}</h2>
            <p>{grades[comparison.grade][1]}</p>
            <p class="row">
              {(['stateHash', 'evidenceHash', 'trajectoryHash'] as const).map((name) => (
                <span key={name} class={comparison.equal[name] ? 'check passed' : 'check differs'}>
                  {name.replace('Hash', '')} {comparison.equal[name] ? 'equal' : 'differs'}
                </span>
              ))}
            </p>
          </div>
          {comparison.firstDivergence !== undefined && <Divergence comparison={comparison} />}
          {comparison.differences !== undefined && <Differences comparison={comparison} differences={comparison.differences} />}
          {comparison.inputs.length > 0 && (
            <Sides title="Inputs that differ" comparison={comparison}>
              {comparison.inputs.map((input) => (
                <Delta
                  key={input.name}
                  name={input.name}
                  left={<Short value={input.left} max={60} />}
                  right={<Short value={input.right} max={60} />}
                  differs
                />
              ))}
            </Sides>
          )}
          <Sides title="Assertions" comparison={comparison}>
            {comparison.assertions.map((assertion) => (
              <Delta
                key={assertion.assertionId}
                name={assertion.assertionId}
                left={assertion.left === undefined ? <span class="nothing">absent</span> : <Status value={assertion.left} />}
                right={assertion.right === undefined ? <span class="nothing">absent</span> : <Status value={assertion.right} />}
                differs={assertion.left !== assertion.right}
              />
            ))}
          </Sides>
          <Sides title="Counts" comparison={comparison}>
            {comparison.counts.map((count) => (
              <Delta
                key={count.name}
                name={count.name}
                left={count.left.toLocaleString('en-US')}
                right={count.right.toLocaleString('en-US')}
                differs={count.left !== count.right}
                delta={count.right - count.left}
              />
            ))}
          </Sides>
        </>
      )}
    </Await>
  );
}

function Divergence({ comparison }: { comparison: RunComparison }) {
  const { leftSequence, rightSequence, summary } = comparison.firstDivergence!;
  return (
    <div class="finding inconclusive">
      <h2 class="h3">Where they part</h2>
      <p class="message">{summary}</p>
      <p class="row">
        {leftSequence !== undefined && <a href={runHash(comparison.left.runId, { seq: leftSequence })}>Left, entry #{leftSequence}</a>}
        {rightSequence !== undefined && <a href={runHash(comparison.right.runId, { seq: rightSequence })}>Right, entry #{rightSequence}</a>}
      </p>
    </div>
  );
}

const kinds: { [Kind in RunDifferences['shown'][number]['kind']]: string } = {
  only_left: 'only left',
  only_right: 'only right',
  changed: 'changed',
  moved: 'moved',
};

/** Turn by turn, aligned by what caused each: one call more shifts nothing. */
function Differences({ comparison, differences }: { comparison: RunComparison; differences: RunDifferences }) {
  const { same, changed, moved, onlyLeft, onlyRight, isComplete, shown } = differences;
  const all = changed + moved + onlyLeft + onlyRight;
  return (
    <section>
      <h2>What differs</h2>
      <p class="quiet">
        {`${same.toLocaleString('en-US')} turns are the same, ${changed} changed, ${moved} moved, ${onlyLeft} only left, ${onlyRight} only right.`}
        {all > shown.length && ` The first ${shown.length} are listed.`}
        {!isComplete && ' The journals are too long to be aligned to their ends.'}
      </p>
      {shown.length > 0 && (
        <Scroll label="What differs">
          <table class="sides">
            <ColumnHeads names={['Kind', 'What', 'Left', 'Right']} />
            <tbody>
              {shown.map(({ kind, left, right, summary }, index) => (
                <tr key={index} class="differs">
                  <th scope="row">{kinds[kind]}</th>
                  <td>{summary}</td>
                  <td>{left !== undefined && <a href={runHash(comparison.left.runId, { seq: left.sequence })}>#{left.sequence}</a>}</td>
                  <td>{right !== undefined && <a href={runHash(comparison.right.runId, { seq: right.sequence })}>#{right.sequence}</a>}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </section>
  );
}

function Sides({ title, comparison, children }: { title: string; comparison: RunComparison; children: ComponentChildren }) {
  return (
    <section>
      <h2>{title}</h2>
      <Scroll label={title}>
        <table class="sides">
          <thead>
            <tr>
              <th scope="col">Name</th>
              {(['left', 'right'] as const).map((side) => (
                <th key={side} scope="col">
                  <a href={runHash(comparison[side].runId)}>{side === 'left' ? 'Left' : 'Right'}</a>{' '}
                  <Status value={comparison[side].verdict} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{children}</tbody>
        </table>
      </Scroll>
    </section>
  );
}

interface DeltaProps {
  name: string;
  left: ComponentChildren;
  right: ComponentChildren;
  differs: boolean;
  delta?: number;
}

function Delta({ name, left, right, differs, delta = 0 }: DeltaProps) {
  return (
    <tr class={differs ? 'differs' : 'same'}>
      <th scope="row">{name}</th>
      <td>{left}</td>
      <td>
        {right} {delta !== 0 && <span class="delta">{`${delta > 0 ? '+' : '−'}${Math.abs(delta).toLocaleString('en-US')}`}</span>}
      </td>
    </tr>
  );
}
