// A part of a run, for machines that share the work: by drill, so that a gate over the trials of a drill is decided in one place.
//   SHARD-1. The shards of one count are disjoint, and together they are everything.
//   SHARD-2. Where a drill goes depends on its id and the count alone: adding, removing or filtering others moves nothing; a further shard
//     takes drills from the others and moves none between them (rendezvous hashing).
import { createHash } from 'node:crypto';
import { limits } from '../../contract/limits.js';

export interface Shard {
  /** From 1. */
  index: number;
  count: number;
}

export function isInShard(drillId: string, { index, count }: Shard): boolean {
  let best = { weight: '', shard: 0 };
  for (let shard = 1; shard <= count; shard++) {
    const weight = createHash('sha256').update(`${shard}/${drillId}`).digest('hex');
    if (weight > best.weight) best = { weight, shard };
  }
  return best.shard === index;
}

export function isShard({ index, count }: Shard): boolean {
  return Number.isInteger(index) && Number.isInteger(count) && index >= 1 && index <= count && count <= limits.runShardsMax;
}

/** `2/3`; undefined when it is not that. */
export function parseShard(text: string): Shard | undefined {
  const [, index, count] = /^(\d{1,5})\/(\d{1,5})$/.exec(text) ?? [];
  const shard = { index: Number(index), count: Number(count) };
  return isShard(shard) ? shard : undefined;
}

export function shardText({ index, count }: Shard): string {
  return `${index}/${count}`;
}
