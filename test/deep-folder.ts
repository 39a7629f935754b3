// Folders below a place, down to a path that is longer than any call takes, as code leaves them that goes down step by step.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Each is made near the place, and moved below the next: no call has a long path. */
export function makeDeepFolder(place: string): void {
  const name = 'd'.repeat(200);
  let inner = join(place, 'inner');
  mkdirSync(inner, { recursive: true });
  writeFileSync(join(inner, 'file'), 'text');
  for (let level = 0; level < 40; level++) {
    const outer = join(place, `outer-${level}`);
    mkdirSync(outer);
    renameSync(inner, join(outer, name));
    inner = outer;
  }
}
