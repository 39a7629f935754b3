// Entries of the log as rows of PostgreSQL.
import type { LogEntry, LogPlace } from '../log.js';
import { tuning } from '../tuning.js';
import type { Row, Statement } from './connection.js';

export const readStatement = (from: readonly LogPlace[], bytesMax: number): Statement => ({
  name: 'read',
  text: readText,
  values: [from.map(({ home }) => home), from.map(({ sequence }) => sequence), tuning.readEntriesMax, bytesMax],
  isRead: true,
});

export const entryOfRow = (row: Row): LogEntry => ({
  home: Number(row.home),
  sequence: Number(row.seq),
  epoch: Number(row.epoch),
  nonce: row.nonce as Buffer,
  stream: String(row.stream),
  number: Number(row.number),
  body: row.body as Buffer,
  isLast: row.is_last === true,
});

/** The sequence of the last entry of each home of `homes`. */
export const endsText = `select home, coalesce((select max(seq) from drillyard_log l where l.home = h.home), first_seq - 1) as end_seq
  from drillyard_home h where home = any($1::int[])`;

/** The bytes before each entry decide; bodies are read only of what is returned. */
const readText = `
select l.home, l.seq, l.epoch, l.nonce, l.stream, l.number, l.is_last, l.body from (
  select f.ord, k.home, k.seq, sum(k.bytes) over (order by f.ord, k.seq) - k.bytes as before
  from unnest($1::int[], $2::bigint[]) with ordinality as f(home, seq, ord)
  cross join lateral (
    select home, seq, octet_length(body) as bytes from drillyard_log where home = f.home and seq >= f.seq order by seq limit $3) k
) k join drillyard_log l on l.home = k.home and l.seq = k.seq
where k.before < $4 order by k.ord, k.seq`;
