// Attachments of hosted runs, in three steps that each can be repeated: announced with size and digest, sent, completed.
import { sha256Digest } from '../../contract/digest.js';
import { ServiceError } from '../../contract/errors.js';
import type { Attachment } from '../../contract/hosted/runs.js';
import { newId } from '../../contract/ids.js';
import { limits } from '../../contract/limits.js';
import { describe } from '../../drills/attempt/capture.js';
import type { ChangeEndpoint, PreparedEndpoint } from '../catalog/endpoint.js';
import { noteStorage } from '../catalog/storage-use.js';
import type { Change, View } from '../catalog/tables.js';
import { refused } from '../core/refused.js';
import type { ControlServices } from '../core/services.js';
import { type AttachmentRecord, attachmentTable, requireAttachment } from './attachment-records.js';
import { putRun } from './changes.js';
import { type RunRecord, requireRun } from './records.js';

export function beginAttachment(services: ControlServices): ChangeEndpoint<'beginAttachment'> {
  return {
    kind: 'change',
    apply: (tx, { path, caller, body }) => {
      const record = requireOpen(requireRun(tx, { ...path, ...caller }));
      const { hostedRunId, pendingInteraction } = record.run;
      if (body.interactionId !== undefined && body.interactionId !== pendingInteraction?.interaction.id) {
        throw new ServiceError('control.STATE_CONFLICT', {
          message: 'The interaction is not pending.',
          details: { interactionId: body.interactionId },
        });
      }
      const count = record.attachments.count + 1;
      const bytes = record.attachments.bytes + body.bytes;
      requireCapacity({ count, bytes });
      const nowMs = services.nowMs();
      const attachment: Attachment = {
        schemaVersion: 1,
        attachmentId: newId('attachment'),
        hostedRunId,
        ...body,
        state: 'pending',
        createdAtMs: nowMs,
      };
      tx.put(attachmentTable, { attachment, isNamed: false });
      putRun(tx, { ...record, attachments: { count, bytes } }, nowMs);
      const { organizationId, projectId } = record.run;
      noteStorage(tx, { ownerId: hostedRunId, organizationId, projectId, bytes });
      return outcomeOf(attachment);
    },
  };
}

function requireCapacity({ count, bytes }: RunRecord['attachments']): void {
  if (count <= limits.attachmentsMax && bytes <= limits.runAttachmentBytesMax) return;
  throw new ServiceError('control.PAYLOAD_TOO_LARGE', {
    message: `A run has at most ${limits.attachmentsMax} attachments, of ${limits.runAttachmentBytesMax} bytes together.`,
    details: { attachmentsMax: limits.attachmentsMax, bytesMax: limits.runAttachmentBytesMax },
  });
}

export function putAttachmentContent({ blobs }: ControlServices): PreparedEndpoint<'putAttachmentContent', string> {
  return {
    kind: 'prepared',
    prepare: async (view, { path, caller, body }) => {
      const { attachment } = requireOpenOne(view, { ...path, ...caller });
      if (attachment.state === 'available') throw notIn('pending', attachment);
      const hash = sha256Digest(body);
      if (hash !== attachment.hash || body.length !== attachment.bytes) {
        const { bytes, hash: expected } = attachment;
        throw new ServiceError('control.INVALID_REQUEST', {
          message: 'These are not the bytes that were announced.',
          issues: [
            { path: '', code: 'conflict', message: `has ${body.length} bytes and ${hash}; announced were ${bytes} and ${expected}` },
          ],
        });
      }
      // On the disk before the catalog says so.
      return await blobs.put(body);
    },
    apply: (tx, { path, caller }) => {
      return transition(tx, requireOpenOne(tx, { ...path, ...caller }), 'uploaded');
    },
  };
}

export function completeAttachment(): ChangeEndpoint<'completeAttachment'> {
  return {
    kind: 'change',
    apply: (tx, { path, caller }) => {
      const record = requireOpenOne(tx, { ...path, ...caller });
      if (record.attachment.state === 'pending') throw notIn('uploaded', record.attachment);
      const { reply, resource } = transition(tx, record, 'available');
      return { reply: { ...reply, descriptor: describe(reply.attachment.attachmentId, reply.attachment) }, resource };
    },
  };
}

/** A completed interaction takes its attachments: available ones of its run that no other interaction has. */
export function nameAttachments(
  tx: Change,
  { hostedRunId, interactionId, attachmentIds }: { hostedRunId: string; interactionId: string; attachmentIds: readonly string[] },
): void {
  for (const [index, attachmentId] of attachmentIds.entries()) {
    const record = tx.get(attachmentTable, attachmentId);
    const { attachment } = record ?? {};
    const isIts = attachment?.hostedRunId === hostedRunId && (attachment.interactionId ?? interactionId) === interactionId;
    if (record === undefined || !isIts || attachment?.state !== 'available' || record.isNamed) {
      throw refused({
        path: `/targetResult/attachments/${index}`,
        code: 'not_one_of',
        message: 'is no completed attachment of this interaction',
      });
    }
    tx.put(attachmentTable, { attachment: { ...attachment, interactionId }, isNamed: true });
  }
}

function transition(tx: Change, record: AttachmentRecord, state: 'uploaded' | 'available') {
  const attachment: Attachment = { ...record.attachment, state: record.attachment.state === 'available' ? 'available' : state };
  tx.put(attachmentTable, { ...record, attachment });
  return outcomeOf(attachment);
}
const outcomeOf = (attachment: Attachment) => ({ reply: { attachment }, resource: { type: 'attachment', id: attachment.attachmentId } });

/** An attachment of a run that is open; whether it exists is decided first. */
function requireOpenOne(view: View, place: Parameters<typeof requireRun>[1] & Parameters<typeof requireAttachment>[1]): AttachmentRecord {
  const run = requireRun(view, place);
  const record = requireAttachment(view, place);
  requireOpen(run);
  return record;
}

/** Its timeline continues: what is attached now can still be part of it. */
function requireOpen(record: RunRecord): RunRecord {
  const { state } = record.run;
  if (record.ended === undefined && (state === 'created' || state === 'awaiting_agent')) return record;
  throw new ServiceError('control.STATE_CONFLICT', {
    message: 'The run has been played; nothing can be attached any more.',
    details: { state },
  });
}

function notIn(wanted: Attachment['state'], { state }: Attachment): ServiceError {
  return new ServiceError('control.STATE_CONFLICT', { message: `The attachment is ${state}, not ${wanted}.`, details: { state } });
}
