// The other parts of a run: every assertion, the interactions, the world as it was left, attachments, and what it was set up from.
import { useState } from 'preact/hooks';
import type { InspectorAttachment, InspectorRunReply } from '../../../contract/inspector/runs.js';
import type { CheckpointResult, InteractionResult } from '../../../contract/run/run.js';
import { virtualClock, virtualDuration } from '../../../reports/html/virtual-time.mjs';
import { visibleText } from '../../../reports/html/visible-text.mjs';
import { Finding, type FindingsProps } from '../evidence/findings.tsx';
import { ColumnHeads, counted, DueEvent, Fact, Json, Scroll, Status } from '../kit/parts.tsx';
import { saveAs } from '../kit/save.tsx';
import { Await, Empty, useLoad } from '../state/loading.tsx';
import { client } from '../state/session.tsx';

export function AssertionsPart({ reply, chosen, onEvidence }: { reply: InspectorRunReply } & Pick<FindingsProps, 'chosen' | 'onEvidence'>) {
  const { runId } = reply;
  const loaded = useLoad(`assertions ${runId}`, () => client.call('listAssertions', { path: { runId } }));
  return (
    <Await of={loaded} what="the assertions">
      {({ assertions, checkpoints }) => (
        <>
          <h2>Assertions</h2>
          <div class="stack">
            {assertions.map((assertion) => (
              <Finding
                key={assertion.assertionId}
                assertion={assertion}
                chosen={assertion.assertionId === chosen}
                onEvidence={onEvidence}
              />
            ))}
          </div>
          {checkpoints.length > 0 && <CheckpointTable checkpoints={checkpoints} />}
        </>
      )}
    </Await>
  );
}

function CheckpointTable({ checkpoints }: { checkpoints: readonly CheckpointResult[] }) {
  return (
    <>
      <h2>Checkpoints</h2>
      <Scroll label="Checkpoints">
        <table>
          <ColumnHeads names={['Checkpoint', 'Kind', 'Virtual time', 'Verdict', 'Assertions']} />
          <tbody>
            {checkpoints.map((checkpoint) => (
              <tr key={checkpoint.checkpointId}>
                <td>
                  <code>{checkpoint.checkpointId}</code>
                </td>
                <td>{checkpoint.kind.replaceAll('_', ' ')}</td>
                <td>{virtualClock(checkpoint.virtualTimeUs)}</td>
                <td>
                  <Status value={checkpoint.verdict} />
                </td>
                <td>{checkpoint.assertionResults.length}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </>
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
        <Fact name="Bindings">{interaction.bindingEvidence.replaceAll('_', ' ')}</Fact>
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
      {targetResult.error !== undefined && <Json value={targetResult.error as never} label="Error" />}
    </article>
  );
}

export function WorldPart({ runId, onSelect }: { runId: string; onSelect: (sequence: number) => void }) {
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
          {faults.map((fault) => (
            <p key={fault.packageId + fault.instanceId + fault.faultId} class="line">
              <span class={fault.active ? 'kind kind-fault' : 'kind'}>{fault.active ? 'on' : 'off'}</span>{' '}
              <code>
                {fault.packageId}.{fault.faultId}
              </code>{' '}
              <span class="quiet">{fault.triggered === 0 ? 'never fired' : `fired ${counted(fault.triggered, 'time')}`}</span>
            </p>
          ))}
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
        </>
      )}
    </Await>
  );
}

export function AttachmentsPart({ runId, saved }: { runId: string; saved: boolean }) {
  const loaded = useLoad(`attachments ${runId}`, async () =>
    saved ? (await client.call('listAttachments', { path: { runId } })).attachments : [],
  );
  return (
    <Await of={loaded} what="the attachments">
      {(attachments) =>
        attachments.length === 0 ? (
          <Empty title="No attachments">
            <p>
              A target attaches files with <code>context.attach</code>; a drill's <code>capture</code> says which are kept.
            </p>
          </Empty>
        ) : (
          <ul class="stack">
            {attachments.map((attachment) => (
              <Attachment key={attachment.id} runId={runId} attachment={attachment} />
            ))}
          </ul>
        )
      }
    </Await>
  );
}

function Attachment({ runId, attachment }: { runId: string; attachment: InspectorAttachment }) {
  const [problem, setProblem] = useState<string | undefined>();
  const save = (): void => {
    client.bytes('getAttachment', { path: { runId, attachmentId: attachment.id } }).then(
      (bytes) => saveAs(bytes, attachment.name),
      (error: Error) => setProblem(error.message),
    );
  };
  return (
    <li class="card row">
      <strong class="grow">{visibleText(attachment.name)}</strong>
      <span class="quiet">
        {attachment.mediaType} · {attachment.bytes.toLocaleString('en-US')} bytes
      </span>
      <button type="button" onClick={save} disabled={!attachment.available}>
        Save
      </button>
      {problem !== undefined && (
        <span class="bad-text" role="alert">
          {problem}
        </span>
      )}
    </li>
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
