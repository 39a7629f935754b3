// Removes a folder in which foreign code may have put anything: folders without rights, paths longer than any call takes, names in no
// encoding, links. Node's own removal ends at each of them.
//   REMOVE-FOLDER-1. A path of it is never longer than that of the folder and two names: what lies deeper is moved up first.
//   REMOVE-FOLDER-2. No link is followed, and the memory that it takes does not grow with what there is.
import { randomBytes } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { chmod, lstat, opendir, rename, rmdir, unlink } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { hasCode } from './file-faults.js';
import { tuning } from './tuning.js';

/** Resolves at once where there is none. Nobody else writes to it. What can go goes, also where it rejects with what is in the way. */
export async function removeFolder(path: string): Promise<void> {
  const found = await lstat(path).catch(absent);
  if (found === undefined) return;
  if (!found.isDirectory()) return await unlink(path);
  await new Removal(path).run();
}

class Removal {
  readonly #root: string;
  /** Of the folders that were moved up: no other name begins with it. */
  readonly #mark = `${randomBytes(16).toString('hex')}-`;
  #movedUp = 0;
  #fault: unknown;

  constructor(root: string) {
    this.#root = root;
  }

  async run(): Promise<void> {
    let done = 0;
    // A listing of a folder that changes meanwhile may leave out what was there.
    for (let triesLeft = tuning.removalTriesMax; triesLeft > 0; triesLeft--) {
      this.#fault = undefined;
      await this.#empty(this.#root);
      for (; done < this.#movedUp; done++) await this.#removeMoved(this.#moved(done + 1));
      await this.#noted(rmdir(this.#root));
      if (!hasCode(this.#fault, 'ENOTEMPTY')) break;
    }
    if (this.#fault !== undefined) throw this.#fault;
  }

  async #removeMoved(folder: string): Promise<void> {
    await this.#empty(folder);
    await this.#noted(rmdir(folder));
  }

  async #empty(folder: string): Promise<void> {
    await this.#noted(this.#emptyNow(folder));
  }

  async #emptyNow(folder: string): Promise<void> {
    await chmod(folder, 0o700);
    // Names are bytes here. The types of Node have no entries of these.
    const listing = (await opendir(folder, { encoding: 'buffer' as BufferEncoding })) as unknown as AsyncIterable<
      Dirent & { name: Buffer }
    >;
    for await (const entry of listing) {
      const isMoved = folder === this.#root && entry.name.toString('latin1').startsWith(this.#mark);
      if (!isMoved) await this.#noted(this.#remove(entry, Buffer.concat([Buffer.from(`${folder}${sep}`), entry.name])));
    }
  }

  async #remove(entry: Dirent, path: Buffer): Promise<void> {
    if (!entry.isDirectory()) return await unlink(path);
    // Without the right to write to it it cannot move.
    await chmod(path, 0o700);
    await rename(path, this.#moved(this.#movedUp + 1));
    this.#movedUp += 1;
  }

  #moved(number: number): string {
    return join(this.#root, `${this.#mark}${number}`);
  }

  /** The first of what is in the way is the answer; the rest goes all the same. */
  async #noted(work: Promise<void>): Promise<void> {
    await work.catch(absent).catch((error: unknown) => {
      this.#fault ??= error;
    });
  }
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
