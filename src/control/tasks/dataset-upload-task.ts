// What a compile worker does with rows that were sent as bytes: they may be many, so the event loop of the service never walks them.
import { isUtf8 } from 'node:buffer';
import { rowIssues } from '../../compiler/row-checks.js';
import type { Issue } from '../../contract/errors.js';
import { contentText, orderedContent } from '../../contract/hosted/dataset-content.js';
import type { CreateDatasetRequest } from '../../contract/hosted/source.js';
import { isJsonObject, type JsonValue } from '../../contract/json.js';
import { checkJsonDepth } from '../../contract/json-check.js';
import { limits } from '../../contract/limits.js';
import { endpointValidators } from '../../contract/validate/endpoint-validators.js';
import type { Validator } from '../../contract/validate/validators.js';
import type { StateNamespace } from '../../contract/world/tool-manifest.js';
import type { DatasetTool, UploadedRows } from '../core/services.js';

export function readUpload({ tool, state, content }: { tool: DatasetTool; state: StateNamespace[]; content: Uint8Array }): UploadedRows {
  const read = collectionsOf(content);
  if ('issues' in read) return read;
  const issues = rowIssues(state, read.collections, '/collections');
  if (issues.length > 0) return { issues };
  const ordered = orderedContent({ tool, collections: read.collections });
  const collections = ordered.collections.map(({ namespace, records }) => ({ namespace, records: records.length }));
  return { issues: [], content: Buffer.from(contentText(ordered)), collections };
}

type Rows = Pick<CreateDatasetRequest, 'collections'>;

function collectionsOf(content: Uint8Array): Rows | { issues: Issue[] } {
  const value = parsed(content);
  if (value === undefined) return wrong('', 'not_json', 'is not JSON in UTF-8');
  const fault = checkJsonDepth(value);
  if (fault !== null) return wrong(fault.path, 'not_json', fault.message);
  if (!isJsonObject(value) || Object.keys(value).join() !== 'collections') {
    return wrong('', 'type', 'is an object with "collections" and nothing else');
  }
  // The body of a dataset, but for what is said when the upload is completed.
  const validate = endpointValidators.createDataset.body as Validator<CreateDatasetRequest>;
  const checked = validate({ name: 'upload', packageId: 'upload', buildHash: `sha256:${'0'.repeat(64)}`, collections: value.collections });
  return checked.ok ? { collections: checked.value.collections } : { issues: checked.issues.slice(0, limits.issuesMax) };
}

function parsed(content: Uint8Array): JsonValue | undefined {
  try {
    return isUtf8(content)
      ? (JSON.parse(Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('utf8')) as JsonValue)
      : undefined;
  } catch {
    return undefined;
  }
}

const wrong = (path: string, code: string, message: string): { issues: Issue[] } => ({ issues: [{ path, code, message }] });
