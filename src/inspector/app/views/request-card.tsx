// A run request as it goes: how far it is, each attempt with its verdict, and how to do it again exactly.
import { useState } from 'preact/hooks';
import { defined } from '../../../contract/defined.js';
import type { RequestedRun, RunRequest } from '../../../contract/inspector/runs.js';
import type { Diagnostic } from '../../../contract/run/build.js';
import { repetitionText } from '../../../reports/repetition-text.js';
import { rateText } from '../../../reports/shown-values.js';
import { counted, hostDuration, Status } from '../../../viewer/kit/parts.tsx';
import { tuning } from '../../tuning.js';
import { active, isOffline, noteRequest, requests } from '../state/live.tsx';
import { runHash } from '../state/route.ts';
import { client } from '../state/session.tsx';
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
  return (
    <section class={`request ${summary?.verdict ?? state}`} aria-label={`Run request ${number}, ${state}`}>
      <header class="row">
        {ended ? <Status value={summary?.verdict ?? state} /> : <span class="spinner" aria-hidden="true" />}
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

/** Attempts that have ended; of what is run until it fails those of the present round. */
function doneOf({ runs, round = 1, plan }: RunRequest): number {
  const done = runs.filter((run) => run.state === 'finished').length;
  return plan === undefined || round === 1 ? done : Math.min(Math.max(done - (round - 1) * plan.runs, 0), plan.runs);
}

/** Of what is run until it fails: which time this is, or was the last. */
function roundText({ asked: { untilFailed }, round, state }: RunRequest): string {
  return untilFailed === undefined || round === undefined || state === 'queued' ? '' : `Round ${round} of ${untilFailed}: `;
}

function progressText({ state, plan, drills, summary, startedAtMs, finishedAtMs }: RunRequest, done: number): string {
  if (state === 'queued') return 'Waiting for its turn';
  if (state === 'running') return plan === undefined ? 'Compiling' : `${done} of ${counted(plan.runs, 'attempt')}`;
  const took = startedAtMs === undefined || finishedAtMs === undefined ? '' : ` in ${hostDuration(finishedAtMs - startedAtMs)}`;
  if (summary === undefined) return state === 'cancelled' ? 'Cancelled' : 'Could not run';
  const parts = [
    [summary.passed, 'passed'],
    [summary.failed, 'failed'],
    [summary.inconclusive, 'inconclusive'],
    [summary.skipped ?? 0, 'skipped'],
  ] as const;
  const [drill, ...others] = drills;
  if (drill?.statistics !== undefined && others.length === 0) {
    const { trialsPassed, trialCount, flaky, statistics } = drill;
    const rate = `${flaky === true ? 'first attempts ' : ''}${rateText(statistics)}`;
    return `${trialsPassed} of ${counted(trialCount, 'trial')} passed, ${rate}${took}`;
  }
  return (
    parts
      .filter(([count]) => count > 0)
      .map(([count, word]) => `${count} ${word}`)
      .join(', ') + took
  );
}

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
  const [problem, setProblem] = useState<string | undefined>();
  const attempt = (act: () => Promise<{ request: RunRequest }>) => () => {
    act().then(
      (reply) => noteRequest(reply.request),
      (error: Error) => setProblem(error.message),
    );
  };
  const { requestId, asked, plan } = request;
  const cancel = attempt(() => client.call('cancelRunRequest', { path: { requestId }, body: {} }));
  const again = attempt(() => client.call('startRun', { body: { ...asked, ...defined({ seed: plan?.seed }) } }));
  return (
    <>
      {problem !== undefined && <span class="bad-text">{problem}</span>}
      {ended ? (
        <button type="button" onClick={again} disabled={isOffline.value}>
          Repeat with this seed
        </button>
      ) : (
        <button type="button" onClick={cancel} disabled={request.cancelAsked || isOffline.value}>
          {request.cancelAsked ? 'Cancelling…' : 'Cancel'}
        </button>
      )}
    </>
  );
}
