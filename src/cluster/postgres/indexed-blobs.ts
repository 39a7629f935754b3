// Blobs in a store of objects, with their index in PostgreSQL: a row names the objects, and its commit makes the blob.
//   INDEXED-BLOBS-1. Two nodes that put the same blob at once leave one, and both succeed.
//   INDEXED-BLOBS-2. A removal takes the objects of the row that it took away: a blob that is put again meanwhile has others.
import type { SharedBlobs } from '../../contract/cluster-store.js';
import type { ObjectStore } from '../objects/object-store.js';
import { decodeBody, encodeBody, putBody, readBody, removeBody } from '../objects/stored-body.js';
import { type Row, unavailable } from './connection.js';
import { listDigests, oldText, renewText } from './postgres-blobs.js';
import type { RunStatement, Statements } from './statements.js';
import { mayRemove } from './store-hold.js';

export const blobsFolder = 'blobs';
/** A name that every store takes, and back. */
const folderOfDigest = (digest: string): string => digest.replace(':', '-');
export const digestOfFolder = (name: string): string => name.replace('-', ':');

export function indexedBlobs(statements: Statements, objects: ObjectStore): SharedBlobs {
  const run: RunStatement = (statement) =>
    statements.run(statement).catch((error: unknown) => {
      throw unavailable(error);
    });
  const find = async (digest: string): Promise<Row | undefined> =>
    (await run({ text: 'select body from drillyard_blob where digest = $1 and part = 0', values: [digest], isRead: true }))[0];
  return {
    has: async (digest) => (await find(digest)) !== undefined,
    async put(digest, body) {
      if ((await run({ text: renewText, values: [digest] })).length > 0) return;
      const stored = await putBody(objects, `${blobsFolder}/${folderOfDigest(digest)}`, body);
      const text = `insert into drillyard_blob (digest, part, body) values ($1, 0, $2)
        on conflict (digest, part) do update set put_at = excluded.put_at returning body`;
      const [kept] = await run({ text, values: [digest, encodeBody(stored)] });
      if (kept !== undefined && decodeBody(kept.body as Buffer).place !== stored.place) await removeBody(objects, stored).catch(() => {});
    },
    async get(digest) {
      const row = await find(digest);
      return row && readBody(objects, decodeBody(row.body as Buffer));
    },
    digests: () => listDigests(run),
    async removeOld(digest, ageMs) {
      const [gone] = await statements
        .transaction(async (step) => {
          if (!(await mayRemove(step))) return [];
          const [found] = await step({ text: oldText, values: [digest, ageMs] });
          if (found?.is_old !== true) return [];
          return await step({ text: 'delete from drillyard_blob where digest = $1 returning body', values: [digest] });
        })
        .catch((error: unknown) => {
          throw unavailable(error);
        });
      if (gone === undefined) return false;
      // What stays is left over, and found by a sweep.
      await removeBody(objects, decodeBody(gone.body as Buffer)).catch(() => {});
      return true;
    },
  };
}
