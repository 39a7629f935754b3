// Who answers at the address of a node, asked by a connection of its own.
//   WHO-IS-THERE-1. An address leads to a node only where that node says its name. One that takes the connection and does not answer in
//     time may be busy: it counts as there, as one that cannot say its name yet.
import { limits } from '../contract/limits.js';
import { answerOf, type NodeName, type NodeRequest, nodePath } from './node-door.js';
import { type NodeToken, nodeHeaders } from './node-token.js';
import { OwnerConnections } from './owner-connections.js';

/** `no_node`: nobody, or something that is no node of this cluster. `silent`: a node, as far as is known, that says nothing of itself. */
export type WhoIsThere = { node: string } | 'silent' | 'no_node';

export async function whoIsThere(address: string, { token, format }: { token: NodeToken; format: number }): Promise<WhoIsThere> {
  const body = Buffer.from(JSON.stringify({ kind: 'who' } satisfies NodeRequest));
  const headers = ['host', new URL(address).host, 'content-type', 'application/json', 'content-length', String(body.length)];
  headers.push(nodeHeaders.token, token.present(), nodeHeaders.format, String(format));
  const connections = new OwnerConnections({ connectionsMax: 1 });
  const exchange = connections.send({ address, method: 'POST', target: nodePath, headers, body });
  const timer = setTimeout(() => exchange.breakOff(), limits.ownerReachMs);
  try {
    const reply = await exchange.answer;
    if (reply === 'unsent') return 'no_node';
    if (reply === 'lost' || reply.status >= 500) return 'silent';
    if (reply.status !== 200) return 'no_node';
    return named(await reply.whole());
  } finally {
    clearTimeout(timer);
    exchange.breakOff();
    connections.close();
  }
}

function named(body: Uint8Array | undefined): WhoIsThere {
  if (body === undefined) return 'silent';
  try {
    // A node of an earlier version answers with nothing.
    const said = answerOf(JSON.parse(Buffer.from(body).toString())) as NodeName | null;
    return said === null ? 'silent' : { node: said.node };
  } catch {
    return 'no_node';
  }
}
