// Blobs as rows of PostgreSQL, named by their digests: there as a whole or not at all.
//   POSTGRES-BLOBS-1. Two nodes that put the same blob at once leave one, and both succeed.
import { ServiceError } from '../../contract/errors.js';
import type { SharedBlobs } from '../log.js';
import { type PostgresSession, type Statement, unavailable } from './connection.js';
import { piecesOf, readPieces } from './pieces.js';

export function postgresBlobs(session: PostgresSession): SharedBlobs {
  const run = (statement: Statement) =>
    session.run(statement).catch((error: unknown) => {
      throw unavailable(error);
    });
  const pieceOf = (digest: string, part: number) =>
    run({ text: 'select body from drillyard_blob where digest = $1 and part = $2', values: [digest, part], isRead: true });
  const has = async (digest: string): Promise<boolean> =>
    (await run({ text: 'select 1 from drillyard_blob where digest = $1 and part = 0', values: [digest], isRead: true })).length > 0;
  return {
    has,
    async put(digest, body) {
      await session
        .transaction(async (step) => {
          let part = 0;
          for await (const piece of piecesOf(body))
            await step({ text: 'insert into drillyard_blob values ($1, $2, $3) on conflict do nothing', values: [digest, part++, piece] });
        })
        .catch((error: unknown) => {
          throw unavailable(error);
        });
    },
    async get(digest) {
      if (!(await has(digest))) return undefined;
      return readPieces(async (part) => {
        const [row] = await pieceOf(digest, part);
        if (row === undefined) throw new ServiceError('control.NOT_FOUND', { message: `The blob ${digest} was removed.` });
        return row.body as Buffer;
      });
    },
    async remove(digest) {
      await run({ text: 'delete from drillyard_blob where digest = $1', values: [digest] });
    },
  };
}
