// The log in a real PostgreSQL: one server for the file.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Appender } from '../../src/cluster/appender.js';
import { steadyClock } from '../../src/cluster/clock.js';
import type { ClusterLog } from '../../src/cluster/log.js';
import { LogUnavailable, LogUnknown } from '../../src/cluster/log.js';
import { PostgresSession, Refused } from '../../src/cluster/postgres/connection.js';
import { Patience } from '../../src/cluster/postgres/patience.js';
import { openPostgresLog, type PostgresLogOptions } from '../../src/cluster/postgres/postgres-log.js';
import { tuning } from '../../src/cluster/tuning.js';
import { until, untilSettled } from '../until.js';
import { conformanceHomes, rules } from './log-conformance.js';
import { eachOf, entryOf, joined, nonceOf, stateOf } from './log-kit.js';
import { type PostgresServer, postgresMissing, startPostgres } from './postgres-server.js';
import { silentSessions } from './silent-sessions.js';
import { VirtualClock } from './virtual-clock.js';

let server: PostgresServer;
const opened: ClusterLog[] = [];
/** One log a node: its sessions are opened when they are needed, and a server has few. */
const byNode = new Map<string, ClusterLog>();

before(async () => {
  if (postgresMissing === false) server = await startPostgres();
});
after(async () => {
  for (const log of opened) await log.close();
  await server?.stop();
});

async function open(node: string, { url = server.url, ...more }: Partial<PostgresLogOptions> & { url?: string } = {}): Promise<ClusterLog> {
  const log = await openPostgresLog(url, {
    node,
    homes: conformanceHomes,
    keyFingerprint: 'key',
    formats: { oldest: 1, newest: 1 },
    ...more,
  });
  opened.push(log);
  return log;
}

// POSTGRES-LOG-1, APPEND-STATEMENT-1, POSTGRES-SNAPSHOTS-1, POSTGRES-BLOBS-1
for (const [rule, ask] of Object.entries(rules))
  test(`log in PostgreSQL: ${rule}`, { skip: postgresMissing }, async () => {
    await ask(async (node) => {
      const log = byNode.get(node) ?? (await open(node));
      byNode.set(node, log);
      return log;
    });
    // One of them raises it, for this server's other tests too.
    await server.ask('update drillyard_cluster set format = 1');
  });

test('a node that starts waits for a database that is away, not for one that refuses it', { skip: postgresMissing }, async () => {
  const warnings: string[] = [];
  const warn = (message: string): void => void warnings.push(message);
  await server.kill();
  await assert.rejects(open('early'), {
    code: 'control.UNAVAILABLE',
    message: /^The log of the cluster cannot be reached: /,
  });
  const waiting = open('early', { waitMs: 60_000, warn });
  await until(() => warnings.length > 0);
  assert.match(warnings[0] as string, /is asked for up to 60 s/);
  await server.start();
  await waiting;
  warnings.length = 0;
  const nowhere = server.url.replace(/[^/]*$/, 'nowhere');
  await assert.rejects(open('lost', { url: nowhere, waitMs: 60_000, warn }), { code: 'control.UNAVAILABLE', message: /nowhere/ });
  assert.deepEqual(warnings, []);
});

test('what a node is given and cannot use ends its start at once, with what is wrong', { skip: postgresMissing }, async () => {
  const warnings: string[] = [];
  const warn = (message: string): void => void warnings.push(message);
  const folder = mkdtempSync(join(tmpdir(), 'drillyard-no-store-'));
  rmSync(folder, { recursive: true });
  const wrong: [Parameters<typeof open>[1], RegExp][] = [
    [{ url: `${server.url}?sslrootcert=${folder}/ca.pem` }, /ENOENT/],
    [{ url: `${server.url}?sslmode=require` }, /SSL/],
    [{ store: `file://${folder}` }, /^The store of the cluster cannot be used: the folder .* is not there\.$/],
  ];
  for (const [given, message] of wrong)
    await assert.rejects(open('wrong', { waitMs: 3_600_000, warn, ...given }), { code: 'control.UNAVAILABLE', message });
  assert.deepEqual(
    warnings.filter((message) => message.includes('is asked for')),
    [],
  );
});

// CLUSTER-DATABASE-1
test('what the URL says of sessions stands behind what a node needs of them', { skip: postgresMissing }, async () => {
  const refused = { code: 'control.INVALID_REQUEST', message: /no other parameters/ };
  await assert.rejects(open('named', { url: `${server.url}?application_name=mine` }), refused);
  const session = new PostgresSession({ url: `${server.url}?options=-c%20statement_timeout%3D5%20-c%20work_mem%3D5MB`, name: 'asks' });
  const text = `select current_setting('application_name') as name, current_setting('statement_timeout') as timeout,
    current_setting('work_mem') as memory`;
  assert.deepEqual(await session.run({ text, isRead: true }), [{ name: 'asks', timeout: '0', memory: '5MB' }]);
  await session.close();
});

