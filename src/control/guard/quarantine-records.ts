// What builds did to their hosts, as it lies in the catalog: a record for each build of a project that ran past its time or ended its host
// of late, and its quarantine once that was too often.
import { ServiceError } from '../../contract/errors.js';
import type { BuildQuarantine } from '../../contract/hosted/source.js';
import { limits } from '../../contract/limits.js';
import { minuteMs } from '../../contract/units.js';
import type { ControlSettings } from '../catalog/settings.js';
import { defineTable, type View } from '../catalog/tables.js';

export interface BuildPlace {
  organizationId: string;
  projectId: string;
  buildHash: string;
}
/** `timeout`: a step of tool code ran past its time. `hostEnd`: the host ended in one, by itself. */
export interface Strike {
  kind: 'timeout' | 'hostEnd';
  sessionId: string;
  atMs: number;
}
export interface QuarantineRecord extends BuildPlace {
  /** Inside the window, or since it was quarantined; the oldest first, and no more than it takes. */
  strikes: Strike[];
  quarantine?: BuildQuarantine;
}

export const buildKeyOf = ({ projectId, buildHash }: Pick<BuildPlace, 'projectId' | 'buildHash'>): string => `${projectId} ${buildHash}`;

export const quarantineTable = defineTable<QuarantineRecord>({
  name: 'quarantine',
  idOf: buildKeyOf,
  indexes: {
    byProject: ({ projectId, quarantine }) => (quarantine === undefined ? undefined : [projectId, quarantine.quarantinedAtMs]),
    closed: ({ quarantine }) => (quarantine?.state === 'quarantined' ? [] : undefined),
    /** Those that were never quarantined, by their last strike. */
    byStrike: ({ quarantine, strikes }) => (quarantine === undefined ? [strikes.at(-1)?.atMs ?? 0] : undefined),
  },
});

/** One more strike against a build; at one too many it is quarantined, and at as many again nothing of it is read any more. */
export function struck(before: QuarantineRecord, strike: Strike, bounds: ControlSettings['quarantine']): QuarantineRecord {
  const { quarantine } = before;
  const isClosed = quarantine?.state === 'quarantined';
  const since = strike.atMs - limits.quarantineWindowMs;
  const strikes = [...before.strikes.filter(({ atMs }) => atMs > since), strike];
  const count = (kind: Strike['kind']): number => strikes.filter((one) => one.kind === kind).length;
  const [timeouts, hostEnds] = [count('timeout'), count('hostEnd')];
  if (timeouts < bounds.timeoutsMax && hostEnds < bounds.hostEndsMax) return { ...before, strikes };
  if (isClosed) return { ...before, strikes: [], quarantine: { ...quarantine, readsRefused: true, version: quarantine.version + 1 } };
  const { organizationId, projectId, buildHash } = before;
  const closed: BuildQuarantine = {
    schemaVersion: 1,
    organizationId,
    projectId,
    buildHash,
    state: 'quarantined',
    timeouts,
    hostEnds,
    sessionId: strike.sessionId,
    readsRefused: false,
    version: (quarantine?.version ?? 0) + 1,
    quarantinedAtMs: strike.atMs,
  };
  return { ...before, strikes: [], quarantine: closed };
}

/** As its project sees it. control.NOT_FOUND for a build that was never quarantined, and for one of another project alike. */
export function requireQuarantine(view: View, place: BuildPlace): QuarantineRecord & { quarantine: BuildQuarantine } {
  const record = view.get(quarantineTable, buildKeyOf(place));
  if (record?.quarantine !== undefined && record.organizationId === place.organizationId)
    return { ...record, quarantine: record.quarantine };
  throw new ServiceError('control.NOT_FOUND', { message: 'The build was never quarantined.' });
}

export function quarantined({ projectId, buildHash, timeouts, hostEnds, quarantinedAtMs }: BuildQuarantine): ServiceError {
  const minutes = limits.quarantineWindowMs / minuteMs;
  return new ServiceError('world.BUILD_QUARANTINED', {
    message:
      `The build is quarantined: within ${minutes} minutes its tool code ran past its time ${timeouts} times and ended its host ${hostEnds} times. ` +
      'A manager of the project may release it.',
    details: { timeouts, hostEnds, quarantinedAtMs, release: `/v1/projects/${projectId}/quarantines/${buildHash}/release` },
    evidence: { buildHash },
  });
}
