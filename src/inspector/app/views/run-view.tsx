// One run: what came of it, why, and its evidence. The address holds the part, the entry and the assertion that are looked at.
import { useMemo, useRef } from 'preact/hooks';
import type { InspectorRunReply } from '../../../contract/inspector/runs.js';
import type { RunResult } from '../../../contract/run/run.js';
import type { BriefOptions } from '../../../reports/entry-brief.js';
import { findingsOf, judgedOf } from '../../../reports/findings.js';
import { meaningIn } from '../../../reports/story.js';
import { EvidenceBench } from '../../../viewer/evidence-bench.tsx';
import type { EvidenceSource } from '../../../viewer/evidence-source.ts';
import { Findings, Story } from '../../../viewer/findings.tsx';
import { choicesOf, type FilterQuery, filterOfQuery, queryOfFilter } from '../../../viewer/journal-filter.ts';
import { Await, useLoad } from '../../../viewer/kit/loading.tsx';
import { Tabs } from '../kit/tabs.tsx';
import { active, grown, project, runsEnded, said } from '../state/live.tsx';
import { meaningInProject, runSource } from '../state/live-source.tsx';
import { usePageTitle } from '../state/page-title.tsx';
import { routeHash } from '../state/route.ts';
import { client, missing, refine, route } from '../state/session.tsx';
import { AttachmentsPart } from './attachments-part.tsx';
import { ForkBefore } from './fork-before.tsx';
import { RunFailure } from './run-failure.tsx';
import { RunHead, RunLoading } from './run-head.tsx';
import { AssertionsPart, InteractionsPart, SetupPart, WorldPart } from './run-parts.tsx';

const parts = ['evidence', 'assertions', 'interactions', 'world', 'attachments', 'setup'] as const;
type Part = (typeof parts)[number];

export function RunView({ runId, query }: { runId: string; query: { [name: string]: string } }) {
  const isActive = active.value.has(runId);
  // A run that is saved never changes, but may be deleted: it is asked for again when something of it is not there. One that is not there
  // yet, or is played elsewhere, is asked for again whenever a run ends.
  const isSaved = useRef(false);
  const turn = useRef(0);
  if (!isSaved.current) turn.current = runsEnded.value;
  const load = async (): Promise<InspectorRunReply> => {
    const reply = await client.call('getRun', { path: { runId } });
    isSaved.current = reply.source === 'saved';
    return reply;
  };
  const misses = missing.value.runId === runId ? missing.value.times : 0;
  const run = useLoad(`run ${runId} ${isActive ? 'active' : turn.current} ${misses}`, load, { keep: true });
  if (run.value === undefined && run.error !== undefined) return <RunFailure runId={runId} error={run.error} retry={run.reload} />;
  return (
    <Await of={run} what="the run" lines={10} head={<RunLoading runId={runId} />}>
      {(reply) => <Run reply={reply} query={query} />}
    </Await>
  );
}

function Run({ reply, query }: { reply: InspectorRunReply; query: { [name: string]: string } }) {
  const { runId } = reply;
  const source = useMemo(() => runSource(client, runId), [runId]);
  const count = Math.max(reply.evidence.toSequence, grown.value.get(runId) ?? 0);
  const part = parts.find((name) => name === query.part) ?? 'evidence';
  const selected = sequenceOf(query.seq, count);
  usePageTitle(titleOf(reply, selected));
  const show = (change: Shown): void => {
    // Of what is shown by then: what is looked for may be found after another part was chosen.
    const { seq, assertion, ...rest } = { ...route.value.query, ...change };
    refine(routeHash('runs', [runId], { ...rest, ...(rest.part === 'evidence' ? { part: undefined } : {}), seq, assertion }));
  };
  return (
    <div class="run">
      <RunHead reply={reply} />
      <Tabs
        label="Parts of the run"
        current={part}
        tabs={parts.map((name) => ({
          name,
          href: routeHash('runs', [runId], { part: name === 'evidence' ? undefined : name }),
          title: partNames[name],
          count: countOf(reply, name),
        }))}
      />
      {part === 'evidence' && <Evidence reply={reply} source={source} count={count} selected={selected} query={query} show={show} />}
      {part === 'assertions' && (
        <AssertionsPart
          reply={reply}
          source={source}
          chosen={query.assertion}
          onEvidence={(seq, assertion) => show({ part: 'evidence', seq, assertion })}
        />
      )}
      {part === 'interactions' && <InteractionsPart reply={reply} />}
      {part === 'world' && <WorldPart source={source} last={count} onSelect={(seq) => show({ part: 'evidence', seq })} />}
      {part === 'attachments' && <AttachmentsPart runId={runId} saved={reply.source === 'saved'} />}
      {part === 'setup' && <SetupPart reply={reply} />}
    </div>
  );
}

