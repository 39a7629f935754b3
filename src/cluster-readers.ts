// The nodes of a cluster that read copies of the catalog, as its owner waits for them.
//   CLUSTER-READERS-1. What the wait was for is known to every node that answers agents afterwards: it has said so, or has not read the log
//     since, and then its read lease is over (CLUSTER-OWNERS-1). Clocks may differ by a third in rate.
import { within } from './async/deadline.js';
import { pause } from './async/pause.js';
import type { Homes } from './cluster/node-homes.js';
import { tuning } from './cluster/tuning.js';
import { limits } from './contract/limits.js';
import type { CatalogReaders } from './control/catalog/catalog.js';
import { ownerTables } from './control/owner-tables.js';

export interface ClusterReadersParts {
  homes: () => Homes;
  /** Resolves when the node's copy has the record; rejects where it does not say so. */
  tell(address: string, number: number): Promise<void>;
}

export function clusterReaders({ homes, tell }: ClusterReadersParts): CatalogReaders {
  const told = async (address: string, number: number, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      try {
        return await tell(address, number);
      } catch {
        await pause(limits.ownerAskedAgainMs, signal);
      }
    }
  };
  return {
    tables: ownerTables,
    caughtUp: async (number) => {
      const others = homes().others;
      if (others.length === 0) return;
      const over = new AbortController();
      await within(tuning.aliveMs, Promise.all(others.map(({ address }) => told(address, number, over.signal))));
      over.abort();
    },
  };
}
