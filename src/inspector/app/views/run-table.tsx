// Saved runs as a table; on a phone each is a card.
import { useState } from 'preact/hooks';
import type { SavedRun } from '../../../contract/inspector/runs.js';
import { virtualDuration } from '../../../text/virtual-time.js';
import { counted, hostDuration, Problem, Scroll, Status } from '../../../viewer/kit/parts.tsx';
import { Ago } from '../kit/host-time.tsx';
import { isOffline, noteRequest } from '../state/live.tsx';
import { runHash } from '../state/route.ts';
import { client, go } from '../state/session.tsx';
import { useBusy } from '../state/use-busy.tsx';
import { RerunDialog } from './rerun-dialog.tsx';

interface RunTableProps {
  runs: readonly SavedRun[];
  /** The drill is known: its column says which trial, and what decided it. */
  ofOneDrill?: boolean;
  /** Commands of which runs may be left out here: by a filter every one, by the end of a page the last. */
  cut: 'none' | 'last' | 'every';
}

export function RunTable({ runs, ofOneDrill = false, cut }: RunTableProps) {
  const groups = groupsOf(runs);
  return (
    <Scroll label="Runs">
      <table class="runs">
        <thead>
          <tr>
            <th scope="col">Verdict</th>
            <th scope="col">{ofOneDrill ? 'Run' : 'Drill'}</th>
            <th scope="col" class="number-cell">
              Assertions
            </th>
            <th scope="col" class="number-cell wide-cell">
              Entries
            </th>
            <th scope="col" class="number-cell wide-cell">
              Virtual time
            </th>
            <th scope="col" class="number-cell wide-cell">
              Took
            </th>
            <th scope="col">When</th>
          </tr>
        </thead>
        {groups.map((group, index) => (
          <tbody key={group[0]!.runId}>
            {group.length > 1 && <GroupRow runs={group} isCut={cut === 'every' || (cut === 'last' && index === groups.length - 1)} />}
            {group.map((run) => (
              <RunRow key={run.runId} run={run} ofOneDrill={ofOneDrill} />
            ))}
          </tbody>
        ))}
      </table>
    </Scroll>
  );
}

/** Runs of one command stand together; those that nobody knows the command of stand alone. */
function groupsOf(runs: readonly SavedRun[]): SavedRun[][] {
  const groups: SavedRun[][] = [];
  for (const run of runs) {
    const last = groups.at(-1);
    if (last !== undefined && run.invocation !== undefined && last[0]?.invocation?.id === run.invocation.id) last.push(run);
    else groups.push([run]);
  }
  return groups;
}

/** What one command came to, and what of it failed once more. `isCut`: not all of its runs may be here. */
function GroupRow({ runs, isCut }: { runs: readonly SavedRun[]; isCut: boolean }) {
  const { busy, problem, run } = useBusy();
  const [choosing, setChoosing] = useState(false);
  const { invocation } = runs[0]!;
  const count = (wanted: string): number => runs.filter(({ verdict }) => verdict === wanted).length;
  const words = ['failed', 'inconclusive', 'passed'].flatMap((name) => (count(name) === 0 ? [] : [`${count(name)} ${name}`]));
  const tookMs = Math.max(...runs.map((run) => run.finishedAtMs)) - Math.min(...runs.map((run) => run.startedAtMs));
  const again = async (): Promise<void> => noteRequest((await client.call('startRun', { body: { failedOf: invocation!.id } })).request);
  return (
    <tr class="run-group">
      <th scope="rowgroup" colSpan={7}>
        <span class="row">
          <span class="grow">
            {counted(runs.length, 'run')}
            {isCut && ' shown'}: {words.join(', ')}{' '}
            <span class="quiet">
              seed {invocation!.seed}
              {!isCut && ` · in ${hostDuration(tookMs)}`}
            </span>
          </span>
          {lastAttempts(runs).some(({ verdict }) => verdict !== 'passed') && (
            <span class="joined-buttons">
              <button type="button" aria-disabled={busy} disabled={isOffline.value} onClick={() => run(again)}>
                Run again what did not pass
              </button>
              <button type="button" aria-label="Seeds… for what did not pass" onClick={() => setChoosing(true)}>
                Seeds…
              </button>
            </span>
          )}
          <Problem text={problem} />
          {choosing && (
            <RerunDialog
              title="Run again what did not pass"
              what={{ failedOf: invocation!.id }}
              seed={invocation!.seed}
              onClose={() => setChoosing(false)}
            />
          )}
        </span>
      </th>
    </tr>
  );
}

/** What each trial came to. */
function lastAttempts(runs: readonly SavedRun[]): SavedRun[] {
  const last = new Map<string, SavedRun>();
  for (const run of runs) {
    const key = `${run.drill.id} ${run.trial}`;
    if ((last.get(key)?.attempt ?? 0) < run.attempt) last.set(key, run);
  }
  return [...last.values()];
}

function trialName({ trial, trialCount, attempt, invocation, seed }: SavedRun): string {
  const name = trialCount === 1 ? `Seed ${invocation?.seed ?? seed}` : `Trial ${trial} of ${trialCount}`;
  return attempt > 1 ? `${name}, attempt ${attempt}` : name;
}

function RunRow({ run, ofOneDrill }: { run: SavedRun; ofOneDrill: boolean }) {
  const { passed, failed, inconclusive, invalid } = run.assertions;
  const open = (event: MouseEvent): void => {
    if ((event.target as HTMLElement).closest('a') === null) go(runHash(run.runId));
  };
  const about = [
    ...(ofOneDrill || run.drill.title === undefined ? [] : [run.drill.id]),
    ...(run.trialCount > 1 && !ofOneDrill ? [`trial ${run.trial} of ${run.trialCount}`] : []),
    ...(run.attempt > 1 && !ofOneDrill ? [`attempt ${run.attempt}`] : []),
    ...(run.attachments > 0 ? [counted(run.attachments, 'attachment')] : []),
  ];
  const title = ofOneDrill ? trialName(run) : (run.drill.title ?? run.drill.id);
  return (
    <tr class="run-row" onClick={open}>
      <td>
        <Status value={run.verdict} />
      </td>
      <td class="run-name">
        <a href={runHash(run.runId)}>{title}</a>
        {run.verdict !== 'passed' && <small class={`reason ${run.verdict}`}>{run.headline}</small>}
        <small class="quiet" title={`seed ${run.seed}, build ${run.buildHash.slice(7, 19)}`}>
          {about.join(' · ')}
        </small>
      </td>
      <td class="number-cell" data-name="assertions">
        {passed}
        <span class="quiet">/{passed + failed + inconclusive + invalid}</span>
      </td>
      <td class="number-cell wide-cell">{run.entries.toLocaleString('en-US')}</td>
      <td class="number-cell wide-cell">{virtualDuration(run.finishedAtVirtualUs - run.startedAtVirtualUs)}</td>
      <td class="number-cell wide-cell">{hostDuration(run.finishedAtMs - run.startedAtMs)}</td>
      <td class="when quiet">
        <Ago ms={run.finishedAtMs} />
      </td>
    </tr>
  );
}
