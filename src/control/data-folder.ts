// What has to hold of a data directory before a service starts on it. A start never makes again what was there once: a new catalog beside
// old worlds, or a new key beside an old catalog, would look like a service and have lost everything.
//   DATA-FOLDER-1. What a host has left below the folders of worlds is a file of worlds, under a name that hosts give, or nothing: no link
//     is followed, no pipe opened, and no other folder read.
//   DATA-FOLDER-2. Where hosts are processes a damaged file of worlds closes its own project until the next start, and no other.
import { type Dirent, existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isServiceError, type ServiceError } from '../contract/errors.js';
import { dataDamaged, dataFileOf, requireWhole } from '../files/database.js';
import { fileRefusal, hasCode } from '../files/file-faults.js';
import { closeFolder, makeFolder } from '../files/make-folder.js';
import { dataFilesInSlots } from '../worlds/box-slot.js';
import { isHomeFileName, isHostFileName } from '../worlds/file-names.js';
import { beginsWorldKey } from '../worlds/kv/keys.js';
import { firstStartTable } from './bootstrap.js';
import type { Catalog } from './catalog/catalog.js';
import { copyOfCluster } from './catalog/catalog-owner.js';
import { keyAdvice, keyFileName } from './catalog/key-file.js';
import { beginsCatalogKey, isPositionByte } from './catalog/stored-source.js';
import { keyNoteTable } from './core/server-key.js';
import type { DamagedProjects } from './core/services.js';
import { isProjectFolder } from './sessions/project-worlds.js';
import { requireFinished, requireRestored } from './unfinished-mark.js';

export const catalogFolder = (directory: string): string => join(directory, 'catalog');
export const catalogFile = (directory: string): string => dataFileOf(catalogFolder(directory));
export const worldsFolder = (directory: string): string => join(directory, 'worlds');
export const catalogAdvice = 'Put it back from a backup of the whole data directory, or name another data directory.';

/**
 * Makes the directory, or takes up one that is there. Others on this machine see nothing of what lies there: code in a box makes files
 * with any rights. A folder that holds something else, or that everybody uses (sticky, as /tmp is), stays as it is.
 */
export function makeDataFolder(directory: string): void {
  makeFolder(directory);
  const isSticky = (statSync(directory).mode & 0o1000) !== 0;
  const isOwn = existsSync(catalogFile(directory)) || namesIn(directory).length === 0;
  if (isOwn && !isSticky) closeFolder(directory);
}

/**
 * Throws control.DATA_DAMAGED, with the file and what to do, and control.STATE_CONFLICT for the directory of a node of a cluster, whose
 * key lies elsewhere. `needsKey`: the server's key lies in the directory, and no other may take its place. `isContained`: a damaged file
 * of worlds costs its own project alone; else it throws too.
 */
export function requireWholeData(
  directory: string,
  { needsKey, isContained = false }: { needsKey: boolean; isContained?: boolean },
): DamagedProjects {
  requireFinished(directory);
  const [catalog, key, worlds] = [catalogFile(directory), join(directory, keyFileName), worldFilesIn(directory)];
  const hasCatalog = existsSync(catalog);
  if (!hasCatalog && hasDataOf(directory, worlds))
    throw dataDamaged(catalog, 'it is missing, though there is data that belongs to it', catalogAdvice);
  if (!hasCatalog) requireRestored(directory);
  if (hasCatalog) requireWholeCatalog(directory);
  if (needsKey && !existsSync(key) && hasCatalog)
    throw dataDamaged(key, 'it is missing, though there is a catalog made with it', keyAdvice);
  const damaged = new Map<string, ServiceError>();
  for (const file of worlds) {
    const project = basename(dirname(dirname(file)));
    try {
      requireWhole(file, { leaves: true, beginsKey: beginsWorldKey });
    } catch (error) {
      // Without descriptors, say, no file is at fault.
      const isItsFault = isServiceError(error, 'control.DATA_DAMAGED', 'control.INVALID_REQUEST');
      if (!isContained || !isProjectFolder(project) || !isItsFault) throw error;
      if (!damaged.has(project)) damaged.set(project, error);
    }
  }
  return damaged;
}

function requireWholeCatalog(directory: string): void {
  let hasPosition = false;
  const beginsKey = (byte: number): boolean => {
    hasPosition ||= isPositionByte(byte);
    return beginsCatalogKey(byte);
  };
  requireWhole(catalogFile(directory), { leaves: true, beginsKey, advice: catalogAdvice });
  if (hasPosition) throw copyOfCluster(catalogFolder(directory));
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

/**
 * The data files of worlds, also of those that a crash left in the slot of a box, where the service keeps them: `worlds/<project>/host-<n>`
 * or `home-<n>`, and `worlds/host-<n>` of early versions. Other files there are not looked at. Refuses what is no folder, as
 * fileRefusal says.
 */
export function worldFilesIn(directory: string): string[] {
  const worlds = worldsFolder(directory);
  const folders = entriesIn(worlds).filter((entry) => entry.isDirectory());
  const early = folders.filter(({ name }) => isHostFileName(name)).map(({ name }) => join(worlds, name));
  const own = folders.filter(({ name }) => isProjectFolder(name)).flatMap(({ name }) => worldFoldersIn(join(worlds, name)));
  const files = [...early, ...own].map(dataFileOf).filter(isFile);
  return [...files, ...dataFilesInSlots(worlds)].sort();
}
/** What cannot be looked at counts: reading it is refused, with the reason. */
function isFile(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return true;
  }
}
function worldFoldersIn(folder: string): string[] {
  return entriesIn(folder)
    .filter((entry) => entry.isDirectory() && (isHostFileName(entry.name) || isHomeFileName(entry.name)))
    .map(({ name }) => join(folder, name));
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
function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw fileRefusal(`The folder ${folder} cannot be read`, folder, error);
  }
}
