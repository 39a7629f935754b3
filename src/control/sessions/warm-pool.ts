// Prepared sessions: their worlds and programs stand ready on the hosts before anybody needs them. One is claimed once, by a caller that
// prefers one of the same environment, build, setup and seed; the claim is a new lease, so that who prepared it holds nothing of it any
// more.
import { defined } from '../../contract/defined.js';
import type { CreateSessionRequest } from '../../contract/hosted/sessions.js';
import { type SessionRecord, sessionTable } from '../catalog/session-records.js';
import type { View } from '../catalog/tables.js';
import { tuning } from '../tuning.js';
import { advanceLease, isOver, type SessionChanges, touch } from './states.js';

export interface WantedSession {
  environmentId: string;
  buildHash: string;
  setupHash: string;
  seed: string;
}

export function findPrepared(
  view: View,
  { environmentId, buildHash, setupHash, seed }: WantedSession,
  nowMs: number,
): SessionRecord | undefined {
  const prefix = [environmentId, buildHash, setupHash, seed];
  return view
    .list(sessionTable, { index: 'byPrepared', prefix, limit: tuning.warmLookedAtMax })
    .records.find((record) => !isOver(record, nowMs));
}

/** As if it had been made for this request. */
export function claim(
  record: SessionRecord,
  { request, expiresAtMs, createdBy, nowMs }: { request: CreateSessionRequest; expiresAtMs: number; createdBy: string; nowMs: number },
): SessionRecord {
  const { drillId, scenarioId, callbackReceiverBindingIds = [] } = request;
  const { drillId: _drill, scenarioId: _scenario, ...session } = record.session;
  const named: SessionChanges = { ...defined({ drillId, scenarioId }) };
  const next = touch({ ...record, createdBy, session }, nowMs, {
    ...named,
    expiresAtMs,
    callbackReceiverBindingIds,
    warmPool: { state: 'claimed', setupHash: record.setupHash },
  });
  return advanceLease(next);
}
