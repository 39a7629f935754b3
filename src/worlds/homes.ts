// Homes: the parts of all worlds that one owner has at a time, and what an id says of them. Why: docs/decisions/020.
//   HOMES-1. Which home a world is in follows from its id, the same in every version and on every machine.
import { type PlacementPort, stableHash } from '../actors/placement.js';
import { ServiceError } from '../contract/errors.js';
import { type IdPrefix, newId } from '../contract/ids.js';
import { tuning } from './tuning.js';

/** 1 to `homes`: home 0 has no worlds. */
export function homeOf(worldId: string, homes: number): number {
  return 1 + (stableHash(worldId) % homes);
}

/** The name of a home's data file. */
export const homeFileName = (home: number): string => `home-${home}`;

/** The home of a data file; undefined for another name. */
export function homeOfFileName(name: string): number | undefined {
  const digits = /^home-([1-9]\d{0,3})$/.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Of the hosts of one system, each has the homes of its number. */
export const hostOfHome = (home: number, hosts: number): number => home % hosts;

/** A new id that falls in the home. */
export function newIdInHome(prefix: IdPrefix, { home, homes }: { home: number; homes: number }): string {
  for (let left = tuning.idTriesPerHome * homes; left > 0; left--) {
    const id = newId(prefix);
    if (homeOf(id, homes) === home) return id;
  }
  throw new ServiceError('control.INTERNAL', { message: `No new id falls in home ${home} of ${homes}.` });
}

/** Worlds stay on the host of their home. */
export class HomePlacement implements PlacementPort {
  readonly #homes: number;
  readonly #hosts: number;

  constructor({ homes, hosts }: { homes: number; hosts: number }) {
    this.#homes = homes;
    this.#hosts = hosts;
  }

  hostOf(worldId: string): number {
    return hostOfHome(homeOf(worldId, this.#homes), this.#hosts);
  }
  assign(worldId: string, host: number): void {
    if (host !== this.hostOf(worldId)) throw new Error(`${worldId} is on the host of its home`);
  }
  unassign(): void {}
}
