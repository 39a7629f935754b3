// A wait of several slices over MCP, and the progress that its client has heard.
import assert from 'node:assert/strict';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Bank } from '../worlds/bank-kit.js';

export async function hearLongWait(client: Client, bank: Bank): Promise<number[]> {
  const due = (atUs: number) => ({
    event: { packageId: 'bank', eventId: 'due' },
    payload: { account: 'other', amount: 0 },
    atUs,
    actorId: 'clerk',
  });
  await bank.run({ kind: 'schedule', events: Array.from({ length: 60_000 }, (_, index) => due(1000 + index)) });
  const heard: number[] = [];
  const { structuredContent } = await client.callTool({ name: 'world.wait', arguments: { untilUs: 100_000 } }, undefined, {
    onprogress: ({ progress }) => heard.push(progress),
  });
  assert.deepEqual(structuredContent, { virtualTimeUs: 100_000, reached: true });
  assert.ok(heard.length > 0, 'a wait of several slices is heard of');
  return heard;
}
