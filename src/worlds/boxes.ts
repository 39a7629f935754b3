// Boxes for hosts of worlds: processes inside bubblewrap that have loaded everything and wait for the data folder they are to serve.
// What a box sees is fixed when it starts, so an empty one sees an empty folder of its own (its slot); a data folder that it is given is moved into the
// slot, on the same file system, and back when the box has ended. So the start of a process costs no first call.
//   X1. A data folder is in one place at a time: below `directory`, or in the slot of the one box that serves it. After a crash the next start
//       moves it back (`recoverSlots`).
//   X2. A box serves one data folder in its life.
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { prepareHost } from '../actors/child.js';
import type { ActorSystemOptions } from '../actors/options.js';
import type { PreparedHost } from '../actors/prepared-host.js';
import { limits } from '../contract/limits.js';
import { makeFolder } from '../files/make-folder.js';
import type { ChildBounds } from '../processes/bounds.js';
import type { WorldsOptions } from './api.js';
import { worldHostModule } from './worlds.js';

export interface BoxOptions {
  /** The data folders lie directly below it. */
  directory: string;
  bounds: ChildBounds;
  resourceLimits: NonNullable<ActorSystemOptions['resourceLimits']>;
  /** How many empty ones wait. Default limits.boxesReady. */
  ready?: number;
}

/** Children without a box, within the same bounds: what tool code reaches there is all that the service reaches. */
export function plainChildren({ directory, bounds, resourceLimits }: Omit<BoxOptions, 'ready'>): NonNullable<WorldsOptions['children']> {
  return { take: () => prepareHost({ moduleHref: worldHostModule.href, resourceLimits, bounds }), directory };
}

interface EmptyBox {
  host: PreparedHost;
  slot: string;
}

const slotsName = '.slots';
/** Where a box sees its slot. */
const inside = '/data';

export class BoxPool {
  readonly #options: BoxOptions;
  readonly #empty: EmptyBox[] = [];
  #refill: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: BoxOptions) {
    this.#options = options;
    recoverSlots(options.directory);
    this.#refillSoon();
  }

  /** The children of a host that serves `folder`, a folder directly below the pool's directory. */
  childrenOf(folder: string): NonNullable<WorldsOptions['children']> {
    return { take: () => this.#take(folder), directory: join(inside, basename(folder)) };
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#refill);
    const ended = this.#empty.splice(0).map(({ host }) => {
      host.child.kill();
      return host.child.ended;
    });
    await Promise.all(ended);
  }

  #take(folder: string): PreparedHost {
    const { host, slot } = this.#empty.pop() ?? this.#start();
    this.#refillSoon();
    makeFolder(folder);
    renameSync(folder, join(slot, basename(folder)));
    // Registered before anybody else can wait for the end: whoever starts the next host finds the folder back in its place.
    void host.child.ended.then(() => returnFolders(slot, this.#options.directory));
    return host;
  }

  #start(): EmptyBox {
    const { directory, bounds, resourceLimits } = this.#options;
    makeFolder(join(directory, slotsName));
    const slot = mkdtempSync(join(directory, slotsName, 'slot-'));
    const folders = [{ outside: slot, inside, writable: true }];
    return { host: prepareHost({ moduleHref: worldHostModule.href, resourceLimits, bounds, box: { folders } }), slot };
  }

  /** Later, and one at a time: the host that was just taken needs the processor first. */
  #refillSoon(): void {
    const { ready = limits.boxesReady } = this.#options;
    if (this.#closed || this.#empty.length >= ready) return;
    this.#refill ??= setTimeout(() => {
      this.#refill = undefined;
      if (this.#closed) return;
      const box = this.#start();
      this.#empty.push(box);
      void box.host.child.ended.then(() => this.#forget(box));
      this.#refillSoon();
    }, limits.boxRefillMs);
    this.#refill.unref();
  }

  /** One that ended while it waited is no use; the next is started when one is taken, so that a machine without boxes does not spin. */
  #forget(box: EmptyBox): void {
    const at = this.#empty.indexOf(box);
    if (at < 0) return;
    this.#empty.splice(at, 1);
    returnFolders(box.slot, this.#options.directory);
  }
}

/** Moves what an earlier process left in its slots back below `directory`. */
function recoverSlots(directory: string): void {
  const slots = join(directory, slotsName);
  if (!existsSync(slots)) return;
  for (const name of readdirSync(slots)) returnFolders(join(slots, name), directory);
}

function returnFolders(slot: string, directory: string): void {
  if (!existsSync(slot)) return;
  for (const name of readdirSync(slot)) renameSync(join(slot, name), join(directory, name));
  rmSync(slot, { recursive: true, force: true });
}
