// Objects as files of a folder that all nodes see: a mounted volume, or a folder of one machine.
//   FOLDER-OBJECTS-1. An object appears whole and on the disk: written under another name, flushed, renamed, its folder flushed.
//   FOLDER-OBJECTS-2. What was removed leaves no empty folders.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, opendir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { flushFolder } from '../../files/flushed-copy.js';
import { LogUnavailable } from '../log.js';
import { tuning } from '../tuning.js';
import type { ObjectStore } from './object-store.js';

/** Where drafts lie: names below it are of no object. */
const drafts = 'drafts';
/** What users of the nodes share is no affair of others. */
const [fileMode, folderMode] = [0o640, 0o750];

export function folderObjects(root: string): ObjectStore {
  const fileOf = (key: string): string => join(root, ...key.split('/'));
  return {
    put: (key, body) => stored(root, () => place(root, fileOf(key), body)),
    get: (key) =>
      stored(root, async () => {
        requireMounted(root);
        return await readFile(fileOf(key)).catch(absent);
      }),
    remove: (key) =>
      stored(root, async () => {
        requireMounted(root);
        await rm(fileOf(key), { force: true });
        for (let folder = dirname(fileOf(key)); folder !== root; folder = dirname(folder)) if (!(await removedEmpty(folder))) break;
      }),
    list: (prefix) => listed(root, prefix),
    close: () => {},
  };
}

/** A folder that is not mounted looks empty: nothing is made in place of it. */
function requireMounted(root: string): void {
  if (!existsSync(root)) throw new LogUnavailable(`the folder ${root} of the cluster's store is not there`);
}

async function place(root: string, file: string, body: Buffer): Promise<void> {
  requireMounted(root);
  const draft = join(root, drafts, randomUUID());
  await mkdir(dirname(draft), { recursive: true, mode: folderMode });
  try {
    const written = await open(draft, 'wx', fileMode);
    try {
      await written.writeFile(body);
      await written.sync();
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

async function* listed(root: string, prefix: string): AsyncGenerator<{ key: string; putAtMs: number }> {
  requireMounted(root);
  const folder = join(root, ...prefix.split('/'));
  if (!existsSync(folder)) return;
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
    if (error instanceof LogUnavailable) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw new LogUnavailable(`the folder ${root} of the cluster's store cannot be used (${code ?? message})`, { cause: error });
  }
}
