// Whether a data file may be opened as what is asked for: a catalog without a log, or one with a log, which it has from its beginning.
//   CATALOG-OWNER-1. A file that has a position is changed by the log alone; one that has data and none never gets a log.
import { ServiceError } from '../../contract/errors.js';
import type { Database } from '../../files/database.js';
import type { StreamPosition } from '../../worlds/kv/stream-log.js';
import { readPosition } from '../../worlds/kv/stream-position.js';
import { holdsNothing } from './stored-source.js';

/** Where the file stands in its log, if it has had a record. control.STATE_CONFLICT, with the file closed. */
export function requireStreamOf(
  database: Database,
  { directory, hasLog }: { directory: string; hasLog: boolean },
): StreamPosition | undefined {
  const position = readPosition({ get: (key) => database.getBinary(key) });
  const isOther = hasLog ? position === undefined && !holdsNothing(database) : position !== undefined;
  if (!isOther) return position;
  void database.close();
  if (!hasLog) throw copyOfCluster(directory);
  const message = `The catalog in ${directory} was made without a cluster. Name another data directory.`;
  throw new ServiceError('control.STATE_CONFLICT', { message });
}

/** `directory`: of the catalog. */
export function copyOfCluster(directory: string): ServiceError {
  const message = `The catalog in ${directory} is a copy of a cluster's. Start it as a node of that cluster, or start from a backup.`;
  return new ServiceError('control.STATE_CONFLICT', { message });
}
