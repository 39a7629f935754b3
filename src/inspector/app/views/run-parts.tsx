// The other parts of a run: every assertion, the interactions, the world as it was left, and what it was set up from.
import type { InspectorRunReply } from '../../../contract/inspector/runs.js';
import type { AssertionResult, CheckpointResult, InteractionResult } from '../../../contract/run/run.js';
import type { FaultView } from '../../../contract/world/world-protocol.js';
import { agentCause } from '../../../reports/causes.js';
import { worstFirst } from '../../../reports/findings.js';
import { accessWords } from '../../../reports/words.js';
import { virtualClock, virtualDuration } from '../../../text/virtual-time.js';
import { visibleText } from '../../../text/visible-text.js';
import { AgentCard, Finding, type FindingsProps } from '../../../viewer/findings.tsx';
import { Await, Empty, useLoad } from '../../../viewer/kit/loading.tsx';
import { counted, DueEvent, Fact, Json, Status } from '../../../viewer/kit/parts.tsx';
import { RowsAt, type StateAtProps } from '../../../viewer/state-at.tsx';
import { routeHash } from '../state/route.ts';
import { client } from '../state/session.tsx';

export interface AssertionsPartProps extends Pick<FindingsProps, 'source' | 'chosen' | 'onEvidence'> {
  reply: InspectorRunReply;
}

export function AssertionsPart({ reply, source, chosen, onEvidence }: AssertionsPartProps) {
  const { report } = reply;
  if (report === undefined) return <Empty title="Not yet">Assertions are judged when the run ends.</Empty>;
  const { assertionResults, checkpoints } = report.result;
  return (
    <>
      <h2>Assertions</h2>
      <Judged assertions={assertionResults} className="stack" source={source} chosen={chosen} onEvidence={onEvidence} />
      {checkpoints.length > 0 && (
        <>
          <h2>Checkpoints</h2>
          {checkpoints.map((checkpoint) => (
            <Checkpoint key={checkpoint.checkpointId} checkpoint={checkpoint} source={source} chosen={chosen} onEvidence={onEvidence} />
          ))}
        </>
      )}
    </>
  );
}

interface JudgedProps extends Omit<AssertionsPartProps, 'reply'> {
  assertions: readonly AssertionResult[];
  className: string;
}

/** Those that do not hold first. */
function Judged({ assertions, className, source, chosen, onEvidence }: JudgedProps) {
  return (
    <div class={className}>
      {worstFirst(assertions).map((assertion) => (
        <Finding
          key={assertion.assertionId}
          assertion={assertion}
          checkpointIds={[]}
          source={source}
          chosen={assertion.assertionId === chosen}
          onEvidence={(sequence) => onEvidence(sequence, assertion.assertionId)}
        />
      ))}
    </div>
  );
}

/** A line that opens to what was judged there; one at which something does not hold is open. */
function Checkpoint({ checkpoint, source, chosen, onEvidence }: { checkpoint: CheckpointResult } & Omit<AssertionsPartProps, 'reply'>) {
  const { checkpointId, kind, verdict, virtualTimeUs, assertionResults } = checkpoint;
  const held = assertionResults.filter(({ status }) => status === 'passed').length;
  return (
    <details class="fold" open={verdict === 'failed'}>
      <summary>
        <Status value={verdict} />
        <code>{checkpointId}</code>
        <span class="quiet grow">
          {kind.replaceAll('_', ' ')} · {virtualClock(virtualTimeUs)}
        </span>
        <span>
          {held} of {counted(assertionResults.length, 'invariant')} hold
        </span>
      </summary>
      <Judged assertions={assertionResults} className="fold-body stack" source={source} chosen={chosen} onEvidence={onEvidence} />
    </details>
  );
}

export function InteractionsPart({ reply }: { reply: InspectorRunReply }) {
  const interactions = reply.report?.result.interactions ?? [];
  if (interactions.length === 0)
    return (
      <Empty title="No interactions">
        {reply.report === undefined ? 'They are listed once the run has ended.' : 'This drill asks nothing of its target.'}
      </Empty>
    );
  return (
    <div class="stack">
      <h2>Interactions</h2>
      {interactions.map((interaction) => (
        <Interaction key={interaction.interactionId} interaction={interaction} />
      ))}
    </div>
  );
}

