// The log in PostgreSQL: an append is one statement, which names the epoch of each home and locks its row in share mode. Why nothing that
// was acknowledged can be lost or doubled: docs/decisions/020.
//   POSTGRES-LOG-1. It keeps the rules of the port (log.ts), as the log in memory does: one test asks both.
//   POSTGRES-LOG-2. What was acknowledged is there once after the server was killed, and after its sessions were ended.
//   POSTGRES-LOG-3. A claim waits for an append that holds the home's row, and for one that never ends only until its session was ended.
import { backoffMs, type RetryPolicy, retry } from '../../async/retry.js';
import type { SharedBlobs } from '../../contract/cluster-store.js';
import { invariant } from '../../contract/errors.js';
import { type ClusterClock, steadyClock } from '../clock.js';
import type {
  Appended,
  Beat,
  ClusterLog,
  HomeState,
  LogEntry,
  LogHealth,
  LogPlace,
  NameHolder,
  NodeState,
  OwnState,
  SnapshotStore,
} from '../log.js';
import { LogUnavailable, LogUnknown, NameHeld } from '../log.js';
import type { ObjectStore } from '../objects/object-store.js';
import { openObjects, storeIdentity } from '../objects/open-objects.js';
import { logAway, nodeTooOld } from '../refusals.js';
import { tuning } from '../tuning.js';
import { appendText, appendValues, findText, standingValues } from './append-statement.js';
import { mayPass, PostgresSession, Refused, type Row, type SessionOptions, type Statement, sqlStates, unavailable } from './connection.js';
import { indexedBlobs } from './indexed-blobs.js';
import { indexedSnapshots } from './indexed-snapshots.js';
import { Patience } from './patience.js';
import { postgresBlobs } from './postgres-blobs.js';
import { postgresSnapshots } from './postgres-snapshots.js';
import { endsText, entryOfRow, readStatement } from './read-entries.js';
import { type ClusterIdentity, checkSettings, joinCluster } from './schema.js';
import { removeStrays } from './stray-objects.js';

export interface PostgresLogOptions extends ClusterIdentity {
  node: string;
  /** Where snapshots and blobs lie, as `storeAddress` reads it (contract/cluster-store.ts). Default: in the database. */
  store?: string;
  /** What an operator should know and no reason not to start. */
  warn?(message: string): void;
  clock?: ClusterClock;
  /** How long a database that does not answer is asked again: it may be starting, or changing its primary. Default: not at all. */
  waitMs?: number;
  /** Aborted: it is asked no more. */
  signal?: AbortSignal;
}

/**
 * Opens the log of a cluster; the first node that does so makes it. Refuses a server that may lose what it acknowledges. Rejects with
 * control.UNAVAILABLE where the database cannot be asked within `waitMs`.
 */
export async function openPostgresLog(url: string, options: PostgresLogOptions): Promise<ClusterLog> {
  invariant(options.node.length <= tuning.nodeNameCharsMax, `the name of a node has at most ${tuning.nodeNameCharsMax} characters`);
  const objects = options.store === undefined ? undefined : await openObjects(options.store);
  const log = new PostgresLog(url, options, objects);
  try {
    await joinWhenThere(log, options);
    return log;
  } catch (error) {
    await log.close();
    options.signal?.throwIfAborted();
    throw error instanceof LogUnavailable || error instanceof LogUnknown ? logAway(error) : error;
  }
}

async function joinWhenThere(log: PostgresLog, options: PostgresLogOptions): Promise<void> {
  const { waitMs = 0, warn, signal } = options;
  const untilMs = steadyClock.now() + waitMs;
  const backoff = { firstMs: tuning.retryFirstMs, maxMs: tuning.retryMaxMs };
  const policy: RetryPolicy = {
    signal,
    isRetryable: (error) => mayPass(error) && steadyClock.now() < untilMs,
    waitMs: (error, attempts) => {
      if (attempts === 1) warn?.(`PostgreSQL does not answer; it is asked for up to ${waitMs / 1000} s: ${(error as Error).message}`);
      return Math.max(0, Math.min(backoffMs(backoff, attempts), untilMs - steadyClock.now()));
    },
  };
  await retry(policy, () => log.join(options));
}

/** Sessions that may hold rows of homes: what `endSessionsOf` ends. */
const writerName = (node: string): string => `drillyard/${node}`;

