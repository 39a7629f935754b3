// The slot of one box: the folder that the box sees, beside what of it the box does not see. Data goes in and comes out by a rename on the
// same file system. Code that has left its realm may put anything there, links too, at any moment until the box has ended.
//   BOX-SLOT-1. What comes out of a slot is a folder that went in, or of a home its data file: a plain file of one name. No link is
//     followed, and what lies outside already stays as it is.
//   BOX-SLOT-2. A home that comes out while the box lives is a new file, so nobody in the box can write to it any more.
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { dataFileOf } from '../files/database.js';
import { flushFolder } from '../files/flushed-copy.js';
import { makeFolder } from '../files/make-folder.js';
import { homeOfFileName } from './homes.js';
import { copyPlainFile } from './taken-file.js';

const slotsName = '.slots';
const seenName = 'data';
/** A file with the name of the data folder that the slot was given. */
const ownerName = 'owner';
/** A file with the name of the data folder whose homes come and go. */
const homesOwnerName = 'owner-of-homes';
/** Of folders in which homes lie that are coming out. */
const closedPrefix = 'closed-';

export class BoxSlot {
  readonly #directory: string;
  readonly #path: string;
  /** What the box sees. */
  readonly seen: string;
  /** Of homes that are coming out. */
  readonly #releases = new Set<Promise<void>>();
  #isEmptied = false;

  /** `path`: in the slots of `directory`. */
  constructor(directory: string, path: string) {
    this.#directory = directory;
    this.#path = path;
    this.seen = join(path, seenName);
  }

  static make(directory: string): BoxSlot {
    makeFolder(join(directory, slotsName));
    const slot = new BoxSlot(directory, mkdtempSync(join(directory, slotsName, 'slot-')));
    mkdirSync(slot.seen);
    return slot;
  }

  /** The data folder moves in. */
  giveFolder(folder: string): void {
    writeFileSync(join(this.#path, ownerName), basename(folder));
    renameSync(folder, join(this.seen, basename(folder)));
  }

  /** The data folder stays; its homes come one by one. */
  giveHomes(folder: string): void {
    writeFileSync(join(this.#path, homesOwnerName), basename(folder));
  }

  /** The home moves in, unless there is nothing of it outside. Throws where the box, or the disk, is in the way. */
  admitHome(name: string): void {
    const from = join(this.#homesFolder(), name);
    if (this.#isEmptied || !existsSync(dataFileOf(from))) return;
    chmodSync(this.seen, 0o700);
    this.#hide(name);
    renameSync(from, join(this.seen, name));
  }

  /** What the home holds comes out, as a copy. Where it cannot, nothing does. */
  async releaseHome(name: string): Promise<void> {
    if (this.#isEmptied) return;
    const release = this.#release(name).catch((error: Error) =>
      console.error(`drillyard: ${name} was not taken from its box: ${error.message}`),
    );
    this.#releases.add(release);
    await release;
    this.#releases.delete(release);
  }

  async #release(name: string): Promise<void> {
    const home = this.#hide(name);
    if (home === undefined || !isFolder(home)) return;
    const [file, copy, target] = [dataFileOf(home), `${home}.copy`, join(this.#homesFolder(), name)];
    try {
      await copyPlainFile(file, copy);
      placeHome(copy, target);
      await flushFolder(target);
    } finally {
      // Not all of the folder: a box that lives may change what lies below it meanwhile.
      await rm(file, { force: true });
    }
  }

  /** Puts everything back below the directory: the box has ended. */
  putBack(): void {
    this.#isEmptied = true;
    // A crash may have come before it was made.
    if (!isFolder(this.seen)) return;
    chmodSync(this.seen, 0o700);
    const owner = textOf(join(this.#path, ownerName));
    const [from, to] = [join(this.seen, owner), join(this.#directory, owner)];
    if (owner !== '' && isFolder(from) && !existsSync(to)) {
      chmodSync(from, 0o700);
      renameSync(from, to);
    }
    if (textOf(join(this.#path, homesOwnerName)) === '') return;
    const closed = readdirSync(this.#path).filter((name) => name.startsWith(closedPrefix));
    for (const place of [seenName, ...closed]) this.#putHomesBack(join(this.#path, place));
  }

  /** What still lies there goes. */
  async remove(): Promise<void> {
    await Promise.all(this.#releases);
    await rm(this.#path, { recursive: true, force: true });
  }

  #homesFolder(): string {
    return join(this.#directory, textOf(join(this.#path, homesOwnerName)));
  }

  /** Takes what has the name out of the box's sight; yields where it is. Code that is in that folder leaves it by no path from there. */
  #hide(name: string): string | undefined {
    const from = join(this.seen, name);
    if (lstatSync(from, { throwIfNoEntry: false }) === undefined) return undefined;
    const to = join(mkdtempSync(join(this.#path, closedPrefix)), name);
    renameSync(from, to);
    return to;
  }

  #putHomesBack(place: string): void {
    for (const name of readdirSync(place)) {
      const home = join(place, name);
      if (homeOfFileName(name) === undefined || !isFolder(home)) continue;
      try {
        chmodSync(home, 0o700);
        placeHome(dataFileOf(home), join(this.#homesFolder(), name));
      } catch (error) {
        // A full disk, perhaps. Its log has all that is in it.
        console.error(`drillyard: ${name} was not taken from its box: ${(error as Error).message}`);
      }
    }
  }
}

/** Puts back what an earlier process left in slots; to be done before any host of these data folders starts, in a box or not. */
export function recoverSlots(directory: string): void {
  for (const slot of slotsIn(directory)) {
    new BoxSlot(directory, slot).putBack();
    rmSync(slot, { recursive: true, force: true });
  }
}

/** What an earlier process left in slots is not to be believed. */
export function removeSlots(directory: string): void {
  rmSync(join(directory, slotsName), { recursive: true, force: true });
}

function slotsIn(directory: string): string[] {
  const slots = join(directory, slotsName);
  return existsSync(slots) ? readdirSync(slots).map((name) => join(slots, name)) : [];
}

/** Nobody can put anything else in place of `file` any more. A lock file, which a box may have made, stays behind. */
function placeHome(file: string, home: string): void {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found?.isFile() !== true || found.nlink !== 1 || existsSync(dataFileOf(home))) return;
  makeFolder(home);
  chmodSync(file, 0o600);
  renameSync(file, dataFileOf(home));
}

const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');
