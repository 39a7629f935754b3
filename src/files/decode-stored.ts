// Bytes of a data file as what they mean. What cannot be read is damage of that file, named as such, and no fault of the program.
import { ServiceError } from '../contract/errors.js';
import { isStoredDamage, StoredDamage } from '../contract/stored-damage.js';
import { dataFileOf } from './database.js';

/** What `decode` makes of bytes of the data file of `directory`. StoredDamage where it throws. `what`: "a journal". */
export function decodeStored<T>(directory: string, what: string, decode: () => T): T {
  try {
    return decode();
  } catch (cause) {
    if (cause instanceof ServiceError || isStoredDamage(cause)) throw cause;
    const file = dataFileOf(directory);
    throw new StoredDamage(`The file ${file} is damaged: ${what} cannot be read (${(cause as Error).message}).`, { cause });
  }
}
