// Objects as files of a folder that all nodes see: a mounted volume, or a folder of one machine.
//   FOLDER-OBJECTS-1. An object appears whole and on the disk: written under another name, flushed, renamed, its folder flushed.
//   FOLDER-OBJECTS-2. What was removed leaves no empty folders.
//   FOLDER-OBJECTS-3. Nothing is put, removed or missing while the store's name is not in the folder: the volume is not mounted then.
import { randomUUID } from 'node:crypto';
import { mkdir, open, opendir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { flush } from '../../files/flush.js';
import { flushFolder } from '../../files/flushed-copy.js';
import { StoreUnavailable } from '../log.js';
import { tuning } from '../tuning.js';
import { nameKey, type ObjectStore } from './object-store.js';

/** Where drafts lie: names below it are of no object. */
const drafts = 'drafts';
/** What users of the nodes share is no affair of others. */
const [fileMode, folderMode] = [0o640, 0o750];

export function folderObjects(root: string): ObjectStore {
  const fileOf = (key: string): string => join(root, ...key.split('/'));
  let name: string | undefined;
  /** A folder that is not mounted looks empty, or is another's: nothing is put in place of the store, and nothing of it is missing. */
  const requireStore = async (): Promise<void> => {
    const found = await readFile(fileOf(nameKey), 'utf8').catch(absent);
    if (found === undefined) throw new StoreUnavailable(`the folder ${root} has no ${nameKey}: the cluster's store is not mounted there`);
    name ??= found;
    if (found !== name) throw new StoreUnavailable(`another store is mounted at the folder ${root} than the cluster's`);
  };
  return {
    put: (key, body) =>
      stored(root, async () => {
        if (key === nameKey) {
          await requireFolder(root);
          await place(root, fileOf(key), body);
          name = body.toString();
          return;
        }
        await requireStore();
        await place(root, fileOf(key), body);
        // It may have gone meanwhile, and the object into the folder that was below it.
        await requireStore();
      }),
    get: (key) =>
      stored(root, async () => {
        const found = await readFile(fileOf(key)).catch(absent);
        if (key === nameKey) name = found?.toString();
        if (found === undefined) await (key === nameKey ? requireFolder(root) : requireStore());
        return found;
      }),
    remove: (key) =>
      stored(root, async () => {
        await requireStore();
        await rm(fileOf(key), { force: true });
        for (let folder = dirname(fileOf(key)); folder !== root; folder = dirname(folder)) if (!(await removedEmpty(folder))) break;
      }),
    async *list(folder) {
      await stored(root, requireStore);
      yield* listed(root, join(root, folder));
    },
    close: () => {},
  };
}

/** Of a store that may have no name yet. */
async function requireFolder(root: string): Promise<void> {
  if ((await stat(root).catch(absent)) === undefined) throw new StoreUnavailable(`the folder ${root} of the cluster's store is not there`);
}

async function place(root: string, file: string, body: Buffer): Promise<void> {
  const draft = join(root, drafts, randomUUID());
  await mkdir(dirname(draft), { recursive: true, mode: folderMode });
  try {
    const written = await open(draft, 'wx', fileMode);
    try {
      await written.writeFile(body);
      await flush(written);
    } finally {
      await written.close();
    }
    await renameInto(draft, file);
    // Also of folders that another put has just made.
    for (let folder = dirname(file); folder.length >= root.length; folder = dirname(folder)) await flushFolder(folder);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** A removal of the object beside it may take an empty folder away in any moment. */
async function renameInto(draft: string, file: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await mkdir(dirname(file), { recursive: true, mode: folderMode });
      return await rename(draft, file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || tries === tuning.placeTriesMax) throw error;
    }
  }
}

async function removedEmpty(folder: string): Promise<boolean> {
  try {
    await rmdir(folder);
    return true;
  } catch {
    return false;
  }
}

async function* listed(root: string, folder: string): AsyncGenerator<{ key: string; putAtMs: number }> {
  if ((await stat(folder).catch(absent)) === undefined) return;
  for await (const entry of await opendir(folder, { recursive: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath ?? entry.path, entry.name);
    const known = await stat(file).catch(absent);
    if (known !== undefined)
      yield {
        key: file
          .slice(root.length + 1)
          .split(sep)
          .join('/'),
        putAtMs: known.mtimeMs,
      };
  }
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw error;
}

async function stored<T>(root: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw new StoreUnavailable(`the folder ${root} of the cluster's store cannot be used (${code ?? message})`, { cause: error });
  }
}
