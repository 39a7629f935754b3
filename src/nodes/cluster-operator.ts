// What an operator asks of a cluster, answered by one node of it: as the control plane and the node itself need it.
import { within } from '../async/deadline.js';
import { type ClusterLog, LogUnavailable, LogUnknown } from '../cluster/log.js';
import type { Homes } from '../cluster/node-homes.js';
import { clusterOverview } from '../cluster/overview.js';
import { drainNode, moveHomes, undoDrain, type WishView } from '../cluster/wishes.js';
import { ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import type { ClusterPort } from '../control/core/services.js';

export function clusterOperator({ log, homes, node }: { log: ClusterLog; homes: Homes; node: string }): ClusterPort {
  const { members } = homes;
  /** As of a beat that was sent now: a wish is judged by what holds, not by what held. */
  const fresh = async (): Promise<WishView> => {
    const beat = await members.refresh();
    if (beat === undefined) throw unavailable();
    return { ...beat, isAlive: (name) => members.isAlive(name), areTogether: homes.areTogether };
  };
  const wish = async <T>(work: (view: WishView) => Promise<T>): Promise<T> => {
    try {
      return await work(await fresh());
    } catch (error) {
      if (error instanceof LogUnknown || error instanceof LogUnavailable) throw unavailable(error);
      throw error;
    }
  };
  return {
    overview: async () => {
      const { last, mayRead: isAnswering, beatAgeMs, unavailableMs, failure } = members;
      if (last === undefined || beatAgeMs === undefined) throw unavailable();
      // Of one that does not answer, what is known is shown.
      const asked = isAnswering ? within(limits.clusterHealthMs, log.health()) : Promise.resolve(undefined);
      const health = await asked.catch(() => undefined);
      const isAlive = (name: string): boolean => members.isAlive(name);
      return clusterOverview({ node, ...last, isAlive, log: { isAnswering, beatAgeMs, unavailableMs, failure, health } });
    },
    moveHomes: ({ homes: some, to, whenWarm = false }) =>
      wish((view) => moveHomes(log, view, { homes: some, to: to ?? undefined, whenWarm })),
    drainNode: (name) => wish((view) => drainNode(log, view, name)),
    undoDrainNode: (name) => wish((view) => undoDrain(log, view, name)),
  };
}

function unavailable(cause?: unknown): ServiceError {
  const message = 'The log of the cluster does not answer. Whether it has what is wanted is not known.';
  return new ServiceError('control.UNAVAILABLE', { message, cause, retryAfterMs: limits.unavailableRetryAfterMs });
}
