// Blobs as rows of PostgreSQL, named by their digests: there as a whole or not at all.
//   POSTGRES-BLOBS-1. Two nodes that put the same blob at once leave one, and both succeed.
import type { SharedBlobs } from '../../contract/cluster-store.js';
import { ServiceError } from '../../contract/errors.js';
import { piecesOf, readPieces } from '../pieces.js';
import { tuning } from '../tuning.js';
import { unavailable } from './connection.js';
import type { RunStatement, Statements } from './statements.js';

export function postgresBlobs(statements: Statements): SharedBlobs {
  const run: RunStatement = (statement) =>
    statements.run(statement).catch((error: unknown) => {
      throw unavailable(error);
    });
  const pieceOf = (digest: string, part: number) =>
    run({ text: 'select body from drillyard_blob where digest = $1 and part = $2', values: [digest, part], isRead: true });
  const has = async (digest: string): Promise<boolean> =>
    (await run({ text: 'select 1 from drillyard_blob where digest = $1 and part = 0', values: [digest], isRead: true })).length > 0;
  return {
    has,
    async put(digest, body) {
      await statements
        .transaction(async (step) => {
          if ((await step({ text: renewText, values: [digest] })).length > 0) return;
          let part = 0;
          for await (const piece of piecesOf(body))
            await step({
              text: 'insert into drillyard_blob (digest, part, body) values ($1, $2, $3) on conflict do nothing',
              values: [digest, part++, piece],
            });
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
    digests: () => listDigests(run),
    async removeOld(digest, ageMs) {
      return await statements
        .transaction(async (step) => {
          // The lock is waited for, and then shows the last put: a node that puts it again comes before this or finds nothing.
          const [found] = await step({ text: oldText, values: [digest, ageMs] });
          if (found?.is_old !== true) return false;
          await step({ text: 'delete from drillyard_blob where digest = $1', values: [digest] });
          return true;
        })
        .catch((error: unknown) => {
          throw unavailable(error);
        });
    },
  };
}

export const renewText = 'update drillyard_blob set put_at = clock_timestamp() where digest = $1 and part = 0 returning part';
export const oldText = `select put_at < clock_timestamp() - $2 * interval '1 millisecond' as is_old from drillyard_blob
  where digest = $1 and part = 0 for update`;

/** In order, wherever their bodies lie. */
export async function* listDigests(run: RunStatement): AsyncGenerator<string> {
  for (let after = ''; ; ) {
    const rows = await run({
      text: 'select digest from drillyard_blob where part = 0 and digest > $1 order by digest limit $2',
      values: [after, tuning.blobsListedAtOnce],
      isRead: true,
    });
    for (const row of rows) yield row.digest as string;
    if (rows.length < tuning.blobsListedAtOnce) return;
    after = rows.at(-1)?.digest as string;
  }
}
