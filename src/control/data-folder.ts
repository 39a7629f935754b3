// What has to hold of a data directory before a service starts on it. A start never makes again what was there once: a new catalog beside
// old worlds, or a new key beside an old catalog, would look like a service and have lost everything.
//   DATA-FOLDER-1. What a host has left below the folders of worlds is a file of worlds or nothing: no link is followed, no pipe opened.
import { type Dirent, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { dataDamaged, dataFileOf, requireWhole } from '../files/database.js';
import { fileRefusal } from '../files/file-faults.js';
import { beginsWorldKey } from '../worlds/kv/keys.js';
import { firstStartTable } from './bootstrap.js';
import type { Catalog } from './catalog/catalog.js';
import { keyAdvice, keyFileName } from './catalog/key-file.js';
import { beginsCatalogKey } from './catalog/stored-source.js';
import { keyNoteTable } from './core/server-key.js';

export const catalogFolder = (directory: string): string => join(directory, 'catalog');
export const catalogFile = (directory: string): string => dataFileOf(catalogFolder(directory));
export const worldsFolder = (directory: string): string => join(directory, 'worlds');
export const catalogAdvice = 'Put it back from a backup of the whole data directory, or name another data directory.';

/**
 * Throws control.DATA_DAMAGED, with the file and what to do. `needsKey`: the server's key lies in the directory, and no other may take its
 * place.
 */
export function requireWholeData(directory: string, { needsKey }: { needsKey: boolean }): void {
  const [catalog, key, worlds] = [catalogFile(directory), join(directory, keyFileName), worldFilesIn(directory)];
  const hasCatalog = existsSync(catalog);
  if (!hasCatalog && hasDataOf(directory, worlds))
    throw dataDamaged(catalog, 'it is missing, though there is data that belongs to it', catalogAdvice);
  if (needsKey && !existsSync(key) && hasCatalog)
    throw dataDamaged(key, 'it is missing, though there is a catalog made with it', keyAdvice);
  if (hasCatalog) requireWhole(catalog, { leaves: true, beginsKey: beginsCatalogKey, advice: catalogAdvice });
  for (const file of worlds) requireWhole(file, { leaves: true, beginsKey: beginsWorldKey });
}

/**
 * Throws control.DATA_DAMAGED for a catalog that is empty beside data, or of no service: the first change of every service leaves its mark
 * there.
 */
export function requireOwnCatalog(directory: string, catalog: Catalog): void {
  const { view } = catalog;
  if (view.get(keyNoteTable, 'early') !== undefined || view.get(firstStartTable, 'first') !== undefined) return;
  const file = catalogFile(directory);
  if (!catalog.isEmpty) throw dataDamaged(file, 'it is no catalog of a service', catalogAdvice);
  if (hasDataOf(directory, worldFilesIn(directory)))
    throw dataDamaged(file, 'it holds nothing, though there is data that belongs to it', catalogAdvice);
}

/** The data files of worlds, also of those that a crash left in the slot of a box. Refuses what is no folder, as fileRefusal says. */
export function worldFilesIn(directory: string): string[] {
  // Its entries know what they are, so no link leads on.
  return entriesIn(worldsFolder(directory), { recursive: true })
    .map((entry) => ({ entry, folder: entry.parentPath ?? entry.path }))
    .filter(({ entry, folder }) => entry.isFile() && join(folder, entry.name) === dataFileOf(folder))
    .map(({ folder }) => dataFileOf(folder))
    .sort();
}

/** Worlds, bundles or blobs: none of them comes before the first record of the catalog. */
function hasDataOf(directory: string, worlds: readonly string[]): boolean {
  return worlds.length > 0 || namesIn(join(directory, 'evidence')).length > 0 || hasBlobs(join(directory, 'blobs'));
}
function hasBlobs(folder: string): boolean {
  return namesIn(folder).some((name) => name.length === 2 && namesIn(join(folder, name)).length > 0);
}
function namesIn(folder: string): string[] {
  return entriesIn(folder).map(({ name }) => name);
}
function entriesIn(folder: string, { recursive = false } = {}): Dirent[] {
  try {
    return existsSync(folder) ? readdirSync(folder, { recursive, withFileTypes: true }) : [];
  } catch (error) {
    throw fileRefusal(`The folder ${folder} cannot be read`, folder, error);
  }
}
