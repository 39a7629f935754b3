// The pieces of a data directory as a backup copies them, in the order in which they refer to each other: the catalog first.
import { existsSync, mkdirSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { limits } from '../contract/limits.js';
import { copyFlushed, copyFolderFlushed, flushFile, flushFolder } from '../files/flushed-copy.js';
import type { Catalog } from './catalog/catalog.js';
import { keyFileName } from './catalog/key-file.js';
import { sessionTable } from './catalog/session-records.js';
import { operatorTokenFile } from './catalog/settings.js';
import { everyListed, everyRecord, type View } from './catalog/tables.js';
import { blobFile } from './core/blobs.js';
import type { Blobs } from './core/services.js';
import { catalogFile, catalogFolder } from './data-folder.js';
import { bundleFolder, evidenceTable } from './runs/evidence-records.js';
import { openCopiedCatalog } from './verify-catalog.js';

export interface DataCopy {
  dataDirectory: string;
  /** Where the copy is made. */
  draft: string;
  /** After each file. */
  copied(bytes: number): void;
  signal: AbortSignal;
}
export interface CopiedCatalog {
  view: View;
  close(): Promise<void>;
}

/** The copy is on the disk. */
export async function copyCatalog(catalog: Catalog, { dataDirectory, draft, copied }: DataCopy): Promise<CopiedCatalog> {
  const folder = catalogFolder(draft);
  await catalog.copyTo(folder);
  copied(await flushFile(catalogFile(draft)));
  await flushFolder(folder);
  return openCopiedCatalog(draft, dataDirectory);
}

/** Sessions that have a world: of those that have ended it is removed, or is about to be. Others are answered between pages. */
export async function liveSessionsOf(view: View, projectId: string): Promise<string[]> {
  const found: string[] = [];
  for (const { session } of everyListed(view, sessionTable, { index: 'byProjectLive', prefix: [projectId] })) {
    found.push(session.sessionId);
    if (found.length % limits.purgeRecordsMax === 0) await nextTurn();
  }
  return found;
}

/** All there are: those that came since do no harm. */
export async function copyBlobs(blobs: Blobs, { dataDirectory, draft, copied }: DataCopy): Promise<void> {
  const folder = join(draft, 'blobs');
  mkdirSync(folder);
  const folders = new Set<string>();
  await someAtOnce(blobs.digests(), async (digest) => {
    const target = blobFile(draft, digest) as string;
    const place = dirname(target);
    if (!folders.has(place)) mkdirSync(place);
    folders.add(place);
    copied(await copyUnlessGone(blobFile(dataDirectory, digest) as string, target));
  });
  for (const place of folders) await flushFolder(place);
  await flushFolder(folder);
}

/** One that nothing led to may go while it is copied. */
async function copyUnlessGone(from: string, to: string): Promise<number> {
  try {
    return await copyFlushed(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return 0;
  }
}

export async function copyBundles(view: View, { dataDirectory, draft, copied, signal }: DataCopy): Promise<void> {
  const folder = join(draft, 'evidence');
  mkdirSync(folder);
  await someAtOnce(everyRecord(view, evidenceTable), async ({ bundle }) => {
    const from = bundleFolder(dataDirectory, bundle.evidenceBundleId);
    if (bundle.state !== 'sealed') return;
    // One that is missing was missing before: a verification of the copy reports it.
    if (!existsSync(from)) return;
    await copyFolderFlushed(from, bundleFolder(draft, bundle.evidenceBundleId), { copied, signal });
  });
  await flushFolder(folder);
}

/** A disk flushes several files in little more time than one. Where one fails, those beside it have ended when this rejects. */
async function someAtOnce<Item>(items: AsyncIterable<Item> | Iterable<Item>, work: (item: Item) => Promise<void>): Promise<void> {
  const batch: Item[] = [];
  const carryOut = async (): Promise<void> => {
    const ended = await Promise.allSettled(batch.splice(0).map(work));
    const failed = ended.find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    // What needs no file yields here alone.
    await nextTurn();
  };
  for await (const item of items) {
    if (batch.push(item) === limits.blobWritesAtOnceMax) await carryOut();
  }
  await carryOut();
}

/** Those that lie in the data directory. */
export async function copyKeys({ dataDirectory, draft, copied }: DataCopy): Promise<void> {
  for (const name of [keyFileName, operatorTokenFile]) {
    const [from, to] = [join(dataDirectory, name), join(draft, name)];
    if (!existsSync(from)) continue;
    copied(await copyFlushed(from, to));
    await chmod(to, 0o600);
  }
}
