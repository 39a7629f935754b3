// A run request as it goes: how far it is, each attempt with its verdict, and how to do it again exactly.
import { defined } from '../../../contract/defined.js';
import type { RequestedRun, RunRequest } from '../../../contract/inspector/runs.js';
import type { Diagnostic } from '../../../contract/run/build.js';
import { repetitionText } from '../../../reports/repetition-text.js';
import { rateText } from '../../../reports/shown-values.js';
import { counted, hostDuration, Problem, Status } from '../../../viewer/kit/parts.tsx';
import { tuning } from '../../tuning.js';
import { active, isOffline, noteRequest, requests } from '../state/live.tsx';
import { runHash } from '../state/route.ts';
import { client } from '../state/session.tsx';
import { useBusy } from '../state/use-busy.tsx';
import { DiagnosticsThen } from './diagnostic-list.tsx';

/** The latest that fit. */
export function Requests({ matches }: { matches: (request: RunRequest) => boolean }) {
  const mine = [...requests.value.values()].filter(matches).sort((left, right) => right.createdAtMs - left.createdAtMs);
  return (
    <>
      {mine.slice(0, tuning.requestsShown).map((request, index) => (
        <RequestCard key={request.requestId} request={request} number={mine.length - index} />
      ))}
    </>
  );
}

/** `number`: what tells it from others on the page. */
function RequestCard({ request, number }: { request: RunRequest; number: number }) {
  const { plan, runs, summary, state } = request;
  const done = doneOf(request);
  const diagnosed = (request.failure?.details?.diagnostics ?? []) as unknown as Diagnostic[];
  const ended = state === 'finished' || state === 'failed' || state === 'cancelled';
  // What was cut short has measured nothing.
  const verdict = state === 'cancelled' ? state : (summary?.verdict ?? state);
  return (
    <section class={`request ${verdict}`} aria-label={`Run request ${number}, ${state}`}>
      <header class="row">
        {ended ? <Status value={verdict} /> : <span class="spinner" aria-hidden="true" />}
        <strong role="status">
          {roundText(request)}
          {progressText(request, done)}
        </strong>
        <span class="quiet grow">
          {plan !== undefined && (
            <>
              seed <code>{plan.seed}</code>
            </>
          )}
        </span>
        <RequestActions request={request} ended={ended} />
      </header>
      {plan !== undefined && plan.runs > 1 && !ended && <progress max={plan.runs} value={done} aria-label="Attempts finished" />}
      {request.failure !== undefined && <p class="bad-text">{request.failure.message}</p>}
      {diagnosed.length > 0 && <DiagnosticsThen list={diagnosed.slice(0, tuning.diagnosticsShown)} />}
      {diagnosed.length > tuning.diagnosticsShown && (
        <p class="quiet">and {counted(diagnosed.length - tuning.diagnosticsShown, 'further diagnostic')}: World has all of them.</p>
      )}
      <ul class="attempts">
        {runs.slice(-60).map((run) => (
          <Attempt key={run.runId} run={run} single={request.drillIds?.length === 1} />
        ))}
      </ul>
    </section>
  );
}

/** By itself. */
const hasEnded = ({ state, status }: RequestedRun): boolean => state === 'finished' && status !== 'cancelled';

/** Attempts that have ended; of what is run until it fails those of the present round. */
function doneOf({ runs, round = 1, plan }: RunRequest): number {
  const done = runs.filter(hasEnded).length;
  return plan === undefined || round === 1 ? done : Math.min(Math.max(done - (round - 1) * plan.runs, 0), plan.runs);
}

/** Of what is run until it fails: which time this is, or was the last. */
function roundText({ asked: { untilFailed }, round, state }: RunRequest): string {
  return untilFailed === undefined || round === undefined || state === 'queued' ? '' : `Round ${round} of ${untilFailed}: `;
}

function progressText({ state, plan, runs, drills, summary, startedAtMs, finishedAtMs }: RunRequest, done: number): string {
  if (state === 'queued') return 'Waiting for its turn';
  if (state === 'running') return plan === undefined ? 'Compiling' : `${done} of ${counted(plan.runs, 'attempt')}`;
  const took = startedAtMs === undefined || finishedAtMs === undefined ? '' : ` in ${hostDuration(finishedAtMs - startedAtMs)}`;
  if (state === 'cancelled') {
    if (plan === undefined) return 'Cancelled';
    const ended = runs.filter(hasEnded).slice(-done || runs.length);
    const came =
      done === 0 ? '' : `: ${countsText(verdicts.map((word) => [ended.filter(({ verdict }) => verdict === word).length, word]))}`;
    return `Cancelled after ${done} of ${counted(plan.runs, 'attempt')}${came}${took}`;
  }
  if (summary === undefined) return 'Could not run';
  const [drill, ...others] = drills;
  if (drill?.statistics !== undefined && others.length === 0) {
    const { trialsPassed, trialCount, flaky, statistics } = drill;
    const rate = `${flaky === true ? 'first attempts ' : ''}${rateText(statistics)}`;
    return `${trialsPassed} of ${counted(trialCount, 'trial')} passed, ${rate}${took}`;
  }
  return countsText([...verdicts.map((word) => [summary[word], word] as const), [summary.skipped ?? 0, 'skipped']]) + took;
}

const verdicts = ['passed', 'failed', 'inconclusive'] as const;
const countsText = (counts: readonly (readonly [number, string])[]): string =>
  counts
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${count} ${word}`)
    .join(', ');

function Attempt({ run, single }: { run: RequestedRun; single: boolean }) {
  const now = active.value.get(run.runId);
  const broken = run.failedAssertions ?? [];
  return (
    <li>
      {run.state === 'running' ? <span class="spinner" aria-hidden="true" /> : <Status value={run.verdict ?? run.status ?? 'finished'} />}
      <a href={runHash(run.runId, broken[0] === undefined ? {} : { assertion: broken[0].assertionId })}>
        {single ? `Trial ${run.trial}` : run.drillId}
        {!single && run.trial > 1 ? `, trial ${run.trial}` : ''}
        {run.attempt > 1 ? `, attempt ${run.attempt}` : ''}
      </a>
      <span class="quiet">
        {now !== undefined
          ? (now.interactionId ?? 'setting up')
          : broken.length > 0
            ? broken.map((assertion) => assertion.assertionId).join(', ')
            : ''}
        {run.repetition !== undefined && ` ${repetitionText(run.repetition)}`}
      </span>
    </li>
  );
}

function RequestActions({ request, ended }: { request: RunRequest; ended: boolean }) {
  const { busy, problem, run } = useBusy();
  const attempt = (act: () => Promise<{ request: RunRequest }>) => () => run(async () => noteRequest((await act()).request));
  const { requestId, asked, plan } = request;
  const cancel = attempt(() => client.call('cancelRunRequest', { path: { requestId }, body: {} }));
  const again = attempt(() => client.call('startRun', { body: { ...asked, ...defined({ seed: plan?.seed }) } }));
  return (
    <>
      <Problem text={problem} />
      {ended ? (
        <button type="button" onClick={again} aria-disabled={busy} disabled={isOffline.value}>
          Repeat with this seed
        </button>
      ) : (
        <button type="button" onClick={cancel} aria-disabled={busy || request.cancelAsked} disabled={isOffline.value}>
          {request.cancelAsked ? 'Cancelling…' : 'Cancel'}
        </button>
      )}
    </>
  );
}
