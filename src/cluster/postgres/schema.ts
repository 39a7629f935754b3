// The tables of a cluster: made by the first node, checked by each that joins.
//   SCHEMA-1. A node joins only a cluster of its server key, its number of homes and its store, in a schema and a format that it knows.
//   SCHEMA-2. A server that acknowledges what it may lose is refused by the name of its setting.
import { randomUUID } from 'node:crypto';
import type { ClusterFormats } from '../../contract/cluster-format.js';
import type { ServiceError } from '../../contract/errors.js';
import { LogUnavailable } from '../log.js';
import { inDatabase } from '../objects/open-objects.js';
import { foreignCluster, nodeTooNew, nodeTooOld, unsafeLog } from '../refusals.js';
import { type PostgresSession, type Row, unavailable } from './connection.js';
import type { RunStatement, Statements } from './statements.js';

/** Of these tables. A newer one is refused: its nodes rely on what this one does not write. */
const schemaVersion = 2;
/** Names the lock under which the tables are made: `dyc1` in ASCII. */
const schemaLock = 0x64796331;

export interface ClusterIdentity {
  /** Besides home 0. Fixed when the cluster begins. */
  homes: number;
  /** A digest of the server key: nodes with another could not read the tokens of this cluster. */
  keyFingerprint: string;
  formats: ClusterFormats;
}

/** As it begins. */
export type NewCluster = Pick<ClusterIdentity, 'homes' | 'keyFingerprint'> & {
  /** That its nodes write. */
  format: number;
};

const tables = `
create table if not exists drillyard_cluster (
  one boolean primary key default true check (one),
  schema_version int not null, format int not null, homes int not null, key_fingerprint text not null,
  cluster_id text not null, store text not null);
create table if not exists drillyard_node (
  node text primary key, address text not null, beat bigint not null, state text not null, format int not null,
  followed jsonb not null, seen_at timestamptz not null,
  incarnation text not null, is_drained boolean not null default false, held jsonb not null, unreached jsonb not null default '[]');
create table if not exists drillyard_home (
  home int primary key, owner text, epoch int not null default 0, first_seq bigint not null default 1, snapshot_seq bigint not null default 0,
  wanted text);
create table if not exists drillyard_log (
  home int, seq bigint, epoch int not null, nonce bytea not null, stream text not null, number bigint not null, is_last boolean not null,
  body bytea not null, primary key (home, seq));
alter table drillyard_log alter column body set storage external;
create table if not exists drillyard_write (node text primary key, count bigint not null);
create table if not exists drillyard_snapshot (
  home int, seq bigint, part int, body bytea not null, primary key (home, seq, part));
alter table drillyard_snapshot alter column body set storage external;
create table if not exists drillyard_blob (
  digest text, part int, body bytea not null, put_at timestamptz not null default clock_timestamp(), primary key (digest, part));
alter table drillyard_blob alter column body set storage external;`;

/** Of the store beside the database, if there is one: its name, which it holds. */
export interface StoreIdentity {
  name(): Promise<string | undefined>;
  /** Gives a store without a name its own. */
  begin(): Promise<string>;
}

/** Makes what is missing, and refuses what does not fit. Yields the name of the cluster. */
export async function joinCluster(session: Statements, identity: ClusterIdentity, store?: StoreIdentity): Promise<string> {
  const cluster = await session
    .transaction(async (run) => {
      const known = (await hasTables(run)) ? await clusterRow(run) : undefined;
      if (known !== undefined) await addColumns(run);
      return known ?? (await beginCluster(run, { ...identity, format: identity.formats.newest }, store));
    })
    .catch((error: unknown) => {
      throw unavailable(error);
    });
  checkIdentity(cluster, identity);
  await checkStore(cluster, store);
  return String(cluster.cluster_id);
}

