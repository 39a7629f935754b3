// A run that came to an error instead of a verdict: refused before its first attempt, or broken off. Every document of the run says so: in
// the place of one stands perhaps that of an earlier run, which would be taken for this one's.
import type { Diagnostic } from '../contract/run/build.js';

export interface RunRefusal {
  code: string;
  message: string;
  /** Of the compiler, where the source was refused. */
  diagnostics: readonly Diagnostic[];
}

/** The name under which formats that only know tests show it. */
export const refusedTest = 'the run';

/** The message, and a line for each diagnostic. */
export function refusalText({ message, diagnostics }: RunRefusal): string {
  return [message, ...diagnostics.map(diagnosticLine)].join('\n');
}

function diagnosticLine({ severity, file, line, column, code, message, suggestion }: Diagnostic): string {
  return `${file}:${line}:${column} ${severity} ${code} ${message}${suggestion === undefined ? '' : ` ${suggestion}`}`;
}
