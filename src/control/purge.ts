// Removes what has ended long enough ago and nothing refers to any more: closed conversations, build attempts, builds, deleted drafts,
// archived datasets, credentials that open nothing. Their blobs go afterwards (blob-sweep.ts).
//   PURGE-1. Nothing that is referred to is removed (references.ts). References are gathered from what is on the disk and from every record
//     that is put meanwhile, so a request that comes in between keeps what it names.
//   PURGE-2. A thing goes with its parts in one change, unless it has very many: then its parts go first, and it is of no use to anybody by
//     then.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { limits } from '../contract/limits.js';
import { authoringTable } from './authoring/authoring-records.js';
import { type BuildAttemptRecord, buildAttemptTable, buildContentTable, buildTable } from './builds/build-records.js';
import { accessTable } from './catalog/access-records.js';
import { bearerTable, credentialTable } from './catalog/organization-records.js';
import { returnQuota } from './catalog/quotas.js';
import type { Retention } from './catalog/settings.js';
import { type Change, pagesOf, type Table, type View } from './catalog/tables.js';
import type { ControlServices } from './core/services.js';
import { removeBuildParts, removeConversationParts, removeDatasetParts, removeDraftParts } from './record-parts.js';
import { type RecordReference, referenceKey, referencesOf, referringTables } from './references.js';
import { isStanding } from './sessions/standing-access.js';
import { datasetTable } from './source/dataset-records.js';
import { sourceDraftTable } from './source/source-records.js';

interface Now extends Pick<ControlServices, 'keyring'> {
  nowMs: number;
  retention: Retention;
}
type Needs = Pick<ControlServices, 'catalog' | 'settings' | 'nowMs' | 'keyring'>;
interface Kind<Record> {
  table: Table<Record>;
  /** Asked again in the change that removes it. */
  isOver(view: View, record: Record, now: Now): boolean;
  /** Its parts, some at a time; true when none is left. */
  removeParts(tx: Change, record: Record): boolean;
}
export type PurgeCounts = { [table: string]: number };

const isPast = (atMs: number | undefined, keptMs: number, nowMs: number): boolean => atMs !== undefined && atMs + keptMs < nowMs;
const noParts = (): boolean => true;
function kind<Record>(one: Kind<Record>): Kind<unknown> {
  return one as Kind<unknown>;
}

/** Of builds that no project has any more. */
const contentKind = kind({ table: buildContentTable, isOver: () => true, removeParts: noParts });
const kinds: readonly Kind<unknown>[] = [
  kind({
    // The sweep of sessions has those whose time is over; these have lost their server key, their creator or their session.
    table: accessTable,
    isOver: (view, record, { nowMs, keyring }) => !isStanding({ keyring, nowMs: () => nowMs }, view, record),
    removeParts: noParts,
  }),
  kind({
    table: authoringTable,
    isOver: (_, { session }, { nowMs, retention }) =>
      session.state !== 'active' && isPast(session.closedAtMs, retention.closedAuthoringMs, nowMs),
    removeParts: removeConversationParts,
  }),
  kind({
    table: buildAttemptTable,
    isOver: (view, record, { nowMs, retention }) =>
      isPast(record.attempt.finishedAtMs, retention.buildAttemptMs, nowMs) && !isNewestOfDraft(view, record),
    removeParts: noParts,
  }),
  kind({
    table: sourceDraftTable,
    isOver: (_, { deletedAtMs }, { nowMs, retention }) => isPast(deletedAtMs, retention.deletedDraftMs, nowMs),
    removeParts: removeDraftParts,
  }),
  kind({
    table: buildTable,
    isOver: (_, { createdAtMs }, { nowMs, retention }) => isPast(createdAtMs, retention.buildMs, nowMs),
    removeParts: removeBuildParts,
  }),
  contentKind,
  kind({
    table: datasetTable,
    isOver: (_, { archivedAtMs }, { nowMs, retention }) => isPast(archivedAtMs, retention.archivedDatasetMs, nowMs),
    removeParts: removeDatasetParts,
  }),
  kind({
    table: credentialTable,
    // What opens one of an early version is not known, so it stays.
    isOver: (_, { credential: { revokedAtMs, expiresAtMs }, secretHash }, { nowMs, retention }) =>
      secretHash !== undefined &&
      isPast(
        Math.min(revokedAtMs ?? Number.POSITIVE_INFINITY, expiresAtMs ?? Number.POSITIVE_INFINITY),
        retention.endedCredentialMs,
        nowMs,
      ),
    removeParts: (tx, { credential: { organizationId }, secretHash, counted }) => {
      if (counted) returnQuota(tx, { organizationId, name: 'credentialsMax' });
      if (secretHash !== undefined) tx.remove(bearerTable, secretHash);
      return true;
    },
  }),
];

