// What `validate` says of a source, for each command that compiles one.
import pc from 'picocolors';
import type { CompiledBuild, Diagnostic } from '../contract/run/build.js';
import { counted } from '../text/counted.js';
import { diagnosticsText } from './diagnostics-text.js';
import type { Output } from './output.js';

export function showDiagnostics(diagnostics: readonly Diagnostic[], { output, root }: { output: Output; root: string }): void {
  for (const diagnostic of diagnostics) output.line({ event: 'diagnostic', ...diagnostic });
  if (diagnostics.length === 0) return;
  output.warn(diagnosticsText(diagnostics, { root, color: pc.isColorSupported && process.stderr.isTTY === true }));
}

interface Summary {
  output: Output;
  /** Absent: the source does not compile. */
  build?: { buildHash: string };
  more?: object;
}
export function showSummary(diagnostics: readonly Diagnostic[], { output, build, more = {} }: Summary): void {
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  const valid = build !== undefined;
  output.line({
    event: 'summary',
    valid,
    errors,
    warnings: diagnostics.length - errors,
    ...(valid ? { buildHash: build.buildHash } : {}),
    ...more,
  });
}

export function buildWords(build: CompiledBuild): string {
  return (['tool', 'scenario', 'target', 'drill', 'suite'] as const).map((kind) => counted(build[`${kind}s`].length, kind)).join(', ');
}
