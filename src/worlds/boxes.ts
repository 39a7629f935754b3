// Boxes for hosts of worlds: processes inside bubblewrap that have loaded everything and wait for the data folder they are to serve.
// What a box sees is fixed when it starts, so an empty one sees an empty folder of its own (its slot); a data folder that it is given is moved into the
// slot, on the same file system, and back when the box has ended. So the start of a process costs no first call.
//   X1. A data folder is in one place at a time: below `directory`, or in the slot of the one box that serves it. After a crash the next start
//       moves it back.
//   X2. A box serves one data folder in its life.
//   X3. What comes back out of a slot is the folder that went in: its name stands outside of what the box sees, and code that has left its realm
//       may have put other names, or a link, beside it.
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
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
  /** A folder with `seenName`, which the box sees as `inside`, and `ownerName`, which it does not see. */
  slot: string;
}

const slotsName = '.slots';
const seenName = 'data';
/** A file with the name of the data folder that the slot was given. */
const ownerName = 'owner';
/** Where a box sees its slot. */
const inside = '/data';

export class BoxPool {
  readonly #options: BoxOptions;
  readonly #empty: EmptyBox[] = [];
  #refill: NodeJS.Timeout | undefined;
  /** Of slots that are being removed. */
  readonly #removals = new Set<Promise<void>>();
  #closed = false;

  constructor(options: BoxOptions) {
    this.#options = options;
    const slots = join(options.directory, slotsName);
    if (existsSync(slots)) for (const name of readdirSync(slots)) this.#emptySlot(join(slots, name));
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
    await Promise.all(this.#removals);
  }

  #take(folder: string): PreparedHost {
    const { host, slot } = this.#empty.pop() ?? this.#start();
    this.#refillSoon();
    makeFolder(folder);
    writeFileSync(join(slot, ownerName), basename(folder));
    renameSync(folder, join(slot, seenName, basename(folder)));
    // Registered before anybody else can wait for the end: whoever starts the next host finds the folder back in its place.
    void host.child.ended.then(() => this.#emptySlot(slot));
    return host;
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
    this.#emptySlot(box.slot);
  }

  /** Puts the data folder back below `directory`; what else lies there goes, in its own time, since nobody knows how much it is. */
  #emptySlot(slot: string): void {
    returnFolder(slot, this.#options.directory);
    const removal = rm(slot, { recursive: true, force: true }).catch(() => {});
    this.#removals.add(removal);
    void removal.then(() => this.#removals.delete(removal));
  }
}

function returnFolder(slot: string, directory: string): void {
  if (!existsSync(join(slot, ownerName))) return;
  const name = readFileSync(join(slot, ownerName), 'utf8');
  const [from, to] = [join(slot, seenName, name), join(directory, name)];
  if (name !== '' && lstatSync(from, { throwIfNoEntry: false })?.isDirectory() === true && !existsSync(to)) renameSync(from, to);
}
