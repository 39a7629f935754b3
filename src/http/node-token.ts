// By what nodes of one cluster know each other's requests: a token that only a holder of the server's key can derive.
import type { Keyring } from '../control/catalog/keyring.js';

export interface NodeToken {
  /** What this node sends. */
  present(): string;
  /** Whether another node has sent it; compared in constant time. While the key is being replaced, more than one is right. */
  isRight(given: string): boolean;
}

export function createNodeToken(keys: Pick<Keyring, 'token' | 'isToken'>, clusterId: string): NodeToken {
  return {
    present: () => keys.token('node', clusterId),
    isRight: (given) => keys.isToken('node', clusterId, given),
  };
}

/** Headers between nodes. No client sees them, and none of a client's is believed. */
export const nodeHeaders = {
  token: 'drillyard-node',
  /** The address of the client. */
  client: 'drillyard-client',
  /** In which format the node that forwards it writes: that of its cluster. */
  format: 'drillyard-format',
  /** Of a reply: the node is not the owner, and has done nothing. */
  notOwner: 'drillyard-not-owner',
} as const;