class PostgresLog implements ClusterLog {
  readonly snapshots: SnapshotStore;
  readonly blobs: SharedBlobs;
  readonly #node: string;
  /** Appends alone, so that no other statement is between two of them. */
  readonly #appends: PostgresSession;
  /** Claims and handovers: they wait for appends of others. */
  readonly #claims: PostgresSession;
  readonly #beats: PostgresSession;
  readonly #reads: PostgresSession;
  readonly #large: PostgresSession;
  readonly #objects: ObjectStore | undefined;
  clusterId = '';
  #hasWarned = false;
  readonly #patience = new Patience(tuning.answerMs);

  constructor(url: string, { node, clock = steadyClock }: PostgresLogOptions, objects: ObjectStore | undefined) {
    this.#node = node;
    const open = (name: string, more?: Partial<SessionOptions>): PostgresSession => new PostgresSession({ url, name, clock, ...more });
    this.#appends = open(writerName(node));
    this.#claims = open(writerName(node));
    // A beat says only who is alive: it does not wait for the standby, without which reads are answered still.
    this.#beats = open(`drillyard-beat/${node}`, { isLocal: true });
    this.#reads = open(`drillyard-read/${node}`);
    this.#large = open(`drillyard-large/${node}`, { patience: new Patience(tuning.largeAnswerMs) });
    this.#objects = objects;
    this.snapshots = objects === undefined ? postgresSnapshots(this.#large) : indexedSnapshots(this.#large, objects);
    this.blobs = objects === undefined ? postgresBlobs(this.#large) : indexedBlobs(this.#large, objects);
  }

  async join({ warn, store: _, waitMs: __, signal: ___, ...identity }: PostgresLogOptions): Promise<void> {
    const { hasSynchronousStandby } = await checkSettings(this.#reads);
    if (!hasSynchronousStandby && !this.#hasWarned)
      warn?.('No standby of PostgreSQL is synchronous: what is acknowledged is on one disk only.');
    this.#hasWarned = true;
    this.clusterId = await joinCluster(this.#claims, identity, this.#objects && storeIdentity(this.#objects));
  }

  async append(entries: readonly LogEntry[]): Promise<Appended> {
    if (entries.length === 0) return { outcome: 'appended' };
    return this.#append((statement) => this.#appends.run(statement), entries);
  }

  async resolve(entries: readonly LogEntry[]): Promise<Appended> {
    // The session that did not answer may still be at it.
    await this.#appends.drop();
    return this.#appends.alone(async (run) => {
      const [found] = await this.#find(run, entries);
      return found ?? this.#append(run, entries);
    });
  }

  async #append(run: (statement: Statement) => Promise<Row[]>, entries: readonly LogEntry[]): Promise<Appended> {
    try {
      await run({ name: 'append', text: appendText, values: appendValues(entries), hasRows: false, answerMs: this.#patience.ms });
      this.#patience.written();
      return { outcome: 'appended' };
    } catch (error) {
      if (!(error instanceof Refused)) throw this.#morePatient(error);
      if (error.sqlState !== sqlStates.divisionByZero && error.sqlState !== sqlStates.uniqueViolation) throw unavailable(error);
    }
    const [found, refused] = await this.#find(run, entries);
    if (found !== undefined) return found;
    // What was in the way has gone: somebody's append that was not committed.
    if (refused.length === 0) throw new LogUnknown('an append was refused for no home');
    return { outcome: 'refused', homes: refused };
  }

  /** Whether the entries are there; else the homes that are in their way. */
  async #find(run: (statement: Statement) => Promise<Row[]>, entries: readonly LogEntry[]): Promise<[Appended | undefined, number[]]> {
    try {
      const rows = await run({ name: 'find', text: findText, values: standingValues(entries), isRead: true, answerMs: this.#patience.ms });
      if (!rows.some(({ is_own }) => is_own === true))
        return [undefined, [...new Set(rows.filter((row) => row.is_refused === true).map(({ home }) => Number(home)))]];
      // An entry that is seen may wait for its standby still, or have been given up by it. This commit waits for all before it.
      await run({
        text: 'insert into drillyard_write values ($1, 1) on conflict (node) do update set count = drillyard_write.count + 1',
        values: [this.#node],
        answerMs: this.#patience.ms,
      });
      this.#patience.written();
      return [{ outcome: 'appended' }, []];
    } catch (error) {
      throw this.#morePatient(error) instanceof LogUnknown ? error : new LogUnknown((error as Error).message, { cause: error });
    }
  }

  #morePatient(error: unknown): unknown {
    if (error instanceof LogUnknown) this.#patience.lost();
    return error;
  }

  async claim(home: number, expectedEpoch: number, node: string): Promise<number | undefined> {
    return this.#own(home, expectedEpoch, node);
  }

  async give(home: number, epoch: number, to: string): Promise<boolean> {
    return (await this.#own(home, epoch, to)) !== undefined;
  }

  async #own(home: number, epoch: number, owner: string): Promise<number | undefined> {
    const [row] = await this.#claims
      .run({
        text: 'update drillyard_home set owner = $2, epoch = epoch + 1 where home = $1 and epoch = $3 returning epoch',
        values: [home, owner, epoch],
        answerMs: this.#patience.ms,
      })
      .catch((error: unknown) => {
        throw unavailable(this.#morePatient(error));
      });
    return row && Number(row.epoch);
  }

  async read(from: readonly LogPlace[], bytesMax: number): Promise<LogEntry[]> {
    if (from.length === 0) return [];
    return (await this.#read(readStatement(from, bytesMax))).map(entryOfRow);
  }

  async ends(homes: readonly number[]): Promise<Map<number, number>> {
    const rows = await this.#read({
      name: 'ends',
      text: endsText,
      values: [homes],
    });
    return new Map(rows.map(({ home, end_seq }) => [Number(home), Number(end_seq)]));
  }

  async trim(home: number, below: number): Promise<void> {
    // First the bound, by which an append knows that its place was there, then the entries: the row is not held while they are deleted.
    const [row] = await this.#claims.run({ text: trimText, values: [home, below], answerMs: tuning.answerMs }).catch((error: unknown) => {
      throw unavailable(error);
    });
    if (row === undefined) return;
    for (let isMore = true; isMore; ) {
      const deleted = await this.#large
        .run({ text: deleteText, values: [home, row.first_seq, tuning.trimEntriesMax] })
        .catch((error: unknown) => {
          throw unavailable(error);
        });
      isMore = Number(deleted[0]?.deleted) === tuning.trimEntriesMax;
    }
  }

  async beat(own: OwnState, instead?: NameHolder): Promise<Beat> {
    const { node, address, state, format, followed, incarnation, held, unreached } = own;
    const shown = [followed, held, unreached].map((said) => JSON.stringify(said));
    const [row] = await this.#beats
      .run({
        name: 'beat',
        text: beatText,
        values: [
          node,
          address,
          state,
          format,
          tuning.nodeKeptMs,
          incarnation,
          ...shown,
          instead?.incarnation ?? null,
          instead?.beat ?? null,
        ],
        answerMs: tuning.beatAnswerMs,
      })
      .catch((error: unknown) => {
        throw unavailable(error);
      });
    if (row === undefined) throw await this.#whyNoBeat(own);
    return {
      nodes: row.nodes as NodeState[],
      homes: (row.homes as HomeState[]).map(withoutNull),
      format: Number(row.format),
      server: String(row.server),
    };
  }

  async #whyNoBeat({ node, format }: OwnState): Promise<Error> {
    const text = `select c.format, n.incarnation, n.beat from drillyard_cluster c left join drillyard_node n on n.node = $1`;
    const [row] = await this.#read({ text, values: [node] });
    if (Number(row?.format) > format) return nodeTooOld(format, Number(row?.format));
    const { incarnation, beat } = row ?? {};
    // Its row has gone since, or the cluster's.
    if (typeof incarnation !== 'string') return new LogUnavailable('the beat was not written');
    return new NameHeld({ incarnation, beat: Number(beat) });
  }

  async leave(incarnation: string): Promise<void> {
    const text = 'delete from drillyard_node where node = $1 and incarnation = $2';
    await this.#beats.run({ text, values: [this.#node, incarnation], answerMs: tuning.answerMs }).catch((error: unknown) => {
      throw unavailable(error);
    });
  }