// SCHEMA-1, CLUSTER-FORMAT-1
test('a node of another cluster is refused, and one that is too old or too new', { skip: postgresMissing }, async () => {
  await open('first');
  await assert.rejects(open('second', { keyFingerprint: 'other' }), { code: 'cluster.FOREIGN_CLUSTER' });
  await assert.rejects(open('second', { homes: 3 }), { code: 'cluster.FOREIGN_CLUSTER' });
  await server.ask('update drillyard_cluster set schema_version = 9');
  await assert.rejects(open('second'), { code: 'cluster.FOREIGN_CLUSTER' });
  await server.ask('update drillyard_cluster set schema_version = 2');
  await server.ask('update drillyard_cluster set format = 3');
  const refused = (words: RegExp) => (error: { code?: string; message: string }) =>
    error.code === 'cluster.FORMAT_UNSUPPORTED' && words.test(error.message);
  await assert.rejects(open('second'), refused(/install the version of the other nodes/));
  await assert.rejects(open('second', { formats: { oldest: 4, newest: 5 } }), refused(/a version between/));
  await server.ask('update drillyard_cluster set format = 1');
});

// SCHEMA-1
test('what an earlier version has made gets its column, and nodes of that version beat on', { skip: postgresMissing }, async () => {
  const before = await open('before');
  await before.beat(stateOf('before'));
  await server.ask('alter table drillyard_node drop column unreached');
  const later = await open('later');
  // As the earlier one writes its row.
  await server.ask(`update drillyard_node set beat = beat + 1 where node = 'before'`);
  const { nodes } = await later.beat(stateOf('later', { unreached: ['before'] }));
  assert.deepEqual(
    nodes.filter(({ node }) => node === 'before' || node === 'later').map(({ node, beat, unreached }) => [node, beat, unreached]),
    [
      ['before', 2, []],
      ['later', 1, ['before']],
    ],
  );
  assert.equal((await before.beat(stateOf('before'))).nodes.find(({ node }) => node === 'before')?.beat, 3);
});

test('the row of a node that has not beaten for a day is dropped', { skip: postgresMissing }, async () => {
  const log = await open('kept');
  const names = async () => (await log.beat(stateOf('kept'))).nodes.map(({ node }) => node);
  await (await open('gone')).beat(stateOf('gone'));
  await server.ask(`update drillyard_node set seen_at = now() - interval '23 hours' where node = 'gone'`);
  await names();
  assert.ok((await names()).includes('gone'));
  await server.ask(`update drillyard_node set seen_at = now() - interval '25 hours' where node = 'gone'`);
  await names();
  assert.ok(!(await names()).includes('gone'));
});

// SCHEMA-2
test('a server that may lose what it acknowledged is refused, by the name of its setting', { skip: postgresMissing }, async () => {
  const warnings: string[] = [];
  await open('warned', { warn: (message) => warnings.push(message) });
  assert.equal(warnings.length, 1);
  for (const [setting, value] of [
    ['synchronous_commit', 'off'],
    ['synchronous_commit', 'remote_write'],
    ['fsync', 'off'],
    ['full_page_writes', 'off'],
  ]) {
    await server.ask(`alter system set ${setting} = ${value}`);
    await reload(`${setting} = '${value}'`);
    await assert.rejects(open('unsafe'), (error: { code: string; extra: { details: unknown } }) => {
      assert.equal(error.code, 'cluster.UNSAFE_LOG');
      assert.deepEqual(error.extra.details, { setting, value });
      return true;
    });
    await server.ask(`alter system reset ${setting}`);
    await reload(`${setting} = 'on'`);
  }
});

/** Settings are read again by each process in its own time; a new session has those of its parent. */
async function reload(wanted: string): Promise<void> {
  const [name, value] = wanted.split(' = ') as [string, string];
  await server.ask('select pg_reload_conf()');
  await untilSettled(async () => {
    const session = new PostgresSession({ url: server.url, name: 'look' });
    const [row] = await session.run({ text: `select current_setting('${name}') as value` });
    await session.close();
    return `'${row?.value}'` === value;
  });
}

const aHome = async (home: number, owner: string): Promise<ClusterLog> => {
  const log = await open(owner);
  await log.claim(home, 0, owner);
  return log;
};

