// Collects what one compile finds. Bounded: past the limit only the count rises.
import { defined } from '../contract/defined.js';
import type { JsonObject } from '../contract/json.js';
import { limits } from '../contract/limits.js';
import type { Diagnostic } from '../contract/run/build.js';
import { compareTexts } from '../text/compare-texts.js';
import { type DiagnosticCode, diagnosticTable } from './diagnostic-table.js';
import { tuning } from './tuning.js';

export interface Place {
  /** Relative to the repository root, with forward slashes. */
  file: string;
  line: number;
  column: number;
  /** JSON Pointer into the file's document. */
  path: string;
  /** Of a drill that was made of a case: which of how many. */
  of?: { id: string; count: number };
}
export interface Advice {
  suggestion?: string | undefined;
  details?: JsonObject | undefined;
}

export class Diagnostics {
  readonly #found: Diagnostic[] = [];
  /** What is said alike of several cases of one drill, once. */
  readonly #ofCases = new Map<string, { diagnostic: Diagnostic; ids: string[]; count: number }>();
  #errors = 0;

  report(code: DiagnosticCode, place: Place, message: string, { suggestion, details }: Advice = {}): void {
    const { file, line, column, path, of } = place;
    const { severity } = diagnosticTable[code];
    const diagnostic: Diagnostic = { code, severity, file, line, column, path, message, ...defined({ suggestion, details }) };
    const key = of === undefined ? '' : JSON.stringify([code, file, path, message, suggestion]);
    const before = this.#ofCases.get(key);
    if (before === undefined) this.add(diagnostic);
    if (of === undefined) return;
    if (before === undefined && this.#ofCases.size < limits.diagnosticsMax)
      this.#ofCases.set(key, { diagnostic, ids: [of.id], count: of.count });
    else if (before !== undefined && !before.ids.includes(of.id)) before.ids.push(of.id);
  }

  add(diagnostic: Diagnostic): void {
    if (diagnostic.severity === 'error') this.#errors++;
    if (this.#found.length < limits.diagnosticsMax) this.#found.push(diagnostic);
  }

  get hasErrors(): boolean {
    return this.#errors > 0;
  }

  /** By file, place and code; the same source gives the same list, byte for byte. */
  sorted(): Diagnostic[] {
    const cases = new Map([...this.#ofCases.values()].map((found) => [found.diagnostic, found]));
    const named = this.#found.map((diagnostic) => {
      const found = cases.get(diagnostic);
      return found === undefined ? diagnostic : { ...diagnostic, message: `${diagnostic.message} (${casesText(found)})` };
    });
    return named.sort(
      (a, b) =>
        compareTexts(a.file, b.file) ||
        a.line - b.line ||
        a.column - b.column ||
        compareTexts(a.code, b.code) ||
        compareTexts(a.path, b.path) ||
        compareTexts(a.message, b.message),
    );
  }
}

/** `case 'a'`, `cases 'a', 'b' and 3 more`, `every case` */
function casesText({ ids, count }: { ids: readonly string[]; count: number }): string {
  if (ids.length === count && count > 1) return 'every case';
  const shown = ids.slice(0, tuning.casesNamed).map((id) => `'${id}'`);
  const more = ids.length > shown.length ? ` and ${ids.length - shown.length} more` : '';
  return `${ids.length === 1 ? 'case' : 'cases'} ${shown.join(', ')}${more}`;
}

export function placeOfFile(file: string): Place {
  return { file, line: 1, column: 1, path: '' };
}
