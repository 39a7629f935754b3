// What the operator's token opens of several machines: how they stand, which node has which home, and which node is to have none.
import { ServiceError } from '../contract/errors.js';
import type { EndpointSet } from './catalog/endpoint.js';
import type { ClusterPort, ControlServices } from './core/services.js';

export function clusterEndpoints({ cluster }: ControlServices): EndpointSet<'getCluster' | 'moveHomes' | 'drainNode' | 'undoDrainNode'> {
  const asked = (): ClusterPort => {
    if (cluster !== undefined) return cluster;
    throw new ServiceError('cluster.NOT_A_CLUSTER', { message: 'This service is one machine alone: it was started without --cluster.' });
  };
  const drained = (node: string, isDrained: boolean) => ({ reply: { node, isDrained }, resource: { type: 'node', id: node } });
  return {
    getCluster: { kind: 'read', run: async () => ({ cluster: await asked().overview() }) },
    // What is wanted lies in the log, where it is the same when it is written twice.
    moveHomes: {
      kind: 'prepared',
      prepare: (_, { body }) => asked().moveHomes(body),
      apply: (_tx, { body: { to } }, homes: number[]) => ({ reply: { homes, to }, resource: { type: 'node', id: to ?? 'by rank' } }),
    },
    drainNode: {
      kind: 'prepared',
      prepare: (_, { path: { node } }) => asked().drainNode(node),
      apply: (_tx, { path: { node } }) => drained(node, true),
    },
    undoDrainNode: {
      kind: 'prepared',
      prepare: (_, { path: { node } }) => asked().undoDrainNode(node),
      apply: (_tx, { path: { node } }) => drained(node, false),
    },
  };
}