  async want(homes: readonly number[], node: string | undefined): Promise<void> {
    await this.#change({ text: 'update drillyard_home set wanted = $2 where home = any($1::int[])', values: [homes, node ?? null] });
  }

  async drain(node: string, isDrained: boolean): Promise<boolean> {
    const text = 'update drillyard_node set is_drained = $2 where node = $1 returning node';
    return (await this.#change({ text, values: [node, isDrained] })).length > 0;
  }

  async health(): Promise<LogHealth> {
    const text = `select pg_total_relation_size('drillyard_log') as bytes, current_setting('synchronous_standby_names') <> '' as has_standby`;
    const [row] = await this.#read({ text });
    return { bytes: Number(row?.bytes), hasSynchronousStandby: row?.has_standby === true };
  }

  async endSessionsOf(node: string): Promise<void> {
    await this.#read({
      text: 'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1',
      values: [writerName(node)],
    });
  }

  async sweepStore(): Promise<number> {
    return this.#objects === undefined ? 0 : await removeStrays((statement) => this.#read(statement), this.#objects);
  }

  async close(): Promise<void> {
    this.#objects?.close();
    await Promise.all([this.#appends, this.#claims, this.#beats, this.#reads, this.#large].map((session) => session.close()));
  }

  /** Of an operator: rare, and done again where its outcome is not known. */
  async #change(statement: Statement): Promise<Row[]> {
    return await this.#claims.run({ ...statement, answerMs: tuning.answerMs }).catch((error: unknown) => {
      throw unavailable(error);
    });
  }

  async #read(statement: Statement): Promise<Row[]> {
    try {
      return await this.#reads.run({ ...statement, isRead: true, answerMs: tuning.answerMs });
    } catch (error) {
      throw error instanceof LogUnavailable ? error : unavailable(error);
    }
  }
}

