// What the command line ends with (decisions.md 12), and which refusal means what.
import { ServiceError } from '../contract/errors.js';

export const exitCodes = {
  /** Everything selected passed. */
  passed: 0,
  /** Something failed, was undecided, or could not run. */
  failed: 1,
  /** Bad usage, or a source that does not compile. */
  usage: 2,
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

const usageCodes = new Set(['control.SOURCE_INVALID', 'control.INVALID_REQUEST', 'control.NOT_FOUND']);

export function exitCodeOf(error: unknown): ExitCode {
  return error instanceof ServiceError && usageCodes.has(error.code) ? exitCodes.usage : exitCodes.failed;
}
