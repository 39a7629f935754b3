// The port of a store of objects: whole bodies under names, as folders and S3-compatible stores have them. What there is of snapshots and
// blobs is in the index of the log's database (postgres/), which is what commits; an object that no row names is left over.

/** What names the store, in it: put before anything else (open-objects.ts). */
export const nameKey = 'store.json';

export interface ObjectStore {
  /** Durable and whole when it resolves; another of the same name is replaced. */
  put(key: string, body: Buffer): Promise<void>;
  /** Undefined where there is none. */
  get(key: string): Promise<Buffer | undefined>;
  /** Also where there is none. */
  remove(key: string): Promise<void>;
  /** Those below the folder, with when each was put, by the clock of the store; drafts that a crash has left, too. */
  list(folder: string): AsyncIterable<{ key: string; putAtMs: number }>;
  close(): void;
}
