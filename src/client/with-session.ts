// A session for the time of one piece of work. It is destroyed afterwards also when the work failed, when somebody aborted, and when a
// hosted run still owns its world.
//   WITH-SESSION-1. After an abort nothing is waited for any longer than a bound, however silent the service is.
import { graceAfter } from '../async/grace.js';
import { type RetryPolicy, retry } from '../async/retry.js';
import type { WorldSession } from '../contract/hosted/resources.js';
import type { RunPath } from '../contract/hosted/runs.js';
import type { CreateSessionRequest, SessionPath } from '../contract/hosted/sessions.js';
import type { CallEndpoint, CallOptions } from './calls.js';
import { ControlError } from './control-error.js';
import { waitForOperation } from './operation-wait.js';
import { tuning } from './tuning.js';

export interface SessionRequest extends CreateSessionRequest {
  projectId: string;
  environmentId: string;
}
/** `path`: for every call about this session. */
export type SessionWork<T> = (session: WorldSession, path: SessionPath) => Promise<T>;

const destroyRetries: RetryPolicy = {
  attemptsMax: tuning.destroyAttemptsMax,
  isRetryable: (error) => error instanceof ControlError && (error.status === 409 || owningRun(error) !== undefined),
  waitMs: () => tuning.destroyWaitMs,
};

export async function withSession<T>(
  call: CallEndpoint,
  { projectId, environmentId, ...body }: SessionRequest,
  work: SessionWork<T>,
  options: { signal?: AbortSignal } = {},
): Promise<T> {
  const { signal } = options;
  signal?.throwIfAborted();
  // Of one that was asked for and is not known nobody could destroy anything.
  const creating = { signal: graceAfter(signal, tuning.abortedCreateMs) };
  const { session, operation } = await call('createSession', { path: { projectId, environmentId }, body }, creating);
  const path = { projectId, sessionId: session.sessionId };
  let result: T;
  try {
    await waitForOperation(call, { projectId, operationId: operation.operationId }, options);
    const ready = await call('getSession', { path }, options);
    result = await work(ready.session, path);
  } catch (error) {
    // Why the work failed is what the caller wants to know; a session that stays expires by itself.
    await destroy(call, path, signal).catch(() => {});
    throw error;
  }
  await destroy(call, path, signal);
  return result;
}

/** Resolves when the session is gone. Its generation may rise while we ask, so a conflict is answered by looking again. */
async function destroy(call: CallEndpoint, path: SessionPath, aborted: AbortSignal | undefined): Promise<void> {
  const { projectId, sessionId } = path;
  const ending = { signal: graceAfter(aborted, tuning.abortedDestroyMs) };
  await retry({ ...destroyRetries, ...ending }, async () => {
    const { session } = await call('getSession', { path }, ending);
    if (session.state === 'destroyed' || session.state === 'expired' || session.state === 'destroying') return;
    try {
      const body = { expectedLeaseGeneration: session.leaseGeneration, confirm: sessionId };
      const { operation } = await call('destroySession', { path, body }, ending);
      await waitForOperation(call, { projectId, operationId: operation.operationId }, ending);
    } catch (error) {
      const hostedRunId = owningRun(error);
      if (hostedRunId !== undefined) await cancelRun(call, { projectId, hostedRunId }, ending);
      throw error;
    }
  });
}

function owningRun(error: unknown): string | undefined {
  if (!(error instanceof ControlError) || error.code !== 'world.RUN_OWNS_LEASE') return undefined;
  const { hostedRunId } = error.envelope.details ?? {};
  return typeof hostedRunId === 'string' ? hostedRunId : undefined;
}

async function cancelRun(call: CallEndpoint, path: RunPath, ending: CallOptions): Promise<void> {
  const { run } = await call('getRun', { path }, ending);
  if (run.finishedAtMs !== undefined) return;
  await call('cancelRun', { path, body: { expectedRevision: run.revision } }, ending).catch((error: unknown) => {
    // It ended or moved on in between; the next read shows which.
    if (!(error instanceof ControlError) || error.status !== 409) throw error;
  });
}
