// What is found in a manifest, and the one finding that many checks share: a reference to what the package does not declare.
import type { DiagnosticCode } from './diagnostic-table.js';
import { didYouMean } from './did-you-mean.js';

export interface ManifestFinding {
  code: DiagnosticCode;
  /** JSON Pointer into the manifest. */
  path: string;
  message: string;
  suggestion?: string | undefined;
}
export function unknownId(
  known: readonly { id: string }[],
  id: string,
  { code, path, what }: { code: DiagnosticCode; path: string; what: string },
): ManifestFinding[] {
  const ids = known.map((item) => item.id);
  return ids.includes(id) ? [] : [{ code, path, message: `the package declares no ${what} '${id}'`, suggestion: didYouMean(id, ids) }];
}
