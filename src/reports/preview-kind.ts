// Which attachments are shown, and how: for the page of a report and the inspector alike.
import { limits } from '../contract/limits.js';
import type { AttachmentDescriptor } from '../contract/run/run.js';

/** Drawn by any browser, and never run. */
const imageTypes = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** Which kind of preview an attachment has; its declared type decides, as nothing else is known of it. */
export function previewKind({ mediaType, bytes }: Pick<AttachmentDescriptor, 'mediaType' | 'bytes'>): 'text' | 'image' | undefined {
  if (/^(text\/|application\/(json|x-ndjson|yaml))/.test(mediaType)) return 'text';
  return imageTypes.has(mediaType) && bytes <= limits.reportImageBytesMax ? 'image' : undefined;
}
