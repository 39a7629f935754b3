// The nodes of a cluster that read copies of the catalog, as its owner waits for them.
//   CLUSTER-READERS-1. What the wait was for is known to every node that answers agents afterwards: it has said so, or has not read the log
//     since, and then its read lease is over (CLUSTER-OWNERS-1). Clocks may differ by a third in rate.
import { within } from '../async/deadline.js';
import { pause } from '../async/pause.js';
import { steadyClock } from '../cluster/clock.js';
import type { ClusterMembers } from '../cluster/members.js';
import { tuning } from '../cluster/tuning.js';
import { limits } from '../contract/limits.js';
import type { CatalogReaders } from '../control/catalog/catalog.js';
import { ownerTables } from '../control/owner-tables.js';

export interface ClusterReadersParts {
  members(): Pick<ClusterMembers, 'others' | 'refresh'>;
  /** Resolves when the node's copy has the record; rejects where it does not say so. */
  tell(address: string, number: number): Promise<void>;
}

export function clusterReaders({ members, tell }: ClusterReadersParts): CatalogReaders {
  const tellSurely = async (address: string, number: number, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      try {
        return await tell(address, number);
      } catch {
        await pause(limits.ownerAskedAgainMs, signal);
      }
    }
  };
  const caughtUp = async (number: number): Promise<void> => {
    const { others } = members();
    if (others.length === 0) return;
    const over = new AbortController();
    const untilMs = steadyClock.now() + tuning.aliveMs;
    const waits = new Map(others.map(({ node, address }) => [node, tellSurely(address, number, over.signal)]));
    let isDone = false;
    const all = Promise.all(waits.values()).then(() => {
      isDone = true;
    });
    await within(tuning.beatMs, all);
    if (!isDone) {
      // One that is still starting has no home by a look that began after the record, so it reads the log to its end before it has one.
      const isSeen = (await members().refresh()) !== undefined;
      const named = isSeen ? members().others.filter(({ mayServe }) => mayServe) : others;
      await within(Math.max(0, untilMs - steadyClock.now()), Promise.all(named.map(({ node }) => waits.get(node))));
    }
    over.abort();
  };
  return { tables: ownerTables, caughtUp };
}
