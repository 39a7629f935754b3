// A copy of a data file whose worlds work on, with the worlds that somebody asked for: of a backup, those that its catalog names.
//   WORLD-FILE-COPY-1. A copy is one moment of the file; no world waits for it.
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { dataFileOf } from '../files/database.js';
import { headKey, keyKinds, rangeOfKind } from './kv/keys.js';
import { WorldRepository } from './state/world-repository.js';

/** The file that a copy comes to, in the folder that was asked for. */
export const copyName = (name: string): string => `${name}.copy`;

/** Of the file `name`, which `repository` has open. Worlds that are not in `kept` are left out. */
export async function copyWorldFile(
  repository: WorldRepository,
  { name, to, kept }: { name: string; to: string; kept: ReadonlySet<string> },
): Promise<void> {
  const folder = join(to, `copying-${name}`);
  rmSync(folder, { recursive: true, force: true });
  await repository.store.copyTo(folder);
  // A world that came since was perhaps taken along.
  const surplus = worldsOf(repository).filter((worldId) => !kept.has(worldId));
  if (surplus.length > 0) await leaveOut(folder, surplus);
  renameSync(dataFileOf(folder), join(to, copyName(name)));
  rmSync(folder, { recursive: true, force: true });
}

async function leaveOut(directory: string, worldIds: readonly string[]): Promise<void> {
  const copy = WorldRepository.open({ directory, durability: 'committed', leavesChecked: false });
  try {
    copy.store.leaveStream();
    await Promise.all(worldIds.map((worldId) => copy.deleteWorld(worldId)));
  } finally {
    await copy.close();
  }
}

function worldsOf({ store }: WorldRepository): string[] {
  return [...store.keys(rangeOfKind(keyKinds.head))].map((key) => key.subarray(headKey('').length).toString());
}
