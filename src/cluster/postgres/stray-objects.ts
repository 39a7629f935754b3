// Objects of a store that no row names: of puts and removals that were cut short.
//   STRAY-OBJECTS-1. An object that a row names is never removed, nor one so new that its row may still come, nor one beside the folders.
import type { ObjectStore } from '../objects/object-store.js';
import { decodeBody, placeOf } from '../objects/stored-body.js';
import { tuning } from '../tuning.js';
import { blobsFolder, digestOfFolder } from './indexed-blobs.js';
import { snapshotsFolder } from './indexed-snapshots.js';
import type { RunStatement } from './statements.js';

interface Folder {
  name: string;
  /** Rows that may name what lies below these. */
  text: string;
  /** Undefined: it is no name of ours, and stays. */
  keyOf(below: string): string | number | undefined;
}
const folders: readonly Folder[] = [
  { name: snapshotsFolder, text: 'select body from drillyard_snapshot where part = 0 and home = any($1::int[])', keyOf: homeOfFolder },
  { name: blobsFolder, text: 'select body from drillyard_blob where part = 0 and digest = any($1::text[])', keyOf: digestOfFolder },
  // Of a folder's own.
  { name: 'drafts', text: 'select null::bytea as body where $1::text[] is null', keyOf: String },
];

function homeOfFolder(name: string): number | undefined {
  return /^\d{1,9}$/.test(name) ? Number(name) : undefined;
}

/** Yields how many went. `strayMs`: how old one has to be. */
export async function removeStrays(run: RunStatement, objects: ObjectStore, strayMs: number = tuning.strayObjectMs): Promise<number> {
  const beforeMs = Date.now() - strayMs;
  let removed = 0;
  for (const folder of folders) {
    const rowOf = (key: string): string | number | undefined => folder.keyOf(key.split('/')[1] as string);
    let old: string[] = [];
    const removeAll = async (): Promise<void> => {
      const keys = [...new Set(old.map(rowOf))];
      const named = new Set(
        (await run({ text: folder.text, values: [keys], isRead: true })).map(({ body }) => decodeBody(body as Buffer).place),
      );
      for (const key of old) {
        if (named.has(placeOf(key))) continue;
        await objects.remove(key);
        removed += 1;
      }
      old = [];
    };
    for await (const { key, putAtMs } of objects.list(folder.name)) {
      if (putAtMs < beforeMs && rowOf(key) !== undefined) old.push(key);
      if (old.length >= tuning.straysAskedAtOnce) await removeAll();
    }
    if (old.length > 0) await removeAll();
  }
  return removed;
}
