// Boxes for hosts of worlds: processes inside bubblewrap that have loaded everything and wait for the data that they are to serve.
// What a box sees is fixed when it starts, so an empty one sees an empty folder of its own (its slot, box-slot.ts). The data files of a
// folder that it is given are moved into the slot, and back when the box has ended. Of a data folder with homes only those that are open
// are moved, each when it is opened and until it is closed: the service follows the rest meanwhile, in its place. Why: docs/decisions/005.
//   BOXES-1. A data file is in one place at a time: below `directory`, or in the slot of the one box that serves it. After a crash the next
//     start moves it back (recoverSlots).
//   BOXES-2. What comes back out of a slot goes to the folder that it came from, whose name stands outside of what the box sees, and is a
//     data file: code that has left its realm may have put other names, or a link, beside it.
//   BOXES-3. A home that is not open in a box stays in its place while the box stands.
// A box serves one data folder in its lifetime.
import { basename, join } from 'node:path';
import { prepareHost } from '../actors/child.js';
import type { PreparedHost } from '../actors/prepared-host.js';
import { makeFolder } from '../files/make-folder.js';
import type { HostChildren } from './api.js';
import { BoxSlot } from './box-slot.js';
import { type HostPool, type HostPoolOptions, type PooledLayout, ReadyHosts } from './ready-hosts.js';
import { worldHostModule } from './worlds.js';

interface EmptyBox {
  host: PreparedHost;
  slot: BoxSlot;
}

/** Where a box sees its slot. */
const inside = '/data';

export class BoxPool implements HostPool {
  readonly #options: HostPoolOptions;
  readonly #ready: ReadyHosts<EmptyBox>;
  /** Of slots that are being removed. */
  readonly #removals = new Set<Promise<void>>();
  /** By the data folder: slots whose box has ended, and whose data a full disk keeps from coming out. */
  readonly #unreturned = new Map<string, BoxSlot>();

  constructor(options: HostPoolOptions) {
    this.#options = options;
    this.#ready = new ReadyHosts({ start: () => this.#start(), lost: ({ slot }) => this.#remove(slot), ready: options.ready });
  }

  /** The children of a host that serves `folder`, a folder directly below the pool's directory. */
  childrenOf(folder: string, layout: PooledLayout): HostChildren {
    let box: EmptyBox | undefined;
    const take = (): PreparedHost => {
      box = this.#take(folder, layout);
      return box.host;
    };
    const exchange = { inside, outside: () => (box as EmptyBox).slot.seen };
    if (layout === 'shared') return { take, directory: join(inside, basename(folder)), exchange };
    return {
      take,
      directory: inside,
      exchange,
      admitHome: (name) => {
        if (box !== undefined) admitHome(box, name);
      },
      releaseHome: async (name) => await box?.slot.releaseHome(name),
    };
  }

  get waiting(): number {
    return this.#ready.waiting;
  }

  async close(): Promise<void> {
    await this.#ready.close();
    await Promise.all(this.#removals);
  }

  #take(folder: string, layout: PooledLayout): EmptyBox {
    makeFolder(folder);
    const unreturned = this.#unreturned.get(folder);
    if (unreturned !== undefined) this.#putBack(unreturned, folder);
    const box = this.#ready.take();
    const { host, slot } = box;
    // Registered before anybody else can wait for the end: the next host finds everything back in its place.
    void host.child.ended.then(() => this.#returnFolder(slot, folder));
    try {
      if (layout === 'shared') slot.giveFolder(folder);
      else slot.giveHomes(folder);
      return box;
    } catch (error) {
      // Nobody else knows of it.
      host.child.kill();
      throw error;
    }
  }

  #start(): EmptyBox {
    const { directory, bounds, resourceLimits } = this.#options;
    const slot = BoxSlot.make(directory);
    const box = { folders: [{ outside: slot.seen, inside, writable: true }] };
    try {
      return { host: prepareHost({ moduleHref: worldHostModule.href, resourceLimits, bounds, box, lastResort: directory }), slot };
    } catch (error) {
      this.#remove(slot);
      throw error;
    }
  }

  #returnFolder(slot: BoxSlot, folder: string): void {
    try {
      this.#putBack(slot, folder);
    } catch (error) {
      this.#unreturned.set(folder, slot);
      console.error(`drillyard: the data of ${folder} was not taken from its box: ${(error as Error).message}`);
    }
  }

  #putBack(slot: BoxSlot, folder: string): void {
    slot.putBack();
    this.#unreturned.delete(folder);
    this.#remove(slot);
  }

  /** In its own time, since nobody knows how much lies there. */
  #remove(slot: BoxSlot): void {
    const removal = slot.remove();
    this.#removals.add(removal);
    void removal.then(() => this.#removals.delete(removal));
  }
}

/** What is in the way is the box's own fault, or the disk's: it ends, and the next one asks for its homes again. */
function admitHome({ host, slot }: EmptyBox, name: string): void {
  try {
    slot.admitHome(name);
  } catch (error) {
    console.error(`drillyard: ${name} did not get into its box: ${(error as Error).message}`);
    host.child.kill();
  }
}
