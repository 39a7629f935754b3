// The statement of an append: all of its entries or none, in one round trip.
//   APPEND-STATEMENT-1. None is inserted unless each home is at the epoch of its entries and its last entry is the one before them.
// Bodies are one value, cut by the server: as elements of an array they would be sent as text, twice as long. Arrays are written here: the
// client of PostgreSQL takes some ten times as long, element by element, for values of which none needs more than digits.
import type { LogEntry } from '../log.js';
import type { BoundValue } from './bound-statement.js';

/** What both statements see of the entries; `is_first`: of its home, in this append. */
const entryColumns = `unnest($1::int[], $2::bigint[], $3::int[], $5::boolean[]) with ordinality as e(home, seq, epoch, is_first, ord)`;
/** Of the nonces, which stand in one value. */
const nonceOf = 'substring($4::bytea from (e.ord::int - 1) * 16 + 1 for 16)';

/**
 * `held` locks the rows of the homes and returns them as they are once they are locked: where a claim was under way, with its epoch. An
 * entry of another epoch, or behind a gap, is not put, and the division undoes the others. An entry that is at a place already is a
 * violation of the key. No row comes back: only whether it was done counts.
 */
export const appendText = `
with held as materialized (select home, epoch, first_seq from drillyard_home where home = any($1::int[]) order by home for share),
put as (
  insert into drillyard_log (home, seq, epoch, nonce, stream, number, is_last, body)
  select e.home, e.seq, e.epoch, ${nonceOf}, b.stream, b.number, b.is_last, substring($11::bytea from b.place + 1 for b.bytes)
  from ${entryColumns}
  join unnest($6::text[], $7::bigint[], $8::boolean[], $9::int[], $10::int[]) with ordinality as b(stream, number, is_last, place, bytes, ord)
    on b.ord = e.ord
  join held h on h.home = e.home and h.epoch = e.epoch
  where not e.is_first or e.seq = h.first_seq
    or exists (select 1 from drillyard_log p where p.home = e.home and p.seq = e.seq - 1 and e.seq > h.first_seq)
  returning 1)
select from put having 1 / (case when count(*) = cardinality($1::int[]) then 1 else 0 end) = 0`;

/** How each entry stands: there already, or which homes refuse theirs. */
export const findText = `
select e.home, l.nonce = ${nonceOf} as is_own,
  h.epoch is distinct from e.epoch or e.seq < h.first_seq or l.nonce <> ${nonceOf}
    or (e.is_first and e.seq > h.first_seq
      and not exists (select 1 from drillyard_log p where p.home = e.home and p.seq = e.seq - 1)) as is_refused
from ${entryColumns}
left join drillyard_home h on h.home = e.home
left join drillyard_log l on l.home = e.home and l.seq = e.seq`;

export function appendValues(entries: readonly LogEntry[]): BoundValue[] {
  const places: number[] = [];
  let bytes = 0;
  for (const { body } of entries) {
    places.push(bytes);
    bytes += body.length;
  }
  return [
    ...standingValues(entries),
    arrayOf(entries, ({ stream }) => quoted(stream)),
    arrayOf(entries, ({ number }) => number),
    arrayOf(entries, ({ isLast }) => isLast),
    `{${places.join()}}`,
    arrayOf(entries, ({ body }) => body.length),
    entries.map(({ body }) => body),
  ];
}

/** Of the second statement. */
export function standingValues(entries: readonly LogEntry[]): (string | Buffer)[] {
  const seen = new Set<number>();
  return [
    arrayOf(entries, ({ home }) => home),
    arrayOf(entries, ({ sequence }) => sequence),
    arrayOf(entries, ({ epoch }) => epoch),
    Buffer.concat(entries.map(({ nonce }) => nonce)),
    arrayOf(entries, ({ home }) => seen.size !== seen.add(home).size),
  ];
}

/** As PostgreSQL reads an array. */
function arrayOf(entries: readonly LogEntry[], element: (entry: LogEntry) => number | boolean | string): string {
  let text = '';
  for (const entry of entries) text += `${text === '' ? '' : ','}${element(entry)}`;
  return `{${text}}`;
}
const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;
