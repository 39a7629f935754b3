// Snapshots of homes in a store of objects, with their index in PostgreSQL: a row names the objects, and its commit makes the snapshot.
//   INDEXED-SNAPSHOTS-1. A snapshot is there when its row is: a store that lost or changed an object of it is found by its digest.
//   INDEXED-SNAPSHOTS-2. A home keeps the newest two; what no row names any more is removed, at once or by a later sweep.
import { ServiceError } from '../../contract/errors.js';
import type { SnapshotStore } from '../log.js';
import type { ObjectStore } from '../objects/object-store.js';
import { decodeBody, encodeBody, putBody, readBody, removeBody, type StoredBody } from '../objects/stored-body.js';
import { tuning } from '../tuning.js';
import { type Row, unavailable } from './connection.js';
import { keepText, nameText, sequencesOf } from './postgres-snapshots.js';
import type { Statements } from './statements.js';
import { mayRemove } from './store-hold.js';

export const snapshotsFolder = 'homes';

export function indexedSnapshots(statements: Statements, objects: ObjectStore): SnapshotStore {
  const change = async (work: Parameters<typeof statements.transaction<StoredBody[]>>[0]): Promise<void> => {
    const gone = await statements.transaction(work).catch((error: unknown) => {
      throw unavailable(error);
    });
    // What stays is left over, and found by a sweep.
    for (const body of gone) await removeBody(objects, body).catch(() => {});
  };
  return {
    async put(home, sequence, body) {
      const stored = await putBody(objects, `${snapshotsFolder}/${home}/${sequence}`, body);
      await change(async (run) => {
        const text = 'insert into drillyard_snapshot values ($1, $2, 0, $3) on conflict do nothing returning part';
        const put = await run({ text, values: [home, sequence, encodeBody(stored)] });
        await run({ text: nameText, values: [home, sequence] });
        const surplus = put.length === 0 ? [stored] : [];
        if (!(await mayRemove(run))) return surplus;
        return [...surplus, ...bodiesOf(await run({ text: `${keepText} returning body`, values: [home, tuning.snapshotsKept] }))];
      });
    },
    async *get(home, sequence) {
      const text = 'select body from drillyard_snapshot where home = $1 and seq = $2 and part = 0';
      const [row] = await statements.run({ text, values: [home, sequence], isRead: true });
      if (row === undefined) throw new ServiceError('control.NOT_FOUND', { message: `Home ${home} has no snapshot at ${sequence}.` });
      yield* readBody(objects, decodeBody(row.body as Buffer));
    },
    sequences: (home) => sequencesOf(statements, home),
    trim: (home, below) =>
      change(async (run) => {
        if (!(await mayRemove(run))) return [];
        return bodiesOf(
          await run({ text: 'delete from drillyard_snapshot where home = $1 and seq < $2 returning body', values: [home, below] }),
        );
      }),
  };
}

const bodiesOf = (rows: readonly Row[]): StoredBody[] => rows.map(({ body }) => decodeBody(body as Buffer));
