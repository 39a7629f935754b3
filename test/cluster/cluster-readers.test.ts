// How long the owner of the catalog waits for the nodes that read it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Beat } from '../../src/cluster/log.js';
import { clusterReaders } from '../../src/nodes/cluster-readers.js';

type Other = { node: string; address: string; mayServe: boolean };
const silent = (): Promise<never> => new Promise(() => {});

// CLUSTER-READERS-1
test('every node is waited for that may serve; one that does not answer until its lease is over, one that is starting not so long', async () => {
  const answered: string[] = [];
  const ended: string[] = [];
  const others = (...names: string[]): Other[] => names.map((node) => ({ node, address: node, mayServe: node !== 'starting' }));
  const caughtUp = async (name: string, nodes: Other[], tell: (address: string) => Promise<void>): Promise<void> => {
    const members = { others: nodes, refresh: async () => ({ nodes: [] }) as unknown as Beat };
    await clusterReaders({ members: () => members, tell }).caughtUp(7);
    ended.push(name);
  };
  let tries = 0;
  const late = async (address: string): Promise<void> => {
    if (address === 'late' && tries++ < 3) throw new Error('not yet');
    answered.push(address);
  };
  await Promise.all([
    caughtUp('alone', [], silent),
    caughtUp('answering', others('a', 'late'), late),
    caughtUp('starting', others('starting'), silent),
    caughtUp('silent', others('silent'), silent),
  ]);
  assert.deepEqual(answered, ['a', 'late']);
  assert.deepEqual(ended, ['alone', 'answering', 'starting', 'silent']);
});

test('where it is not known who is there, all are waited for', async () => {
  const ended: string[] = [];
  const starting = { node: 'starting', address: 'starting', mayServe: false };
  const caughtUp = async (name: string, refresh: () => Promise<undefined>, mayServe: boolean): Promise<void> => {
    const members = { others: [{ ...starting, mayServe }], refresh };
    await clusterReaders({ members: () => members, tell: silent }).caughtUp(7);
    ended.push(name);
  };
  await Promise.all([caughtUp('unknown', async () => undefined, false), caughtUp('serving', async () => undefined, true)]);
  assert.deepEqual(ended.sort(), ['serving', 'unknown']);
});
