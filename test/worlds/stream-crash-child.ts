// The process that stream-crash.test.ts kills: it works on worlds whose file writes to a log, which is a file too, and says each turn that
// was acknowledged on standard output.
//   node stream-crash-child.js <directory> <log> <round>
import { appendFileSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { StreamRecord } from '../../src/worlds/kv/stream-log.js';
import { encodeLogged } from './stream-crash-log.js';
import { LoggedHost, MemoryLog } from './stream-kit.js';

const [directory, logFile, round] = process.argv.slice(2) as [string, string, string];
const log = new MemoryLog(`round ${round}`);
log.onAppend = async (record: StreamRecord) => {
  // A kill finds it on the way to the log and on the way back, and the worlds work meanwhile.
  await delay(record.number % 4);
  appendFileSync(logFile, encodeLogged(record));
  await delay(record.number % 3);
  return 'appended';
};
const host = new LoggedHost(directory, log);
const worldId = 'world_000000000000';
if (round === '0') await host.create(worldId);

const add = (account: string) => ({
  kind: 'call' as const,
  actorId: 'clerk',
  packageId: 'bank',
  operationId: 'add',
  arguments: { account, amount: 1 },
});
for (let turn = 0; ; turn++) {
  const account = `turn-${round}-${turn}`;
  const calling = host.run([{ worldId, command: add(account) }]);
  const child = `world_m${round.padStart(3, '0')}${String(turn).padStart(8, '0')}`;
  // Transactions between the append and its end, and what sweeps take away.
  const creating = turn % 3 === 0 ? host.create(child) : undefined;
  const [answer] = await calling;
  writeSync(1, `${answer?.outcome.kind === 'ok' ? account : '-'}\n`);
  await creating;
  if (turn % 4 === 0) await host.run([{ worldId, command: { kind: 'snapshot' } }]);
  if (turn % 6 === 0) await host.destroy(child);
}
