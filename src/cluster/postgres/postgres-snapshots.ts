// Snapshots of homes as rows of PostgreSQL: there as a whole, with the home's state that names them, or not at all.
//   POSTGRES-SNAPSHOTS-1. A snapshot that is named by its home's state can be read, and has the bytes that were put.
//   POSTGRES-SNAPSHOTS-2. A home keeps the newest two.
import { ServiceError } from '../../contract/errors.js';
import type { SnapshotStore } from '../log.js';
import { piecesOf, readPieces } from '../pieces.js';
import { tuning } from '../tuning.js';
import { unavailable } from './connection.js';
import type { Statements } from './statements.js';

export function postgresSnapshots(statements: Statements): SnapshotStore {
  return {
    async put(home, sequence, body) {
      await statements
        .transaction(async (run) => {
          let part = 0;
          for await (const piece of piecesOf(body))
            await run({
              text: 'insert into drillyard_snapshot values ($1, $2, $3, $4) on conflict do nothing',
              values: [home, sequence, part++, piece],
            });
          await run({ text: nameText, values: [home, sequence] });
          await run({ text: keepText, values: [home, tuning.snapshotsKept] });
        })
        .catch((error: unknown) => {
          throw unavailable(error);
        });
    },
    get: (home, sequence) =>
      readPieces(async (part) => {
        const [row] = await statements.run({
          text: 'select body from drillyard_snapshot where home = $1 and seq = $2 and part = $3',
          values: [home, sequence, part],
          isRead: true,
        });
        if (row === undefined) throw new ServiceError('control.NOT_FOUND', { message: `Home ${home} has no snapshot at ${sequence}.` });
        return row.body as Buffer;
      }),
    sequences: (home) => sequencesOf(statements, home),
    async trim(home, below) {
      await statements
        .run({ text: 'delete from drillyard_snapshot where home = $1 and seq < $2', values: [home, below] })
        .catch((error: unknown) => {
          throw unavailable(error);
        });
    },
  };
}

/** Of the rows that name snapshots, wherever their bodies lie. */
export async function sequencesOf(statements: Statements, home: number): Promise<number[]> {
  const text = 'select seq from drillyard_snapshot where home = $1 and part = 0 order by seq desc';
  return (await statements.run({ text, values: [home], isRead: true })).map(({ seq }) => Number(seq));
}

export const nameText = 'update drillyard_home set snapshot_seq = greatest(snapshot_seq, $2) where home = $1';
export const keepText = `
delete from drillyard_snapshot where home = $1 and seq not in (
  select seq from drillyard_snapshot where home = $1 and part = 0 order by seq desc limit $2)`;
