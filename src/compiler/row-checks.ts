// Rows that come from outside of any source, held against the state schemas of one tool.
import type { Issue } from '../contract/errors.js';
import type { JsonObject } from '../contract/json.js';
import { limits } from '../contract/limits.js';
import type { StateNamespace } from '../contract/world/tool-manifest.js';
import { nearest } from '../text/nearest.js';
import { lazyValidator } from '../tools/schemas.js';
import { tooManyBytes } from './value-bounds.js';

export interface RowCollection {
  namespace: string;
  records: readonly { rowId: string; value: JsonObject }[];
}

/** What does not fit, at its JSON Pointer below `pointer`; at most limits.issuesMax. */
export function rowIssues(state: readonly StateNamespace[], collections: readonly RowCollection[], pointer: string): Issue[] {
  const schemas = new Map(state.map(({ namespace, schema }) => [namespace, schema]));
  const issues: Issue[] = [];
  const seen = new Set<string>();
  for (const [index, { namespace, records }] of collections.entries()) {
    const at = `${pointer}/${index}`;
    const schema = schemas.get(namespace);
    if (seen.has(namespace)) issues.push({ path: `${at}/namespace`, code: 'duplicate', message: `'${namespace}' is given twice` });
    else if (schema === undefined)
      issues.push({ path: `${at}/namespace`, code: 'not_one_of', message: unknownNamespace(namespace, [...schemas.keys()]) });
    else recordIssues(issues, records, { at: `${at}/records`, validate: lazyValidator(schema) });
    seen.add(namespace);
    if (issues.length >= limits.issuesMax) break;
  }
  return issues.slice(0, limits.issuesMax);
}

function recordIssues(
  issues: Issue[],
  records: RowCollection['records'],
  { at, validate }: { at: string; validate: ReturnType<typeof lazyValidator> },
): void {
  const ids = new Set<string>();
  for (const [index, { rowId, value }] of records.entries()) {
    if (ids.has(rowId)) issues.push({ path: `${at}/${index}/rowId`, code: 'duplicate', message: `row '${rowId}' is given twice` });
    ids.add(rowId);
    const fault = tooManyBytes(value, 'rowBytesMax');
    if (fault !== undefined) issues.push({ path: `${at}/${index}/value`, code: 'too_large', message: `row '${rowId}' ${fault}` });
    else for (const issue of validate(value) ?? []) issues.push({ ...issue, path: `${at}/${index}/value${issue.path}` });
    if (issues.length >= limits.issuesMax) return;
  }
}

function unknownNamespace(namespace: string, known: readonly string[]): string {
  const near = nearest(namespace, known);
  return `the tool has no namespace '${namespace}'${near === undefined ? '' : `; did you mean '${near}'?`}`;
}
