// Bounds a folder of things that can be made again.
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Half of them go, the oldest first, so that it is not done at each command. */
export function pruneOldest(folder: string, most: number): void {
  const names = readdirSync(folder);
  if (names.length <= most) return;
  const aged = names.map((name) => ({ name, at: statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }));
  aged.sort((a, b) => a.at - b.at);
  for (const { name } of aged.slice(0, names.length - Math.floor(most / 2))) rmSync(join(folder, name), { recursive: true, force: true });
}
