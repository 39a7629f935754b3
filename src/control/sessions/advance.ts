// Advances of virtual time: one operation, one command of the world under the operation's own key. The world does it once, whatever
// happens meanwhile, and continues from its last committed slice.
import { ServiceError } from '../../contract/errors.js';
import type { LongRunningOperation, TimeAdvanceResult } from '../../contract/hosted/operation.js';
import type { AdvanceRequest } from '../../contract/hosted/sessions.js';
import type { JsonValue } from '../../contract/json.js';
import type { AdvanceResult } from '../../contract/world/world-protocol.js';
import type { WorldRef } from '../../worlds/api.js';
import type { ChangeEndpoint } from '../catalog/endpoint.js';
import { keepSession, requireSession, type SessionRecord, sessionTable } from '../catalog/session-records.js';
import type { Change } from '../catalog/tables.js';
import type { Runner, RunnerContext } from '../core/operations.js';
import { refused } from '../core/refused.js';
import type { ControlServices } from '../core/services.js';
import { admit, markDegraded, markRecovered, requireSame, startOperation } from './admission.js';
import { cancelled, inLiveWorld } from './live-world.js';
import { annotate, claim } from './states.js';

type AdvanceInput = Pick<AdvanceRequest, 'targetUs' | 'maxEvents'>;

export function advanceTime(services: ControlServices): ChangeEndpoint<'advanceTime'> {
  return {
    kind: 'change',
    apply: (tx, call) => {
      const { path, caller, body } = call;
      requireSame(requireSession(tx, { ...path, ...caller }), body);
      const record = admit(tx, services, call);
      const { targetUs, maxEvents } = body;
      // Agents that wait may have moved the clock further; then the world refuses.
      if (targetUs < record.clockUs)
        throw refused({ path: '/targetUs', code: 'too_small', message: `is before the clock, ${record.clockUs}` });
      const { session } = keepSession(tx, record, claim(record, services.nowMs()));
      const operation = startOperation(tx, services, call, { kind: 'world.time.advance', session, input: { targetUs, maxEvents } });
      return { reply: { session, operation }, resource: { type: 'session', id: session.sessionId } };
    },
  };
}

export function advanceRunner(services: ControlServices): Runner {
  const { nowMs } = services;
  return {
    run: inLiveWorld(services, async (world, { operation, input, correlationId }, context) => {
      const { resourceId: sessionId, operationId } = operation;
      const advance = input as unknown as AdvanceInput;
      const result = await advanceWorld(services, { world, operationId, ...advance }, context);
      if (result === undefined) return cancelled;
      const apply = (tx: Change): JsonValue => {
        const record = markRecovered(tx, sessionId, nowMs());
        tx.put(sessionTable, annotate(record, { clockUs: result.reachedUs }));
        return resultOfAdvance(operation, record, { result, correlationId });
      };
      return { state: result.status === 'cancelled' ? 'cancelled' : 'succeeded', apply };
    }),
    onFailure: (tx, { operation }, error) => markDegraded(tx, operation.resourceId, { error, nowMs: nowMs() }),
  };
}

/** Undefined: it was cancelled before the world began. */
async function advanceWorld(
  { sessionMemory }: ControlServices,
  { world, operationId, targetUs, maxEvents }: AdvanceInput & { world: WorldRef; operationId: string },
  { signal, progress }: RunnerContext,
): Promise<AdvanceResult | undefined> {
  return await sessionMemory.untilEnd(world.worldId, signal, async (ending) => {
    try {
      return await world.command(
        { kind: 'advance', targetUs, maxEvents, operationKey: operationId },
        {
          signal: afterSending(ending),
          onProgress: ({ reachedUs, scheduledEventsProcessed }) => progress({ requestedUs: targetUs, reachedUs, scheduledEventsProcessed }),
        },
      );
    } catch (error) {
      if (error instanceof ServiceError && error.extra.details?.cancelled === true) return undefined;
      throw error;
    }
  });
}

/** What was cancelled before it was sent never reaches a world; but an earlier incarnation may have begun it, and then it has a result. */
function afterSending(signal: AbortSignal): AbortSignal {
  if (!signal.aborted) return signal;
  const later = new AbortController();
  setImmediate(() => later.abort());
  return later.signal;
}

function resultOfAdvance(
  { operationId }: LongRunningOperation,
  { session: { sessionId, leaseGeneration, buildHash } }: SessionRecord,
  { result, correlationId }: { result: AdvanceResult; correlationId: string },
): JsonValue {
  const reply: TimeAdvanceResult = {
    schemaVersion: 1,
    kind: 'world.time.advance',
    operationId,
    sessionId,
    leaseGeneration,
    buildHash,
    correlationId,
    ...result,
  };
  return reply as unknown as JsonValue;
}