/** `✗ careless-refund #24` */
function titleOf({ report, active: running, runId }: InspectorRunReply, selected: number | undefined): string {
  const sign = { passed: '✓', failed: '✗', inconclusive: '?' };
  const name = report?.drill.id ?? running?.drillId ?? runId;
  return `${report === undefined ? '' : `${sign[report.result.verdict]} `}${name}${selected === undefined ? '' : ` #${selected}`}`;
}

const partNames: { [Name in Part]: string } = {
  evidence: 'Evidence',
  assertions: 'Assertions',
  interactions: 'Interactions',
  world: 'World at the end',
  attachments: 'Attachments',
  setup: 'Setup',
};

function countOf({ report }: InspectorRunReply, part: Part): number | undefined {
  if (report === undefined) return undefined;
  if (part === 'assertions') return judgedOf(report.result).length;
  if (part === 'interactions') return report.result.interactions.length;
  return part === 'attachments' ? report.result.capture.attachments.length : undefined;
}

function sequenceOf(text: string | undefined, count: number): number | undefined {
  const sequence = Number(text);
  return Number.isInteger(sequence) && sequence >= 1 ? Math.min(sequence, Math.max(count, 1)) : undefined;
}

interface EvidenceProps {
  reply: InspectorRunReply;
  source: EvidenceSource;
  count: number;
  selected: number | undefined;
  query: { [name: string]: string };
  show: (change: Shown) => void;
}
/** What of the page changes, and with it the address. */
type Shown = { seq?: number | undefined; assertion?: string | undefined; part?: Part } & Partial<FilterQuery>;

function Evidence({ reply, source, count, selected, query, show }: EvidenceProps) {
  const result = reply.report?.result;
  const chosen = query.assertion;
  // Of a very large journal those that are indexed by now: then the bench asks again.
  const isCounted = reply.evidence.indexed >= reply.evidence.toSequence;
  const actors = result?.setup.setup.scenario.actors ?? project.value?.world?.actors;
  const cited = useMemo(() => {
    const map = new Map<number, string[]>();
    for (const { assertion } of result === undefined ? [] : findingsOf(result)) {
      for (const sequence of assertion.evidenceSequences) map.set(sequence, [...(map.get(sequence) ?? []), assertion.assertionId]);
    }
    return map;
  }, [result]);
  return (
    <EvidenceBench
      source={source}
      count={count}
      kinds={isCounted ? reply.evidence.counts : undefined}
      filter={filterOfQuery(query)}
      onFilter={(filter) => show(queryOfFilter(filter))}
      choices={choicesOf(actors ?? noActors)}
      isLive={reply.source === 'active'}
      saidCount={said.value.get(reply.runId)}
      {...(result === undefined ? {} : { brief: briefOf(result) })}
      interactions={result?.interactions ?? noInteractions}
      selected={selected}
      cited={cited}
      onSelect={(seq) => show({ seq })}
      onClose={() => show({ seq: undefined, assertion: undefined })}
      meaningOf={(fault) => meaningIn(reply.report?.faultMeanings, fault) ?? meaningInProject(fault)}
      actions={(entry) => entry.kind === 'operation' && <ForkBefore runId={reply.runId} entry={entry} />}
    >
      {reply.report !== undefined && (
        <>
          {reply.report.result.verdict !== 'passed' && (
            <Story source={source} onEvidence={(seq, assertion) => show({ seq, assertion: assertion ?? chosen })} />
          )}
          <Findings report={reply.report} source={source} chosen={chosen} onEvidence={(seq, assertion) => show({ seq, assertion })} />
        </>
      )}
    </EvidenceBench>
  );
}

function briefOf({ setup: { setup } }: RunResult): BriefOptions {
  return { oneTool: setup.tools.packages.length === 1, oneActor: setup.scenario.actors.length === 1 };
}

const noInteractions: [] = [];
const noActors: [] = [];
