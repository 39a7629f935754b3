// What the digest of a dataset's revision covers, and the text that it is of.
import { compareTexts } from '../../text/compare-texts.js';
import { canonicalJson } from '../canonical-json.js';
import type { JsonValue } from '../json.js';
import type { DatasetRevisionView } from './resources.js';

/** What a revision's digest covers: the tool it is for, and every row; in order, so that equal rows are one digest. */
export type DatasetContent = Pick<DatasetRevisionView['revision'], 'tool' | 'collections'>;

/** The content in its order. */
export function orderedContent({ tool, collections }: DatasetContent): DatasetContent {
  const inOrder = collections
    .map(({ namespace, records }) => ({ namespace, records: [...records].sort((a, b) => compareTexts(a.rowId, b.rowId)) }))
    .sort((a, b) => compareTexts(a.namespace, b.namespace));
  return { tool, collections: inOrder };
}

/** `content` is ordered. */
export function contentText(content: DatasetContent): string {
  return canonicalJson({ schemaVersion: 1, ...content } as unknown as JsonValue);
}
