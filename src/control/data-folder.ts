// What has to hold of a data directory before a service starts on it. A start never makes again what was there once: a new catalog beside old
// worlds, or a new key beside an old catalog, would look like a service and have lost everything.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { dataDamaged, dataFileOf, requireWhole } from '../files/database.js';

/**
 * Throws control.DATA_DAMAGED, with the file and what to do. The catalog itself is looked at when it is opened. `ownKey`: the server's key lies in
 * the directory.
 */
export function requireWholeData(directory: string, { ownKey }: { ownKey: boolean }): void {
  const catalog = dataFileOf(join(directory, 'catalog'));
  const key = join(directory, 'server.key');
  const worlds = worldFilesIn(join(directory, 'worlds'));
  if (!existsSync(catalog) && worlds.length > 0) throw dataDamaged(catalog, 'it is missing, though there are worlds of it');
  if (ownKey && !existsSync(key) && existsSync(catalog)) throw dataDamaged(key, 'it is missing, though there is a catalog made with it');
  for (const file of worlds) requireWhole(file, { leaves: true });
}

function worldFilesIn(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return (readdirSync(directory, { recursive: true }) as string[])
    .map((name) => join(directory, name))
    .filter((file) => file === dataFileOf(join(file, '..')) && statSync(file).isFile())
    .sort();
}
