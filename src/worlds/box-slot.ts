// The slot of one box: the folder that the box sees, beside what of it the box does not see. Data files go in and come out by a rename on
// the same file system. Code that has left its realm may put anything there, links too, at any moment until the box has ended.
//   BOX-SLOT-1. What comes out of a slot are data files under the names that hosts give them: plain files of one name, without rights to be
//     run. No link is followed, nothing else comes along, and what lies outside already stays as it is.
//   BOX-SLOT-2. A home that comes out while the box lives is a new file, so nobody in the box can write to it any more.
//   BOX-SLOT-3. What stays in a slot keeps nobody from starting: it goes after the start, and what cannot go is logged.
import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  type Dir,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  opendirSync,
  readdirSync,
  readFileSync,
  renameSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { dataFileOf } from '../files/database.js';
import { hasCode } from '../files/file-faults.js';
import { flushFolder } from '../files/flushed-copy.js';
import { makeFolder } from '../files/make-folder.js';
import { removeFolder } from '../files/remove-folder.js';
import { isHomeFileName, isHostFileName } from './file-names.js';
import { copyPlainFile } from './taken-file.js';
import { tuning } from './tuning.js';

const slotsName = '.slots';
const seenName = 'data';
/** Of slots whose data is out: nothing that is left there is wanted. */
const emptiedPrefix = 'emptied-';
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
    try {
      mkdirSync(slot.seen);
    } catch (error) {
      void slot.remove();
      throw error;
    }
    return slot;
  }

  /** The data files of the folder move in, each in its own; the folder stays, so that they come back to where there is space for them. */
  giveFolder(folder: string): void {
    writeFileSync(join(this.#path, ownerName), basename(folder));
    const into = join(this.seen, basename(folder));
    mkdirSync(into);
    for (const name of readdirSync(folder).filter(isHostFileName)) {
      const file = dataFileOf(join(folder, name));
      if (!isFolder(dirname(file)) || !isFile(file)) continue;
      makeSingle(file);
      mkdirSync(join(into, name));
      renameSync(file, dataFileOf(join(into, name)));
    }
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
    const release = this.#release(name).catch((error: Error) => logNotTaken(name, error));
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
      placeFile(copy, target);
      await flushFolder(target);
    } finally {
      // Not all of the folder: a box that lives may change what lies below it meanwhile.
      await rm(file, { force: true });
    }
  }

  /** Puts all data files back below the directory: the box has ended. Throws where the disk is in the way; then they stay. */
  putBack(): void {
    this.#isEmptied = true;
    // A crash may have come before it was made.
    if (!isFolder(this.seen)) return;
    const owner = textOf(join(this.#path, ownerName));
    chmodSync(this.seen, 0o700);
    const shared = { place: join(this.seen, owner), to: join(this.#directory, owner), isName: isHostFileName };
    if (owner !== '') putFilesBack({ ...shared, passOver: false });
    if (textOf(join(this.#path, homesOwnerName)) === '') return;
    // Its log has all that is in a home.
    for (const place of homePlaces(this.#path)) putFilesBack({ place, to: this.#homesFolder(), isName: isHomeFileName, passOver: true });
  }

  /** What still lies there goes. To be called when everything is put back; never rejects. */
  async remove(): Promise<void> {
    await Promise.all(this.#releases);
    await removeEmptied(setAside(this.#path));
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
}

/**
 * Puts back what an earlier process left in slots; to be done before any host of these data folders starts, in a box or not. The data is
 * back when it returns. It resolves when the rest is gone, and never rejects.
 */
export function recoverSlots(directory: string): Promise<void> {
  for (const slot of slotsIn(directory)) {
    if (basename(slot).startsWith(emptiedPrefix)) continue;
    new BoxSlot(directory, slot).putBack();
    setAside(slot);
  }
  return removeAll(slotsIn(directory));
}

/** What an earlier process left in slots is not to be believed: `recoverSlots` puts none of it back. */
export function removeSlots(directory: string): void {
  for (const slot of slotsIn(directory)) setAside(slot);
}

/** The data files that a crash has left in slots, wherever `putBack` finds them. */
export function dataFilesInSlots(directory: string): string[] {
  return slotsIn(directory)
    .filter((slot) => !basename(slot).startsWith(emptiedPrefix) && isFolder(join(slot, seenName)))
    .flatMap((slot) => {
      const owner = textOf(join(slot, ownerName));
      const shared = owner === '' ? [] : dataFilesIn(join(slot, seenName, owner), isHostFileName);
      return [...shared, ...homePlaces(slot).flatMap((place) => dataFilesIn(place, isHomeFileName))];
    });
}

function slotsIn(directory: string): string[] {
  const slots = join(directory, slotsName);
  return existsSync(slots) ? readdirSync(slots).map((name) => join(slots, name)) : [];
}

/** The slot under another name: no later start takes anything out of it. */
function setAside(slot: string): string {
  if (basename(slot).startsWith(emptiedPrefix)) return slot;
  const emptied = join(dirname(slot), `${emptiedPrefix}${basename(slot)}`);
  try {
    renameSync(slot, emptied);
    return emptied;
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) console.error(`drillyard: ${slot} cannot be renamed: ${(error as Error).message}`);
    return slot;
  }
}

async function removeAll(slots: readonly string[]): Promise<void> {
  for (const slot of slots) await removeEmptied(slot);
}
/** What cannot go keeps its name, and the next start tries again. */
async function removeEmptied(slot: string): Promise<void> {
  await removeFolder(slot).catch((error: Error) => console.error(`drillyard: ${slot} cannot be removed: ${error.message}`));
}

/** Where homes lie in a slot: what the box sees, and those that were coming out. */
function homePlaces(slot: string): string[] {
  const closed = readdirSync(slot).filter((name) => name.startsWith(closedPrefix));
  return [seenName, ...closed].map((name) => join(slot, name));
}

/** Of a slot whose box has ended: whatever the box has made of the folders, their owner may look into them again. */
function putFilesBack({ place, to, isName, passOver }: FilesBack): void {
  if (!isFolder(place)) return;
  chmodSync(place, 0o700);
  for (const name of namesIn(place).filter(isName)) {
    const folder = join(place, name);
    if (!isFolder(folder)) continue;
    try {
      chmodSync(folder, 0o700);
      placeFile(dataFileOf(folder), join(to, name));
    } catch (error) {
      if (!passOver) throw error;
      logNotTaken(name, error as Error);
    }
  }
}
interface FilesBack {
  place: string;
  to: string;
  isName(name: string): boolean;
  /** What a full disk keeps from coming out is logged, and the rest comes. */
  passOver: boolean;
}

/** Of what can be looked into. */
function dataFilesIn(place: string, isName: (name: string) => boolean): string[] {
  return namesIn(place)
    .filter((name) => isName(name) && isFolder(join(place, name)))
    .map((name) => dataFileOf(join(place, name)))
    .filter((file) => isFile(file) && isReadable(file));
}

/** The first of them: code in a box may have made any number, and may take them away meanwhile. */
function namesIn(place: string): string[] {
  const names: string[] = [];
  if (!isFolder(place)) return names;
  let listing: Dir;
  try {
    listing = opendirSync(place);
  } catch (error) {
    if (['EACCES', 'ENOENT', 'ENOTDIR'].some((code) => hasCode(error, code))) return names;
    throw error;
  }
  try {
    for (let entry = listing.readSync(); entry !== null && names.length < tuning.slotNamesMax; entry = listing.readSync())
      names.push(entry.name);
  } finally {
    listing.closeSync();
  }
  return names;
}

/** A crash between making a file and removing its draft leaves it two names, and nothing of two names comes out of a slot. */
function makeSingle(file: string): void {
  if (lstatSync(file).nlink === 1) return;
  copyFileSync(file, `${file}.single`);
  renameSync(`${file}.single`, file);
}

/** Nobody can put anything else in place of `file` any more. A lock file, which a box may have made, stays behind. */
function placeFile(file: string, folder: string): void {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found?.isFile() !== true || found.nlink !== 1 || existsSync(dataFileOf(folder))) return;
  makeFolder(folder);
  chmodSync(file, 0o600);
  renameSync(file, dataFileOf(folder));
}

const isFolder = (path: string): boolean => lookAt(path)?.isDirectory() === true;
const isFile = (path: string): boolean => lookAt(path)?.isFile() === true;
/** Nobody but the box has taken the right away, and putting it back gives it again. */
function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
/** Undefined also where the box has taken the right to look. */
function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (hasCode(error, 'EACCES')) return undefined;
    throw error;
  }
}
const logNotTaken = (name: string, { message }: Error): void => console.error(`drillyard: ${name} was not taken from its box: ${message}`);
const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');
