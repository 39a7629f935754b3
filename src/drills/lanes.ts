// Work on many things in lanes, numbered from 0: within a lane, one thing after the other. Why: docs/decisions/006.
//   LANES-1. The first failure ends it: nothing further starts, and it rejects when what runs has ended.
//   LANES-2. What is left to do of a thing once its lane is free runs beside the next thing, one such rest a lane; all are waited
//     for.
//   LANES-3. There are never more lanes than `lanesMax`. `lanesAtOnce` begin; while they leave the process idle they double at each
//     look, for then what runs in them waits, for a model or the network. While it is busy a further lane would only cost: each starts
//     hosts of its own, and all of them share the same processors.
import { availableParallelism } from 'node:os';
import { limits } from '../contract/limits.js';
import { idleMeter } from './idle-meter.js';

export interface LaneOptions {
  lanesMax: number;
  /** Default: as many as there are processors. */
  lanesAtOnce?: number;
  /** Whether what runs left this process idle since the last call. */
  isIdle?: () => boolean;
}

/** Undefined: nothing is left to do. */
export type Rest = { rest: Promise<void> } | undefined;

export async function forEachInLanes<T>(
  items: readonly T[],
  options: LaneOptions,
  work: (item: T, lane: number) => Promise<Rest>,
): Promise<void> {
  const { lanesAtOnce = availableParallelism() } = options;
  const lanesMax = Math.min(options.lanesMax, items.length);
  const lanes: Promise<void>[] = [];
  let next = 0;
  let failure: { error: unknown } | undefined;
  const isLeft = (): boolean => next < items.length && failure === undefined;
  const fail = (error: unknown): void => {
    failure ??= { error };
  };
  const runLane = async (lane: number): Promise<void> => {
    let rest: Promise<void> | undefined;
    while (isLeft()) {
      const done = await work(items[next++] as T, lane).catch(fail);
      const left = done?.rest.catch(fail);
      await rest;
      rest = left;
    }
    await rest;
  };
  const openUpTo = (count: number): void => {
    while (lanes.length < Math.min(count, lanesMax) && isLeft()) lanes.push(runLane(lanes.length));
  };
  const lookEachTime = (isIdle: () => boolean): NodeJS.Timeout => {
    const look = setInterval(() => {
      if (isIdle()) openUpTo(lanes.length * 2);
      if (lanes.length >= lanesMax || !isLeft()) clearInterval(look);
    }, limits.runLanesLookMs);
    return look;
  };
  openUpTo(lanesAtOnce);
  const look = lanes.length < lanesMax ? lookEachTime(options.isIdle ?? idleMeter()) : undefined;
  // A lane that opens while others are waited for is waited for, too.
  for (let waited = 0; waited < lanes.length; waited++) await lanes[waited];
  clearInterval(look);
  if (failure !== undefined) throw failure.error;
}
