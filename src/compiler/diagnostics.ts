// Collects what one compile finds. Bounded: past the limit only the count rises.
import { defined } from '../contract/defined.js';
import type { JsonObject } from '../contract/json.js';
import { limits } from '../contract/limits.js';
import type { Diagnostic } from '../contract/run/build.js';
import { type DiagnosticCode, diagnosticTable } from './diagnostic-table.js';

export interface Place {
  /** Relative to the repository root, with forward slashes. */
  file: string;
  line: number;
  column: number;
  /** JSON Pointer into the file's document. */
  path: string;
}
export interface Advice {
  suggestion?: string | undefined;
  details?: JsonObject | undefined;
}

export class Diagnostics {
  readonly #found: Diagnostic[] = [];
  #errors = 0;

  report(code: DiagnosticCode, place: Place, message: string, { suggestion, details }: Advice = {}): void {
    const { file, line, column, path } = place;
    this.add({
      code,
      severity: diagnosticTable[code].severity,
      file,
      line,
      column,
      path,
      message,
      ...defined({ suggestion, details }),
    });
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
    return this.#found.toSorted(
      (a, b) =>
        order(a.file, b.file) ||
        a.line - b.line ||
        a.column - b.column ||
        order(a.code, b.code) ||
        order(a.path, b.path) ||
        order(a.message, b.message),
    );
  }
}

function order(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

export function placeOfFile(file: string): Place {
  return { file, line: 1, column: 1, path: '' };
}
