// How a command that could not do its work says so, and what the process then ends with.
import { tmpdir } from 'node:os';
import pc from 'picocolors';
import { exhaustedCodes, ServiceError } from '../contract/errors.js';
import { diagnosticsOf } from '../drills/source-invalid.js';
import { causeOf, diskFullCodes } from '../files/file-faults.js';
import type { RunRefusal } from '../reports/run-refusal.js';
import { visibleText } from '../text/visible-text.js';
import { diagnosticsText } from './diagnostics-text.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { createOutput, type Output } from './output.js';

/** Runs a command; what it throws is reported, with places relative to `root`. */
export async function sayFailures(flags: { json: boolean }, root: string, work: (output: Output) => Promise<ExitCode>): Promise<ExitCode> {
  const output = createOutput(flags);
  try {
    return await work(output);
  } catch (error) {
    return reportFailure(error, output, root);
  }
}

export function reportFailure(error: unknown, output: Output, root: string): ExitCode {
  for (const line of failureLines(error)) output.line(line);
  const diagnostics = diagnosticsOf(error);
  if (diagnostics !== undefined) {
    output.warn(diagnosticsText(diagnostics, { root, color: pc.isColorSupported && process.stderr.isTTY === true }));
    return exitCodeOf(error);
  }
  output.warn(`${pc.red('error')} ${visibleText(refusalOf(error).message)}`);
  // A refusal is explained by its message, and so is what the system refuses; anything else is a bug, and its stack is what helps.
  const explained = error instanceof ServiceError || (error instanceof Error && 'syscall' in error);
  if (!explained && error instanceof Error && error.stack !== undefined) output.warn(pc.dim(error.stack));
  return exitCodeOf(error);
}

/** What reporters of a run say of it. */
export function refusalOf(error: unknown): RunRefusal {
  const code = error instanceof ServiceError ? error.code : 'framework.INTERNAL';
  const message = systemMessage(error) ?? (error instanceof Error ? error.message : String(error));
  return { code, message, diagnostics: diagnosticsOf(error) ?? [] };
}

/** As JSON lines. */
export function failureLines(error: unknown): object[] {
  const diagnostics = diagnosticsOf(error);
  if (diagnostics !== undefined) return diagnostics.map((diagnostic) => ({ event: 'diagnostic', ...diagnostic }));
  const { code, message } = refusalOf(error);
  return [{ event: 'error', code, message }];
}

/** Of what a disk, or the limits of a process, refuse: in words, with the file. */
function systemMessage(error: unknown): string | undefined {
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) return undefined;
  if (syscall === 'mkdtemp' && path?.startsWith(tmpdir()))
    return `A temporary folder cannot be made in ${tmpdir()}: ${causeOf(code)}. The variable TMPDIR names another place.`;
  if (!exhaustion.has(code)) return undefined;
  return `${path ?? 'A file'} cannot be written or opened: ${causeOf(code)} (${code}, ${syscall}).`;
}
const exhaustion = new Set([...diskFullCodes, ...exhaustedCodes, 'EROFS']);

// A tool that cannot be loaded is a source that does not work, found where the compiler cannot look.
const usageCodes = new Set(['control.SOURCE_INVALID', 'control.INVALID_REQUEST', 'control.NOT_FOUND', 'world.HANDLER_FAILED']);

function exitCodeOf(error: unknown): ExitCode {
  return error instanceof ServiceError && usageCodes.has(error.code) ? exitCodes.usage : exitCodes.failed;
}
