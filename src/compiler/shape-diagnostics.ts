// The issues of a validator, at their places in the file.
import type { Issue } from '../contract/errors.js';
import { lacksQuotes, splitMeant } from '../contract/shape-words.js';
import type { DiagnosticCode } from './diagnostic-table.js';
import type { Diagnostics } from './diagnostics.js';
import type { SourceDocument } from './source-document.js';

export function reportIssues(diagnostics: Diagnostics, document: SourceDocument, issues: readonly Issue[], base = ''): void {
  for (const issue of issues) {
    const { path, code, message } = issue;
    const pointer = base + path;
    const place = document.place(pointer, code === 'unknown_property' ? 'key' : undefined);
    const { message: said, meant } = splitMeant(message);
    const quote = lacksQuotes(issue) ? ['Put it in quotes: without them it is read as a number, or as true or false.'] : [];
    const advice = [...quote, ...(meant === undefined ? [] : [`Did you mean '${meant}'?`]), document.adviceOn?.(pointer) ?? []].flat();
    diagnostics.report(diagnosticCode(code, path), place, said, { suggestion: advice.length === 0 ? undefined : advice.join(' ') });
  }
}

function diagnosticCode(code: string, path: string): DiagnosticCode {
  if (code === 'unknown_property') return 'DY2001';
  if (path === '/schemaVersion' || path === '/manifest/schemaVersion') return 'DY2004';
  return code === 'required' ? 'DY2002' : 'DY2003';
}
