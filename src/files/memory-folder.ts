// A folder of this process for what is not to be kept.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * In memory where the system has such a folder, so that a full disk does not count, else among the temporary files. `lastResort`: a folder
 * for it where neither takes one, as in a container whose only place to write is its volume. Throws the system's error of the last.
 */
export function makeMemoryFolder(lastResort?: string): string {
  let fault: unknown;
  for (const place of ['/dev/shm', tmpdir(), ...(lastResort === undefined ? [] : [lastResort])]) {
    try {
      return mkdtempSync(join(place, 'drillyard-'));
    } catch (error) {
      fault = error;
    }
  }
  throw fault;
}