const withoutNull = ({ owner, wanted, ...state }: HomeState): HomeState => ({
  ...state,
  owner: owner ?? undefined,
  wanted: wanted ?? undefined,
});

const trimText = `
update drillyard_home h set first_seq = greatest(first_seq,
  least($2::bigint, coalesce((select max(seq) from drillyard_log l where l.home = h.home), first_seq - 1) + 1))
where home = $1 returning first_seq`;

/** The lowest first, so that what is left has no gap. */
const deleteText = `
with gone as (
  delete from drillyard_log where home = $1 and seq in (
    select seq from drillyard_log where home = $1 and seq < $2 order by seq limit $3) returning 1)
select count(*) as deleted from gone`;

/**
 * No row where the cluster's format is above the node's, and where another process has its name. The statement sees rows as they were
 * before it, so its own is put in by hand.
 */
const beatText = `
with mine as (
  insert into drillyard_node (node, address, beat, state, format, followed, seen_at, incarnation, held, unreached)
  select $1, $2, 1, $3, $4::int, $7::jsonb, clock_timestamp(), $6, $8::jsonb, $9::jsonb from drillyard_cluster where format <= $4::int
  on conflict (node) do update set address = excluded.address, beat = drillyard_node.beat + 1, state = excluded.state,
    format = excluded.format, followed = excluded.followed, seen_at = excluded.seen_at, incarnation = excluded.incarnation,
    held = excluded.held, unreached = excluded.unreached,
    is_drained = drillyard_node.is_drained and drillyard_node.incarnation = excluded.incarnation
  where drillyard_node.incarnation = excluded.incarnation or (drillyard_node.incarnation = $10 and drillyard_node.beat = $11)
  returning *),
everybody as (select * from mine union all select * from drillyard_node where node <> $1),
dropped as (delete from drillyard_node where node <> $1 and seen_at < now() - $5::float8 * interval '1 millisecond'),
raised as (
  update drillyard_cluster set format = (select min(format) from everybody where seen_at > now() - $5::float8 * interval '1 millisecond')
  where exists (select 1 from mine)
    and format < (select min(format) from everybody where seen_at > now() - $5::float8 * interval '1 millisecond')
  returning format)
select
  (select json_agg(json_build_object('node', node, 'address', address, 'beat', beat, 'state', state, 'format', format,
    'followed', followed, 'incarnation', incarnation, 'isDrained', is_drained, 'held', held,
    'unreached', unreached) order by node) from everybody) as nodes,
  (select json_agg(json_build_object('home', home, 'owner', owner, 'epoch', epoch, 'firstSequence', first_seq,
    'snapshotSequence', snapshot_seq, 'wanted', wanted) order by home) from drillyard_home) as homes,
  coalesce((select format from raised), (select format from drillyard_cluster)) as format,
  pg_postmaster_start_time()::text as server
from mine`;
