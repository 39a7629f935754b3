// Boxes for hosts of worlds: processes inside bubblewrap that have loaded everything and wait for the data folder they are to serve.
// What a box sees is fixed when it starts, so an empty one sees an empty folder of its own (its slot); a data folder that it is given is
// moved into the slot, on the same file system, and back when the box has ended. Why: docs/decisions/005.
//   BOXES-1. A data folder is in one place at a time: below `directory`, or in the slot of the one box that serves it. After a crash the
//     next start moves it back.
//   BOXES-2. What comes back out of a slot is the folder that went in: its name stands outside of what the box sees, and code that has left
//     its realm may have put other names, or a link, beside it.
// A box serves one data folder in its lifetime.
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { prepareHost } from '../actors/child.js';
import type { PreparedHost } from '../actors/prepared-host.js';
import { makeFolder } from '../files/make-folder.js';
import type { HostChildren } from './api.js';
import { type HostPool, type HostPoolOptions, ReadyHosts } from './ready-hosts.js';
import { worldHostModule } from './worlds.js';

export interface HostBoxOptions extends HostPoolOptions {
  /** The data folders lie directly below it. */
  directory: string;
}

interface EmptyBox {
  host: PreparedHost;
  /** A folder with `seenName`, which the box sees as `inside`, and `ownerName`, which it does not see. */
  slot: string;
}

const slotsName = '.slots';
const seenName = 'data';
/** A file with the name of the data folder that the slot was given. */
const ownerName = 'owner';
/** Where a box sees its slot. */
const inside = '/data';

export class BoxPool implements HostPool {
  readonly #options: HostBoxOptions;
  readonly #ready: ReadyHosts<EmptyBox>;
  /** Of slots that are being removed. */
  readonly #removals = new Set<Promise<void>>();

  constructor(options: HostBoxOptions) {
    this.#options = options;
    recoverSlots(options.directory);
    this.#ready = new ReadyHosts({ start: () => this.#start(), lost: ({ slot }) => this.#emptySlot(slot), ready: options.ready });
  }

  /** The children of a host that serves `folder`, a folder directly below the pool's directory. */
  childrenOf(folder: string): HostChildren {
    let slot = '';
    return {
      take: () => {
        const box = this.#take(folder);
        slot = box.slot;
        return box.host;
      },
      directory: join(inside, basename(folder)),
      exchange: { inside, outside: () => join(slot, seenName) },
    };
  }

  get waiting(): number {
    return this.#ready.waiting;
  }

  async close(): Promise<void> {
    await this.#ready.close();
    await Promise.all(this.#removals);
  }

  #take(folder: string): EmptyBox {
    makeFolder(folder);
    const box = this.#ready.take();
    const { host, slot } = box;
    // Registered before anybody else can wait for the end: the next host finds the folder back in its place.
    void host.child.ended.then(() => this.#emptySlot(slot));
    try {
      writeFileSync(join(slot, ownerName), basename(folder));
      renameSync(folder, join(slot, seenName, basename(folder)));
      return box;
    } catch (error) {
      // Nobody else knows of it.
      host.child.kill();
      throw error;
    }
  }

  #start(): EmptyBox {
    const { directory, bounds, resourceLimits } = this.#options;
    makeFolder(join(directory, slotsName));
    const slot = mkdtempSync(join(directory, slotsName, 'slot-'));
    const outside = join(slot, seenName);
    mkdirSync(outside);
    const folders = [{ outside, inside, writable: true }];
    return { host: prepareHost({ moduleHref: worldHostModule.href, resourceLimits, bounds, box: { folders } }), slot };
  }

  /** Puts the data folder back below `directory`; what else lies there goes, in its own time, since nobody knows how much it is. */
  #emptySlot(slot: string): void {
    returnFolder(slot, this.#options.directory);
    const removal = rm(slot, { recursive: true, force: true }).catch(() => {});
    this.#removals.add(removal);
    void removal.then(() => this.#removals.delete(removal));
  }
}

/** Puts back what an earlier process left in slots; to be done before any host of these data folders starts, in a box or not. */
export function recoverSlots(directory: string): void {
  const slots = join(directory, slotsName);
  if (!existsSync(slots)) return;
  for (const name of readdirSync(slots)) {
    returnFolder(join(slots, name), directory);
    rmSync(join(slots, name), { recursive: true, force: true });
  }
}

function returnFolder(slot: string, directory: string): void {
  if (!existsSync(join(slot, ownerName))) return;
  const name = readFileSync(join(slot, ownerName), 'utf8');
  const [from, to] = [join(slot, seenName, name), join(directory, name)];
  if (name !== '' && lstatSync(from, { throwIfNoEntry: false })?.isDirectory() === true && !existsSync(to)) renameSync(from, to);
}
