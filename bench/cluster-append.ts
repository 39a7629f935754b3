// The least that a log in PostgreSQL costs a node: this process appends what a node under load does, one append after the other, and does
// nothing else. Beside it the least exchange that the client of PostgreSQL can make, a prepared statement without values or rows.
//   npm run bench -- cluster --only append [--seconds 10] [--json]
import { randomBytes } from 'node:crypto';
import { catalogHome, type LogEntry } from '../src/cluster/log.js';
import { PostgresSession } from '../src/cluster/postgres/connection.js';
import { openPostgresLog } from '../src/cluster/postgres/postgres-log.js';
import { startPostgres } from '../test/cluster/postgres-server.js';

const homes = 24;
/** As `log` finds them. */
const callsPerAppend = 24;
const bytesPerCall = 900;
const nonceBytes = 16;

interface AppendFigures {
  ms: number;
  cpuUs: number;
  cpuUsPerCall: number;
}

export async function append(options: { [flag: string]: string | boolean }): Promise<object> {
  const { seconds = 10 } = options;
  const postgres = await startPostgres();
  const log = await openPostgresLog(postgres.url, { node: 'n1', homes, keyFingerprint: 'key', formats: { oldest: 1, newest: 1 } });
  const session = new PostgresSession({ url: postgres.url, name: 'least' });
  const ends = new Map<number, number>();
  for (let home = catalogHome + 1; home <= homes; home++) await log.claim(home, 0, 'n1');
  const nonce = randomBytes(nonceBytes);
  const bytes = randomBytes(callsPerAppend * bytesPerCall);
  const appendTo = async (count: number): Promise<void> => {
    const body = bytes.subarray(0, Math.round(bytes.length / count));
    const entries = Array.from({ length: count }, (_, index): LogEntry => {
      const home = catalogHome + 1 + index;
      const sequence = (ends.get(home) ?? 0) + 1;
      return { home, sequence, epoch: 1, nonce, stream: 'prj/home', number: sequence, body, isLast: true };
    });
    const { outcome } = await log.append(entries);
    if (outcome !== 'appended') throw new Error('an append was refused');
    for (const { home, sequence } of entries) ends.set(home, sequence);
  };
  const measure = async (once: () => Promise<unknown>): Promise<AppendFigures> => {
    const during = async (ms: number): Promise<number> => {
      let count = 0;
      for (const untilMs = performance.now() + ms; performance.now() < untilMs; count++) await once();
      return count;
    };
    await during(2000);
    const [fromCpu, fromMs] = [process.cpuUsage(), performance.now()];
    const count = await during(Number(seconds) * 1000);
    const { user, system } = process.cpuUsage(fromCpu);
    const cpuUs = (user + system) / count;
    return {
      ms: Number(((performance.now() - fromMs) / count).toFixed(2)),
      cpuUs: Math.round(cpuUs),
      cpuUsPerCall: Number((cpuUs / callsPerAppend).toFixed(1)),
    };
  };
  try {
    return {
      callsPerAppend,
      least: await measure(() => session.run({ name: 'least', text: 'select', values: [], hasRows: false, isRead: true })),
      records1: await measure(() => appendTo(1)),
      records12: await measure(() => appendTo(12)),
      records24: await measure(() => appendTo(24)),
    };
  } finally {
    await session.close();
    await log.close();
    await postgres.stop();
  }
}
