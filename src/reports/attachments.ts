// The attachments of a run as reports show them: the descriptors that the report names, each with its file where one was kept.
import { defined } from '../contract/defined.js';
import type { AttachmentDescriptor, RunResult } from '../contract/run/run.js';
import type { Preview } from './preview.js';
import { attachmentPath } from './report-folder.js';

export interface AttachmentView {
  descriptor: AttachmentDescriptor;
  interactionId?: string;
  /** In the report folder; absent when the bytes were not kept. */
  path?: string;
  /** Of a kept one. */
  preview?: Preview;
}

/** Every descriptor of a result once, in order of appearance, with the interaction it belongs to. */
export function namedAttachments(result: RunResult): Omit<AttachmentView, 'path' | 'preview'>[] {
  const byId = new Map<string, Omit<AttachmentView, 'path' | 'preview'>>();
  const add = (descriptor: AttachmentDescriptor, interactionId?: string): void => {
    if (!byId.has(descriptor.id)) byId.set(descriptor.id, { descriptor, ...defined({ interactionId }) });
  };
  for (const { interactionId, targetResult } of result.interactions) {
    for (const descriptor of targetResult.attachments) add(descriptor, interactionId);
  }
  for (const { attachment, interactionId } of result.capture.attachments) add(attachment, interactionId);
  return [...byId.values()];
}

/** Joins the named attachments with the files that are kept: path -> what is shown of it, or null where none is shown. */
export function attachmentViews(result: RunResult, kept: ReadonlyMap<string, AttachmentView['preview'] | null>): AttachmentView[] {
  return namedAttachments(result).map((named) => {
    const path = attachmentPath(named.descriptor);
    const preview = path === null ? undefined : kept.get(path);
    if (path === null || preview === undefined) return named;
    return { ...named, path, ...(preview === null ? {} : { preview }) };
  });
}
