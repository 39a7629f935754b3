// Which status a wire route answers an outcome with: the manifest's, or one that encode chooses among those the manifest declares.
import type { ToolOutcome } from './evidence.js';
import type { RouteResponse } from './tool-manifest.js';

/** What the manifest may declare. */
export const statusBounds = { success: { least: 200, most: 399 }, error: { least: 200, most: 599 } } as const;

/** The code's own where the manifest gives it one, whatever the kind of outcome. */
export function usualStatus({ successStatus, errors }: RouteResponse, outcome: ToolOutcome): number {
  if (outcome.kind === 'ok') return successStatus;
  const { code, retryable } = outcome.error;
  const listed = errors.find((error) => error.code === code);
  if (listed !== undefined) return listed.status;
  switch (outcome.kind) {
    case 'denied':
      return code === 'TOKEN_INVALID' || code === 'TOKEN_EXPIRED' ? 401 : 403;
    case 'invalid':
      return 400;
    case 'unsupported':
      return 501;
    case 'tool_error':
      return retryable ? 503 : 500;
  }
}

/** One of the successes for a success, and for an error its own or that of any error. */
export function mayHaveStatus(response: RouteResponse, outcome: ToolOutcome, status: number): boolean {
  if (status === usualStatus(response, outcome)) return true;
  return outcome.kind === 'ok'
    ? (response.successStatuses ?? []).includes(status)
    : response.errors.some((error) => error.status === status);
}
