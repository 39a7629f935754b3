// The head of a run: its verdict, what it was, what it comes to, and what to do with it next.
import { useState } from 'preact/hooks';
import type { InspectorRunReply } from '../../../contract/inspector/runs.js';
import { headline } from '../../../reports/findings.js';
import { trialText } from '../../../reports/shown-values.js';
import { virtualDuration } from '../../../text/virtual-time.js';
import { visibleText } from '../../../text/visible-text.js';
import { Fact, hostDuration, hostTime, Identity, Problem } from '../../../viewer/kit/parts.tsx';
import { saveAs } from '../kit/save.tsx';
import { active, isOffline, noteRequest } from '../state/live.tsx';
import { routeHash } from '../state/route.ts';
import { client, go, pageWatch } from '../state/session.tsx';
import { useBusy } from '../state/use-busy.tsx';
import { RecordActions } from './record-dialog.tsx';
import { RerunDialog } from './rerun-dialog.tsx';
import { ShareRun } from './share-run.tsx';

export function RunCrumbs({ runId }: { runId: string }) {
  return (
    <p class="crumbs">
      <a href={routeHash('runs')}>Runs</a> <span aria-hidden="true">/</span> <code>{runId}</code>
    </p>
  );
}

export function RunHead({ reply }: { reply: InspectorRunReply }) {
  const { report, runId } = reply;
  if (report === undefined) return <Unfinished reply={reply} />;
  const { result, drill, target, invocation } = report;
  const { identity } = result;
  return (
    <header class={`run-head ${result.verdict}`}>
      <RunCrumbs runId={runId} />
      <div class="run-title">
        <div>
          <p class="verdict">{result.verdict}</p>
          <h1>{drill.title ?? drill.id}</h1>
          <p class="headline">{visibleText(headline(report))}</p>
        </div>
        <Actions reply={reply} />
      </div>
      <dl class="facts">
        <Fact name="Drill">
          <a href={routeHash('drills', [drill.id])}>{drill.id}</a>
        </Fact>
        <Fact name="Target">
          {target.id} <span class="quiet">{target.kind}</span>
        </Fact>
        {identity.scenarioId !== undefined && <Fact name="Scenario">{identity.scenarioId}</Fact>}
        <Fact name={invocation === undefined ? 'Trial seed' : 'Seed'}>
          <code>{invocation?.seed ?? identity.seed}</code>
        </Fact>
        {trialText(result) !== '' && <Fact name="Trial">{trialText(result).replace(/^trial /, '')}</Fact>}
        <Fact name="Tool calls">{result.budgetUsage.toolCalls.attempted.toLocaleString('en-US')}</Fact>
        <Fact name="Virtual time">{virtualDuration(result.finishedAtVirtualUs - result.startedAtVirtualUs)}</Fact>
        <Fact name="Started">
          {hostTime(report.startedAtMs)} <span class="quiet">took {hostDuration(report.finishedAtMs - report.startedAtMs)}</span>
        </Fact>
      </dl>
      <Identity
        of={{ state: result.stateHash, evidence: result.evidenceHash, trajectory: result.trajectoryHash, build: identity.buildHash }}
      />
    </header>
  );
}

function Actions({ reply }: { reply: InspectorRunReply }) {
  const { invocation, result } = reply.report!;
  const { identity } = result;
  const { busy, problem, run } = useBusy();
  const [choosing, setChoosing] = useState(false);
  const again = async (): Promise<void> => {
    const isHere = pageWatch();
    const { request } = await client.call('startRun', { body: { repeatOf: identity.runId } });
    noteRequest(request);
    if (isHere()) go(routeHash('drills', [identity.drillId]));
  };
  const download = async (): Promise<void> =>
    saveAs(await client.bytes('getReport', { path: { runId: identity.runId } }), `${identity.runId}.html`);
  return (
    <div class="actions">
      <button
        type="button"
        onClick={() => run(again)}
        aria-disabled={busy}
        disabled={invocation === undefined || isOffline.value}
        title={invocation === undefined ? unrepeatable : undefined}
      >
        Repeat
      </button>
      {invocation !== undefined && (
        <button type="button" aria-label="Seeds… to repeat it with" onClick={() => setChoosing(true)}>
          Seeds…
        </button>
      )}
      {choosing && invocation !== undefined && (
        <RerunDialog
          title="Repeat this run"
          what={{ repeatOf: identity.runId }}
          seed={invocation.seed}
          onClose={() => setChoosing(false)}
          onStarted={() => go(routeHash('drills', [identity.drillId]))}
        />
      )}
      <a class="button" href={routeHash('compare', [], { left: identity.runId })}>
        Compare…
      </a>
      <button type="button" onClick={() => run(download)} aria-disabled={busy} disabled={isOffline.value}>
        Save report
      </button>
      <ShareRun runId={identity.runId} />
      <RecordActions of={{ runId: identity.runId, targetId: identity.targetId }} name={identity.drillId} />
      <Problem text={problem} />
    </div>
  );
}

const unrepeatable = 'This report does not know the seed of its run: an earlier version wrote it, or a hosted service.';

export function RunLoading({ runId }: { runId: string }) {
  return (
    <header class="run-head">
      <RunCrumbs runId={runId} />
      <h1>Run</h1>
    </header>
  );
}

function Unfinished({ reply }: { reply: InspectorRunReply }) {
  const run = active.value.get(reply.runId) ?? reply.active;
  return (
    <header class="run-head">
      <RunCrumbs runId={reply.runId} />
      <p class="verdict">{run === undefined ? 'no report' : 'running'}</p>
      <h1>{run?.title ?? run?.drillId ?? 'A world that was kept'}</h1>
      <p class="headline">
        {run === undefined
          ? 'This run left no report, only its world. Its journal and its state can be read all the same.'
          : `Trial ${run.trial} of ${run.trialCount}${run.interactionId === undefined ? '' : `, playing ${run.interactionId}`}. The journal below grows as it goes.`}
      </p>
    </header>
  );
}