/** Yields how many records of each table went, their parts not counted. */
export async function purge(services: Needs): Promise<PurgeCounts> {
  const purged: PurgeCounts = {};
  for (let round = 0; round < limits.purgeRoundsMax; round++) {
    const before = sumOf(purged);
    await purgeRound(services, purged);
    if (sumOf(purged) === before) break;
  }
  return purged;
}
const sumOf = (purged: PurgeCounts): number => Object.values(purged).reduce((sum, count) => sum + count, 0);

async function purgeRound(services: Needs, purged: PurgeCounts): Promise<void> {
  const over = await idsOver(services, kinds);
  // Content alone is no reason to look: it is left when a build goes.
  const hasWork = over.some(
    ({ kind: { table }, ids }) => ids.length > 0 && (table !== buildContentTable || (purged[buildTable.name] ?? 0) > 0),
  );
  if (hasWork) await removeUnreferenced(services, { over, purged, referring: referringTables });
}

/** For who has removed builds: content that is left of them alone. */
export async function purgeBuildContent(services: Needs): Promise<void> {
  const over = await idsOver(services, [contentKind]);
  await removeUnreferenced(services, { over, purged: {}, referring: [buildTable as Table<unknown>] });
}

interface Round {
  over: { kind: Kind<unknown>; ids: string[] }[];
  purged: PurgeCounts;
  /** The tables whose records may refer to one of these. */
  referring: readonly Table<unknown>[];
}
async function removeUnreferenced(services: Needs, { over, purged, referring }: Round): Promise<void> {
  const { catalog } = services;
  const referenced = new Set<string>();
  const note = (tableName: string, record: unknown): void => {
    for (const reference of referencesOf(tableName, record)) if (isHolding(reference)) referenced.add(referenceKey(reference));
  };
  const unwatch = catalog.watch(note);
  try {
    // What was put before the watch began is on the disk then.
    await catalog.change(() => {});
    for (const table of referring) await forEveryRecord(catalog.view, table, (record) => note(table.name, record));
    for (const { kind: one, ids } of over) {
      const { name } = one.table;
      for (const id of ids) {
        if (referenced.has(referenceKey({ to: name, id }))) continue;
        if (await removeOne(services, one, { id, referenced })) purged[name] = (purged[name] ?? 0) + 1;
      }
    }
  } finally {
    unwatch();
  }
}
const isHolding = ({ isPart }: RecordReference): boolean => isPart !== true;

/** False where somebody wants it again, or it is another by now. */
async function removeOne(
  { catalog, settings: { retention }, nowMs, keyring }: Needs,
  { table, isOver, removeParts }: Kind<unknown>,
  which: Which,
): Promise<boolean> {
  for (;;) {
    const state = await catalog.change((tx) => {
      const record = tx.get(table, which.id);
      if (record === undefined || which.referenced.has(referenceKey({ to: table.name, id: which.id }))) return 'wanted';
      if (!isOver(tx, record, { nowMs: nowMs(), retention, keyring })) return 'wanted';
      if (!removeParts(tx, record)) return 'more';
      tx.remove(table, which.id);
      return 'gone';
    });
    if (state !== 'more') return state === 'gone';
  }
}
interface Which {
  id: string;
  referenced: ReadonlySet<string>;
}

async function idsOver(
  { catalog: { view }, settings: { retention }, nowMs, keyring }: Needs,
  of: readonly Kind<unknown>[],
): Promise<{ kind: Kind<unknown>; ids: string[] }[]> {
  const found: { kind: Kind<unknown>; ids: string[] }[] = [];
  for (const one of of) {
    const ids: string[] = [];
    await forEveryRecord(view, one.table, (record) => {
      if (one.isOver(view, record, { nowMs: nowMs(), retention, keyring })) ids.push(one.table.idOf(record));
    });
    found.push({ kind: one, ids });
  }
  return found;
}

/** A page at a time: requests are answered in between. */
export async function forEveryRecord<Record>(view: View, table: Table<Record>, work: (record: Record) => void): Promise<void> {
  for (const { records, next } of pagesOf(view, table)) {
    for (const record of records) work(record);
    if (next !== undefined) await nextTurn();
  }
}

/** What is shown of a revision of an available draft comes from its newest attempt, and from the newest that succeeded. */
function isNewestOfDraft(view: View, { attempt, withChoices }: BuildAttemptRecord): boolean {
  if (view.get(sourceDraftTable, attempt.sourceDraftId)?.state !== 'available') return false;
  const prefix = [attempt.sourceDraftId, attempt.sourceRevision, Number(withChoices)];
  return ['byRevision', 'succeededByRevision'].some((index) => {
    const [newest] = view.list(buildAttemptTable, { index, prefix, limit: 1, reverse: true }).records;
    return newest?.attempt.attemptId === attempt.attemptId;
  });
}
