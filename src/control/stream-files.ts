// The data files of a cluster's streams: where each lies below a folder, and whether a backup has each as its manifest says. The digests of
// the list say which bytes a file has, and nothing of the manifest's own words.
//   STREAM-FILES-1. Of a cluster's backup, each file of a stream is at the record that the manifest names, and the manifest names each.
//     Where a log began at another record, no later one would follow the file.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { dataFileOf, openDatabase } from '../files/database.js';
import { homeFileName } from '../worlds/homes.js';
import { readPosition } from '../worlds/kv/stream-position.js';
import { type BackupManifest, type HomePosition, manifestName } from './backup-manifest.js';
import { catalogFolder, worldsFolder } from './data-folder.js';
import { isProjectFolder } from './sessions/project-worlds.js';

/** Names of streams are read from a log, which may hold anything. */
export const isStreamOf = (home: number, stream: string): boolean => (home === 0 ? stream === '' : isProjectFolder(stream));

/** Where the data file of a stream lies. */
export function folderOfStream(data: string, { home, stream }: { home: number; stream: string }): string {
  return home === 0 ? catalogFolder(data) : join(worldsFolder(data), stream, homeFileName(home));
}

/** `verify` gets each file of a stream, as the list names it, and what yields its fault, as "it is missing". */
export async function verifyStreams(
  folder: string,
  { manifest: { cluster }, listed }: { manifest: BackupManifest; listed: Iterable<string> },
  verify: (path: string, fault: () => Promise<string | undefined>) => Promise<void>,
): Promise<void> {
  if (cluster === undefined) return;
  const unnamed = new Set([...listed].filter(isStreamFile));
  for (const { home, streams } of cluster.position) {
    for (const stream of streams) {
      const path = dataFileOf(folderOfStream('', { home, stream: stream.stream }));
      const isListed = home <= cluster.homes && isStreamOf(home, stream.stream) && unnamed.delete(path);
      await verify(path, async () => (isListed ? await positionFault(join(folder, path), stream) : `${manifestName} names it wrongly`));
    }
  }
  for (const path of unnamed) await verify(path, async () => `${manifestName} does not say at which record it is`);
}

const isStreamFile = (path: string): boolean => path === dataFileOf(catalogFolder('')) || /^worlds\/.*\/data\.mdb$/.test(path);

async function positionFault(file: string, { number, nonce }: HomePosition['streams'][number]): Promise<string | undefined> {
  if (!existsSync(file)) return 'it is missing';
  const directory = join(file, '..');
  const database = openDatabase({ directory, flushed: false, leavesChecked: false, readOnly: true });
  try {
    const found = readPosition({ get: (key) => database.getBinary(key) });
    if (found?.number !== number) return `it is at record ${found?.number ?? 0}, and not at ${number} as ${manifestName} says`;
    return found.nonce.toString('hex') === nonce ? undefined : `its record ${number} is another than ${manifestName} says`;
  } finally {
    await database.close();
  }
}
