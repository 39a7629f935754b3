// Opens the store that an address names, and shows that it is the cluster's: the store holds its name, as the log's database does.
import { randomUUID } from 'node:crypto';
import { storeAddress } from '../../contract/cluster-store.js';
import { invariant } from '../../contract/errors.js';
import { foreignCluster } from '../refusals.js';
import { folderObjects } from './folder-objects.js';
import { nameKey, type ObjectStore } from './object-store.js';
import { s3Objects } from './s3-objects.js';

/** The name of bodies in the log's own database. */
export const inDatabase = 'database';

export async function openObjects(address: string): Promise<ObjectStore> {
  const known = storeAddress(address);
  invariant(known !== undefined, `${address} names a store`);
  return known.kind === 'folder' ? folderObjects(known.path) : await s3Objects(known);
}

export interface StoreName {
  name(): Promise<string | undefined>;
  begin(): Promise<string>;
  /** Of a cluster that did not come to be: what it has put are strays of the next. */
  forget(): Promise<void>;
}

/** What a cluster asks of its store. A store with a name is another cluster's: its objects would be strays of this one. */
export function storeIdentity(objects: ObjectStore): StoreName {
  let isBegun = false;
  const read = async (): Promise<string | undefined> => {
    const found = await objects.get(nameKey);
    return found && readName(found);
  };
  return {
    name: async () => (await read()) ?? 'none',
    begin: async () => {
      if ((await read()) !== undefined)
        throw foreignCluster(
          `The store is another cluster's, or a restore that was cut short has left it. Name an empty one, or remove its ${nameKey} where no cluster uses it.`,
        );
      const name = randomUUID();
      isBegun = true;
      await objects.put(nameKey, Buffer.from(JSON.stringify({ store: name })));
      return name;
    },
    forget: async () => {
      if (isBegun) await objects.remove(nameKey);
    },
  };
}

function readName(text: Buffer): string {
  try {
    const { store } = JSON.parse(text.toString()) as { store?: unknown };
    if (typeof store === 'string' && store !== '') return store;
  } catch {
    // It is said below.
  }
  throw foreignCluster(`The object ${nameKey} of the store names no store.`);
}
