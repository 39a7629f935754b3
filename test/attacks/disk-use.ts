import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** What files below a folder take of the disk: a sparse one less than it is long. */
export function bytesBelow(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    try {
      bytes += entry.isDirectory() ? bytesBelow(path) : lstatSync(path).blocks * 512;
    } catch {
      // It was removed meanwhile.
    }
  }
  return bytes;
}
