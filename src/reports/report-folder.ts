// The names inside a report folder. Ids become names only here, and only when they fit their pattern: they are never paths.
import { invariant } from '../contract/errors.js';
import type { AttachmentDescriptor } from '../contract/run/run.js';

export const manifestFile = 'manifest.json';
export const reportFile = 'report.json';
export const evidenceFile = 'evidence.jsonl';
export const attachmentFolder = 'attachments';

const runIdPattern = /^run_[0-9a-z]{12,32}$/;
const attachmentIdPattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,95}$/;
/** Endings that no browser runs as a page of its own. Anything else is stored as `.bin`. */
const plainEndings = new Set([
  'txt',
  'log',
  'json',
  'jsonl',
  'csv',
  'md',
  'yaml',
  'png',
  'jpg',
  'jpeg',
  'gif',
  'webp',
  'mp4',
  'webm',
  'zip',
  'gz',
  'pdf',
]);

export function isRunId(value: unknown): value is string {
  return typeof value === 'string' && runIdPattern.test(value);
}

/** The name of a run's report folder. */
export function reportFolderName(runId: string): string {
  invariant(isRunId(runId), `${JSON.stringify(runId)} is not a run id`);
  return runId;
}

/** Where an attachment lies in the folder, or null if its id cannot be a name. */
export function attachmentPath({ id, name }: Pick<AttachmentDescriptor, 'id' | 'name'>): string | null {
  if (!attachmentIdPattern.test(id)) return null;
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  return `${attachmentFolder}/${id}.${plainEndings.has(ending) ? ending : 'bin'}`;
}
