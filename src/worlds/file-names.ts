// The names of the folders in which data files of worlds lie: `host-<n>` or `home-<n>`.
import { homeOfFileName } from './homes.js';

export const hostFileName = (host: number): string => `host-${host}`;

/** Undefined for another name. */
export function hostOfFileName(name: string): number | undefined {
  const digits = /^host-(0|[1-9]\d{0,3})$/.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

export const isHostFileName = (name: string): boolean => hostOfFileName(name) !== undefined;
export const isHomeFileName = (name: string): boolean => homeOfFileName(name) !== undefined;