/** A transaction that holds the home's row as an append does that has not ended. */
async function holdHome(home: number, node: string): Promise<PostgresSession> {
  const session = new PostgresSession({ url: server.url, name: `drillyard/${node}` });
  await session.run({ text: 'begin' });
  await session.run({ text: `select 1 from drillyard_home where home = ${home} for share` });
  return session;
}
const waiters = async (): Promise<number> =>
  Number((await server.ask(`select count(*) as waiting from pg_stat_activity where wait_event_type = 'Lock'`))[0]?.waiting);

// POSTGRES-LOG-3
test('a claim waits for an append that holds its row, and takes the home when its session was ended', {
  skip: postgresMissing,
}, async () => {
  const taker = await aHome(0, 'held');
  const holder = await holdHome(0, 'stuck');
  const claim = taker.claim(0, 1, 'held');
  await untilSettled(async () => (await waiters()) === 1);
  await taker.endSessionsOf('somebody-else');
  assert.equal(await waiters(), 1);
  await taker.endSessionsOf('stuck');
  assert.equal(await claim, 2);
  await holder.close();
});

// POSTGRES-LOG-3, CONNECTION-1
test('an append that waits for a claim finds the new epoch, and one that loses its session does not know', {
  skip: postgresMissing,
}, async () => {
  const owner = await open('owner');
  await server.ask(`update drillyard_home set owner = 'owner', epoch = 7 where home = 2`);
  const claim = new PostgresSession({ url: server.url, name: 'claim' });
  await claim.run({ text: 'begin' });
  await claim.run({ text: 'update drillyard_home set epoch = 8 where home = 2' });
  const late = owner.append([entryOf(2, 1, 7)]);
  await untilSettled(async () => (await waiters()) === 1);
  await claim.run({ text: 'commit' });
  assert.deepEqual(await late, { outcome: 'refused', homes: [2] });
  await claim.run({ text: 'begin' });
  await claim.run({ text: 'update drillyard_home set epoch = 8 where home = 2' });
  const cut = assert.rejects(owner.append([entryOf(2, 1, 8)]), LogUnknown);
  await untilSettled(async () => (await waiters()) === 1);
  await owner.endSessionsOf('owner');
  await cut;
  await claim.run({ text: 'commit' });
  assert.deepEqual(await owner.resolve([entryOf(2, 1, 8)]), { outcome: 'appended' });
  assert.equal((await owner.read([{ home: 2, sequence: 1 }], 1000)).length, 1);
  await claim.close();
});

// CONNECTION-1
test('a statement that ends with a warning is not known to be durable', { skip: postgresMissing }, async () => {
  const session = new PostgresSession({ url: server.url, name: 'warned' });
  const raise = `do $$ begin raise warning 'canceling wait for synchronous replication'; end $$`;
  await assert.rejects(session.run({ text: raise }), LogUnknown);
  await assert.rejects(session.run({ text: 'select 1 / 0' }), (error: Refused) => error instanceof Refused && error.sqlState === '22012');
  assert.deepEqual(await session.run({ text: 'select 2 as two' }), [{ two: 2 }]);
  await session.close();
});

// CONNECTION-2
test('a session that answers too late is dropped, and what it was asked for is done all the same', { skip: postgresMissing }, async () => {
  await server.ask('create table late (n int)');
  const session = new PostgresSession({ url: server.url, name: 'late' });
  const text = 'with waited as materialized (select pg_sleep(0.3)) insert into late select 1 from waited';
  await assert.rejects(session.run({ text, answerMs: 20 }), LogUnknown);
  await untilSettled(async () => (await server.ask('select n from late')).length === 1);
  await session.close();
});

// CONNECTION-2
test('a session that has gone silent holds up its statement for a bounded time, and the next one has another session', {
  skip: postgresMissing,
  timeout: 120_000,
}, async (t) => {
  const database = await silentSessions(server.url);
  t.after(() => database.close());
  const clock = new VirtualClock();
  const log = await open('silent', { url: database.url, clock: clock.face() });
  await server.ask(`update drillyard_home set owner = 'silent', epoch = 90 where home = 1`);
  const next = ((await log.ends([1])).get(1) ?? 0) + 1;
  await log.blobs.put('sha256:silent', eachOf('body'));
  const held: [text: string, work: () => Promise<unknown>, error: typeof LogUnknown][] = [
    ['left join drillyard_log l', () => log.resolve([entryOf(1, next, 90)]), LogUnknown],
    ['select 1 from drillyard_blob', () => log.blobs.get('sha256:silent'), LogUnavailable],
    ['insert into drillyard_snapshot', () => log.snapshots.put(1, next, eachOf('snapshot')), LogUnknown],
    ['commit', () => log.blobs.put('sha256:late', eachOf('body')), LogUnknown],
    ['delete from drillyard_snapshot', () => log.snapshots.trim(1, 0), LogUnknown],
  ];
  for (const [text, work, error] of held) {
    const silent = database.silence(text);
    const refused = assert.rejects(work(), (thrown) => thrown instanceof error, text);
    await silent;
    await clock.advance(tuning.answerMaxMs);
    await refused;
  }
  assert.deepEqual(await log.resolve([entryOf(1, next, 90)]), { outcome: 'appended' });
  assert.equal((await joined((await log.blobs.get('sha256:silent')) as AsyncIterable<Buffer>)).toString(), 'body');
  assert.equal(await log.blobs.has('sha256:late'), false);
  assert.ok(!(await log.snapshots.sequences(1)).includes(next));
  await log.snapshots.put(1, next, eachOf('snapshot'));
});

