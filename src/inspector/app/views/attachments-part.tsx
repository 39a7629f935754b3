// What the agents of a run handed over: each can be saved; images and the ends of texts are shown.
//   ATTACHMENTS-PART-1. Only what a browser draws and never runs becomes an image, whatever else the bytes are (previewKind).
import { useEffect, useState } from 'preact/hooks';
import type { InspectorAttachment } from '../../../contract/inspector/runs.js';
import { limits } from '../../../contract/limits.js';
import { previewKind } from '../../../reports/preview-kind.js';
import { visibleText } from '../../../text/visible-text.js';
import { Await, Empty, useLoad } from '../../../viewer/kit/loading.tsx';
import { saveAs } from '../kit/save.tsx';
import { client } from '../state/session.tsx';

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

interface AttachmentProps {
  runId: string;
  attachment: InspectorAttachment;
}

function Attachment({ runId, attachment }: AttachmentProps) {
  const [problem, setProblem] = useState<string | undefined>();
  const save = (): void => {
    bytesOf({ runId, attachment }).then(
      (bytes) => saveAs(bytes, attachment.name),
      (error: Error) => setProblem(error.message),
    );
  };
  const kind = attachment.available ? previewKind(attachment) : undefined;
  return (
    <li class="card attachment">
      <div class="row">
        <strong class="grow">{visibleText(attachment.name)}</strong>
        <span class="quiet">
          {attachment.mediaType} · {attachment.bytes.toLocaleString('en-US')} bytes{attachment.available ? '' : ' · not kept'}
        </span>
        <button type="button" onClick={save} disabled={!attachment.available}>
          Save
        </button>
        {problem !== undefined && (
          <span class="bad-text" role="alert">
            {problem}
          </span>
        )}
      </div>
      {kind === 'image' && <Image runId={runId} attachment={attachment} />}
      {kind === 'text' && <Text runId={runId} attachment={attachment} />}
    </li>
  );
}

function Image({ runId, attachment }: AttachmentProps) {
  const loaded = useLoad(keyOf({ runId, attachment }), () => bytesOf({ runId, attachment }));
  const [address, setAddress] = useState<string | undefined>();
  useEffect(() => {
    if (loaded.value === undefined) return;
    const made = URL.createObjectURL(new Blob([loaded.value], { type: attachment.mediaType }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [loaded.value]);
  return (
    <Await of={loaded} what="the image" lines={3}>
      {() => (address === undefined ? null : <img src={address} alt={visibleText(attachment.name)} />)}
    </Await>
  );
}

function Text({ runId, attachment }: AttachmentProps) {
  const [isOpen, setOpen] = useState(false);
  const isWhole = attachment.bytes <= limits.reportPreviewBytesMax;
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{isWhole ? 'Show' : 'Show its end'}</summary>
      {isOpen && <TextEnd runId={runId} attachment={attachment} />}
    </details>
  );
}

function TextEnd({ runId, attachment }: AttachmentProps) {
  const loaded = useLoad(keyOf({ runId, attachment }), async () =>
    // A cut character or bytes that are no UTF-8 become U+FFFD.
    (await bytesOf({ runId, attachment })).slice(-limits.reportPreviewBytesMax).text(),
  );
  return (
    <Await of={loaded} what="the text" lines={3}>
      {(text) => <pre tabIndex={0}>{visibleText(text)}</pre>}
    </Await>
  );
}

const keyOf = ({ runId, attachment }: AttachmentProps): string => `attachment ${runId} ${attachment.id}`;
const bytesOf = ({ runId, attachment }: AttachmentProps): Promise<Blob> =>
  client.bytes('getAttachment', { path: { runId, attachmentId: attachment.id } });
