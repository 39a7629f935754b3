// The operation that makes the world of a session. The world has the session's id, so an incarnation that finds it made continues with it.
import { isServiceError, ServiceError } from '../../contract/errors.js';
import type { CompiledBuild } from '../../contract/run/build.js';
import { chooseStart } from '../../contract/run/world-start.js';
import type { WorldRef } from '../../worlds/api.js';
import { loadBuild, loadBuildView } from '../builds/build-records.js';
import { isLive, requireRecord, type SessionRecord, sessionTable } from '../catalog/session-records.js';
import type { Change } from '../catalog/tables.js';
import type { Runner } from '../core/operations.js';
import type { ControlServices, WorldServices } from '../core/services.js';
import { resultOf } from './admission.js';
import { askedByService, endSession } from './ending.js';
import { transition } from './states.js';

export function createRunner(services: ControlServices): Runner {
  const { catalog, nowMs } = services;
  return {
    run: async ({ operation }, { signal, takenUp }) => {
      const sessionId = operation.resourceId;
      const record = catalog.view.get(sessionTable, sessionId);
      if (record !== undefined && isUnmade(record)) {
        const world = await makeWorld(services, record, { build: await loadBuild(services, record.session), isNew: !takenUp });
        await requireLoadableTools(services, record, world);
        if (record.session.warmPool !== undefined) await warm(services, sessionId, world);
      }
      if (signal.aborted) return { state: 'cancelled', apply: (tx) => resultOf(operation, abandonSession(tx, services, sessionId)) };
      return { state: 'succeeded', apply: (tx) => resultOf(operation, markReady(tx, sessionId, { nowMs: nowMs() })) };
    },
    onFailure: (tx, { operation }) => abandonSession(tx, services, operation.resourceId),
    onCancel: (tx, { operation }) => abandonSession(tx, services, operation.resourceId),
  };
}

export const isUnmade = ({ session: { state } }: SessionRecord): boolean => state === 'creating' || state === 'warming';

interface MakeWorld {
  build: CompiledBuild;
  isNew: boolean;
}
/** It is found where it was made already. */
export async function makeWorld(
  services: Pick<WorldServices, 'worlds' | 'guard' | 'sessionMemory'>,
  { session }: Pick<SessionRecord, 'session'>,
  { build, isNew }: MakeWorld,
): Promise<WorldRef> {
  const { worlds, guard } = services;
  const { sessionId: worldId, seed, trial = 1, attempt = 1 } = session;
  const { setup, setupHash } = chooseStart(build, session);
  const world = await orFound(
    () =>
      guard.making(session, worlds.hostOf(worldId), () =>
        worlds.create({ worldId, build, setup, setupHash, seed: { seed, trial, attempt }, isNew }),
      ),
    () => worlds.open(worldId),
  );
  return services.sessionMemory.remember(world);
}

/** Rejects with world.HANDLER_FAILED, and where the tool stands: without its tools a session would answer every call with that failure. */
async function requireLoadableTools(services: ControlServices, { session }: SessionRecord, world: WorldRef): Promise<void> {
  try {
    await world.query({ kind: 'checkTools' });
  } catch (error) {
    if (!isServiceError(error, 'world.HANDLER_FAILED')) throw error;
    const { tools } = await loadBuildView(services, session);
    const { details = {} } = error.extra;
    const file = tools.find(({ toolId }) => toolId === details.packageId)?.provenance.file;
    if (file === undefined) throw error;
    throw new ServiceError(error.code, {
      ...error.extra,
      message: `${error.message} It is the tool of ${file}.`,
      details: { ...details, file },
    });
  }
}

/** What an earlier incarnation has made is there already. */
export async function orFound<T>(make: () => Promise<T>, find: () => Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    if (isServiceError(error, 'control.STATE_CONFLICT')) return await find();
    throw error;
  }
}

/** Its actor awake, the program and its tools loaded, the first digests made. */
async function warm({ catalog, nowMs }: ControlServices, sessionId: string, world: WorldRef): Promise<void> {
  await catalog.change((tx) => {
    const record = tx.get(sessionTable, sessionId);
    if (record?.session.state === 'creating') tx.put(sessionTable, transition(record, 'warming', nowMs()));
  });
  await world.query({ kind: 'position' });
}

/** The world stands. A session that has ended meanwhile stays as it is. */
export function markReady(tx: Change, sessionId: string, { nowMs, clockUs }: { nowMs: number; clockUs?: number }): SessionRecord {
  const record = requireRecord(tx, sessionId);
  if (!isUnmade(record)) return record;
  const { warmPool } = record.session;
  const ready = transition(record, 'ready', nowMs, warmPool === undefined ? {} : { warmPool: { ...warmPool, state: 'ready' } });
  const next = clockUs === undefined ? ready : { ...ready, clockUs };
  tx.put(sessionTable, next);
  return next;
}

/** There will be no world: the session ends, and what may have been made of it is removed. */
export function abandonSession(tx: Change, services: ControlServices, sessionId: string): SessionRecord {
  const record = requireRecord(tx, sessionId);
  if (!isLive(record)) return record;
  return endSession(tx, services, record, { to: 'destroying', askedBy: askedByService(`abandon.${sessionId}`) }).record;
}