// PATIENCE-1
test('each wait for an answer that was in vain makes the next longer, up to a bound, until something was written', {
  skip: postgresMissing,
}, async (t) => {
  const database = await silentSessions(server.url);
  t.after(() => database.close());
  const waits: number[] = [];
  // Nobody waits: the time is over as soon as the session is silent.
  let over = (): void => {};
  const after = (ms: number, work: () => void): (() => void) => {
    waits.push(ms);
    over = work;
    return () => {};
  };
  const clock = { now: () => 0, after };
  const session = new PostgresSession({ url: database.url, name: 'patient', clock, patience: new Patience(70_000) });
  const inVain = async (): Promise<void> => {
    const silent = database.silence('select 5 as five');
    const refused = assert.rejects(session.run({ text: 'select 5 as five', isRead: true }), LogUnavailable);
    await silent;
    over();
    await refused;
  };
  for (let count = 0; count < 4; count++) await inVain();
  await session.run({ text: 'select 6 as six', isRead: true });
  await session.transaction((run) => run({ text: 'select 7 as seven' }));
  await inVain();
  await inVain();
  await session.run({ text: 'create temporary table written (n int)' });
  await inVain();
  // A transaction is three statements.
  const [first, second, bound] = [70_000, 140_000, tuning.answerMaxMs];
  assert.deepEqual(waits, [first, second, 280_000, bound, bound, bound, bound, bound, first, second, 280_000, first]);
  await session.close();
});

// POSTGRES-SNAPSHOTS-2
test('a home keeps its newest two snapshots', { skip: postgresMissing }, async () => {
  const log = await open('snapshots');
  for (const sequence of [1, 2, 3]) await log.snapshots.put(3, sequence, eachOf(`${sequence}`));
  const rows = await server.ask('select seq from drillyard_snapshot where home = 3 order by seq');
  assert.deepEqual(
    rows.map(({ seq }) => Number(seq)),
    [2, 3],
  );
});

// POSTGRES-LOG-2
test('what was acknowledged is there once after the server was killed and its sessions ended', { skip: postgresMissing }, async () => {
  const log = await open('killed');
  await server.ask(`update drillyard_home set owner = 'killed', epoch = 50 where home in (1, 2)`);
  const lost: number[] = [];
  const appender = new Appender({ log, clock: steadyClock, onLost: (home) => lost.push(home) });
  const ends = await log.ends([1, 2]);
  for (const home of [1, 2]) appender.own(home, 50, ends.get(home) ?? 0);
  const acknowledged = new Map<string, number>();
  let isOver = false;
  const write = async (home: number): Promise<void> => {
    for (let number = 1; !isOver; number++) {
      const name = `killed ${home} ${number}`;
      const record = { home, stream: 's', number, nonce: nonceOf(name), body: Buffer.from(name) };
      const outcome = await appender.append(record);
      if (outcome.outcome === 'lost') return;
      acknowledged.set(name, outcome.sequence);
    }
  };
  const writers = [1, 2].map(write);
  const more = async (): Promise<void> => {
    const before = acknowledged.size;
    await until(() => acknowledged.size > before + 20 || lost.length > 0);
  };
  await more();
  await server.kill();
  await server.start();
  await more();
  await log.endSessionsOf('killed');
  await more();
  isOver = true;
  await Promise.all(writers);
  await appender.close();
  assert.deepEqual(lost, []);
  const read = await log.read(
    [1, 2].map((home) => ({ home, sequence: (ends.get(home) ?? 0) + 1 })),
    10_000_000,
  );
  assert.equal(read.length, acknowledged.size);
  for (const { body, sequence } of read) assert.equal(acknowledged.get(body.toString()), sequence);
});
