// The log on a primary and a synchronous standby, both of Debian's PostgreSQL.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LogUnknown } from '../../src/cluster/log.js';
import { openPostgresLog } from '../../src/cluster/postgres/postgres-log.js';
import { untilSettled } from '../until.js';
import { entryOf, stateOf } from './log-kit.js';
import { standbyMissing, startPostgres, startStandby } from './postgres-server.js';

// CONNECTION-1
test('a commit that its standby never saw is not acknowledged, and is resolved when the standby is back', {
  skip: standbyMissing,
}, async () => {
  const primary = await startPostgres({ isDebian: true });
  const standby = await startStandby(primary);
  const log = await openPostgresLog(primary.url, { node: 'p', homes: 1, keyFingerprint: 'key', formats: { oldest: 1, newest: 1 } });
  try {
    await primary.ask(`alter system set synchronous_standby_names = 'standby'`);
    await primary.ask('select pg_reload_conf()');
    await untilSettled(async () => (await primary.ask(`select 1 from pg_stat_replication where sync_state = 'sync'`)).length === 1);
    await log.claim(1, 0, 'p');
    assert.deepEqual(await log.append([entryOf(1, 1, 1)]), { outcome: 'appended' });
    await standby.kill();
    const beaten = await log.beat(stateOf('p'));
    assert.equal(beaten.nodes.length, 1, 'a beat waits for no standby');
    const doubted = assert.rejects(log.append([entryOf(1, 2, 1)]), LogUnknown);
    const waiting = `select pid from pg_stat_activity where wait_event = 'SyncRep' and application_name = 'drillyard/p'`;
    await untilSettled(async () => (await primary.ask(waiting)).length === 1);
    // Ends the wait with a warning: the entry is committed here, and on no other disk.
    await primary.ask(`select pg_cancel_backend(pid) from (${waiting}) as waiters`);
    await doubted;
    assert.equal((await log.read([{ home: 1, sequence: 2 }], 1000)).length, 1);
    let resolved: unknown;
    const resolving = log.resolve([entryOf(1, 2, 1)]).then((outcome) => {
      resolved = outcome;
    });
    await untilSettled(async () => (await primary.ask(waiting)).length === 1);
    assert.equal(resolved, undefined, 'what it found is not known to be durable');
    await standby.start();
    await resolving;
    assert.deepEqual(resolved, { outcome: 'appended' });
  } finally {
    await log.close();
    await standby.stop();
    await primary.stop();
  }
});