/** The tables and homes of a new cluster; the lock is of the transaction, so of those that start at once the others find what one made. */
export async function beginCluster(run: RunStatement, identity: NewCluster, store?: StoreIdentity): Promise<Row> {
  const { homes, keyFingerprint, format } = identity;
  await run({ text: `select pg_advisory_xact_lock(${schemaLock})` });
  await run({ text: tables });
  const known = await clusterRow(run);
  if (known !== undefined) return known;
  await run({
    text: 'insert into drillyard_cluster values (true, $1, $2, $3, $4, $5, $6)',
    values: [schemaVersion, format, homes, keyFingerprint, randomUUID(), (await store?.begin()) ?? inDatabase],
  });
  await run({ text: 'insert into drillyard_home (home) select generate_series(0, $1::int) on conflict do nothing', values: [homes] });
  const begun = await clusterRow(run);
  if (begun === undefined) throw new LogUnavailable('the cluster has no row');
  return begun;
}

/**
 * What an earlier version of this schema did not have. Its nodes write it with its default, so they may be there too. Looked for first: the
 * change would wait for every beat, and every beat for it.
 */
async function addColumns(run: RunStatement): Promise<void> {
  const [found] = await run({
    text: `select 1 from pg_attribute where attrelid = to_regclass('drillyard_node') and attname = 'unreached'`,
    isRead: true,
  });
  if (found === undefined) await run({ text: `alter table drillyard_node add column if not exists unreached jsonb not null default '[]'` });
}

export async function hasTables(run: RunStatement): Promise<boolean> {
  const [made] = await run({ text: `select to_regclass('drillyard_cluster') is not null as is_made`, isRead: true });
  return made?.is_made === true;
}

export async function clusterRow(run: RunStatement): Promise<Row | undefined> {
  return (await run({ text: 'select * from drillyard_cluster', isRead: true }))[0];
}

/** Of what has been named, that it is the cluster's. */
export async function checkStore(cluster: Row, store?: StoreIdentity): Promise<void> {
  if (cluster.store !== ((await store?.name()) ?? inDatabase)) throw otherStore(store !== undefined);
}

function otherStore(isNamed: boolean): ServiceError {
  return foreignCluster(
    isNamed
      ? 'The nodes of this log have their snapshots and blobs in another store. Name the same --cluster-store, and see that it is mounted.'
      : 'The nodes of this log have their snapshots and blobs in a store of their own. Name it with --cluster-store.',
  );
}

/** Of a cluster that this version can read. */
export function checkSchema(found: Row): void {
  if (found.schema_version !== schemaVersion) throw foreignCluster(`The log has schema ${found.schema_version}, not ${schemaVersion}.`);
}

function checkIdentity(found: Row, { homes, keyFingerprint, formats }: ClusterIdentity): void {
  checkSchema(found);
  if (found.key_fingerprint !== keyFingerprint) throw foreignCluster('The nodes of this log have another server key.');
  if (found.homes !== homes) throw foreignCluster(`The cluster of this log has ${found.homes} homes, not ${homes}.`);
  const written = Number(found.format);
  if (written > formats.newest) throw nodeTooOld(formats.newest, written);
  if (written < formats.oldest) throw nodeTooNew(formats.oldest, written);
}

/** Levels of `synchronous_commit` that wait for the disk of the standby, where there is one. */
const safeCommits = new Set(['on', 'remote_apply']);

/** Refuses settings under which an acknowledged entry may be lost. Whether no standby is synchronous: then one disk has it all. */
export async function checkSettings(session: PostgresSession): Promise<{ hasSynchronousStandby: boolean }> {
  const [settings] = await session.run({
    text: `select current_setting('fsync') fsync, current_setting('full_page_writes') full_page_writes,
      current_setting('synchronous_commit') synchronous_commit, current_setting('synchronous_standby_names') standbys`,
    isRead: true,
  });
  if (settings === undefined) throw new LogUnavailable('the server has no settings');
  for (const setting of ['fsync', 'full_page_writes']) if (settings[setting] !== 'on') throw unsafeLog(setting, String(settings[setting]));
  const commit = String(settings.synchronous_commit);
  if (!safeCommits.has(commit)) throw unsafeLog('synchronous_commit', commit);
  return { hasSynchronousStandby: settings.standbys !== '' };
}