function Interaction({ interaction }: { interaction: InteractionResult }) {
  const { task, targetResult } = interaction;
  return (
    <article class="interaction">
      <header>
        <h3>{interaction.interactionId}</h3>
        <Status value={targetResult.status} />
        <span class="quiet">as {interaction.actorId}</span>
      </header>
      <blockquote>{visibleText(task.instruction)}</blockquote>
      <dl class="facts">
        <Fact name="Began">{virtualClock(interaction.startedAtVirtualUs)}</Fact>
        <Fact name="Took">{virtualDuration(interaction.finishedAtVirtualUs - interaction.startedAtVirtualUs)}</Fact>
        <Fact name="Access">{accessWords[interaction.bindingEvidence]}</Fact>
      </dl>
      {task.input !== undefined && (
        <details>
          <summary>Input</summary>
          <Json value={task.input} label="Input" />
        </details>
      )}
      {targetResult.output !== undefined && (
        <details open>
          <summary>What it answered</summary>
          <Json value={targetResult.output} label="Output" />
        </details>
      )}
      {targetResult.status !== 'completed' && <AgentCard cause={agentCause(interaction)} />}
    </article>
  );
}

export function WorldPart({ source, last, onSelect }: Omit<StateAtProps, 'sequence'>) {
  const runId = source.id;
  const path = { runId };
  const world = useLoad(`world of ${runId}`, () =>
    Promise.all([
      client.call('listFaults', { path }),
      client.call('listScheduledEvents', { path }),
      client.call('listCallbacks', { path }),
    ]),
  );
  return (
    <Await of={world} what="the world of this run">
      {([{ faults }, pending, { deliveries }]) => (
        <>
          <h2>Faults</h2>
          {faults.length === 0 && <p class="quiet">Its tools know none.</p>}
          {faults.filter(isOfInterest).map((fault) => (
            <FaultLine key={fault.packageId + fault.instanceId + fault.faultId} fault={fault} runId={runId} />
          ))}
          {faults.some((fault) => !isOfInterest(fault)) && (
            <details>
              <summary>{counted(faults.filter((fault) => !isOfInterest(fault)).length, 'fault')} that stayed off and never fired</summary>
              {faults
                .filter((fault) => !isOfInterest(fault))
                .map((fault) => (
                  <FaultLine key={fault.packageId + fault.instanceId + fault.faultId} fault={fault} runId={runId} />
                ))}
            </details>
          )}
          <h2>What would have come next</h2>
          {pending.total === 0 && <p class="quiet">Nothing is scheduled.</p>}
          {pending.events.map((event) => (
            <DueEvent key={event.scheduledEventId} of={event} />
          ))}
          {pending.total > pending.events.length && <p class="quiet">and {counted(pending.total - pending.events.length, 'more event')}</p>}
          <h2>Callback deliveries</h2>
          {deliveries.length === 0 && <p class="quiet">None were queued.</p>}
          {deliveries.map((delivery) => (
            <div key={delivery.deliveryId} class="data-row">
              <Status value={delivery.phase} />
              <code>
                {delivery.packageId}.{delivery.callbackId} → {delivery.receiverId}
              </code>
              <span class="quiet">{counted(delivery.attempts, 'attempt')}</span>
              {delivery.sequences.slice(0, 5).map((sequence) => (
                <button key={sequence} type="button" class="link" onClick={() => onSelect(sequence)}>
                  #{sequence}
                </button>
              ))}
            </div>
          ))}
          <h2>Rows</h2>
          {last === 0 ? <p class="quiet">Its world has not begun.</p> : <RowsAt source={source} sequence={last} onSelect={onSelect} />}
        </>
      )}
    </Await>
  );
}

const isOfInterest = ({ active, triggered }: FaultView): boolean => active || triggered > 0;

/** One that fired leads to where. */
function FaultLine({ fault: { packageId, faultId, active, triggered }, runId }: { fault: FaultView; runId: string }) {
  return (
    <p class="line">
      <span class={active ? 'kind kind-fault' : 'kind'}>{active ? 'on' : 'off'}</span>{' '}
      <code>
        {packageId}.{faultId}
      </code>{' '}
      {triggered === 0 ? (
        <span class="quiet">never fired</span>
      ) : (
        <a href={routeHash('runs', [runId], { kind: 'fault', q: faultId })}>fired {counted(triggered, 'time')}</a>
      )}
    </p>
  );
}

export function SetupPart({ reply }: { reply: InspectorRunReply }) {
  if (reply.report === undefined)
    return <Empty title="Not yet">The setup is part of the report, which is written when the run ends.</Empty>;
  const { setup, setupHash } = reply.report.result.setup;
  return (
    <>
      <p class="quiet">
        What the world of this run started from, complete. <code>{setupHash}</code>
      </p>
      <h2>Tools</h2>
      <Json value={setup.tools as never} label="Tools" />
      <h2>Bindings</h2>
      <Json value={setup.bindings.environment} label="Bindings" />
      <h2>World</h2>
      <Json value={setup.scenario as never} label="World" />
    </>
  );
}
