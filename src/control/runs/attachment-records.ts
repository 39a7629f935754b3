// What agents attach to hosted runs: announced, sent as bytes, completed. Only what is completed is part of the run.
import { defined } from '../../contract/defined.js';
import { ServiceError } from '../../contract/errors.js';
import type { Attachment } from '../../contract/hosted/runs.js';
import type { CapturedFile } from '../../drills/attempt/capture.js';
import { defineTable, type View } from '../catalog/tables.js';
import type { ControlServices } from '../core/services.js';
import { ofRun } from './records.js';

export interface AttachmentRecord {
  attachment: Attachment;
  /** A completed interaction named it as its own. */
  isNamed: boolean;
}
export const attachmentTable = defineTable<AttachmentRecord>({
  name: 'run-attachment',
  idOf: ({ attachment }) => attachment.attachmentId,
  indexes: { byRun: ({ attachment }) => [attachment.hostedRunId] },
});

/** control.NOT_FOUND for one that does not exist and for one of another run alike. */
export function requireAttachment(
  view: View,
  { hostedRunId, attachmentId }: { hostedRunId: string; attachmentId: string },
): AttachmentRecord {
  const record = view.get(attachmentTable, attachmentId);
  if (record !== undefined && record.attachment.hostedRunId === hostedRunId) return record;
  throw new ServiceError('control.NOT_FOUND', { message: 'The run has no such attachment.' });
}

/** The completed ones with their bytes, in the order in which they were announced. */
export async function loadAttached({ catalog, blobs }: ControlServices, hostedRunId: string): Promise<CapturedFile[]> {
  const attached: CapturedFile[] = [];
  for (const { attachment, isNamed } of ofRun(catalog.view, attachmentTable, hostedRunId)) {
    const { attachmentId: id, kind, interactionId, state, name, mediaType, hash } = attachment;
    if (state !== 'available') continue;
    const file = { name, mediaType, bytes: await blobs.get(hash) };
    attached.push({ kind, isNamed, id, file, ...defined({ interactionId }) });
  }
  return attached;
}
