// One take of a home: it is claimed, its copy read up to the claim, and it is opened behind a fence. One that is lost meanwhile is not
// opened, or closed again. Does not own when a home is taken (node-homes.ts).
import type { Appender } from './appender.js';
import { type Claimant, claimHome } from './claim-home.js';
import { waitOn } from './clock.js';
import type { Follower } from './follower.js';
import type { HomeKeeper } from './home-keeper.js';
import type { HomeState } from './log.js';
import { type ClusterMeter, kindOfTake, TakeTimer } from './meter.js';
import type { NodeHome } from './node-home.js';
import { tuning } from './tuning.js';

export interface Taker extends Claimant {
  keeper: HomeKeeper;
  appender: Appender;
  follower: Follower;
  meter: ClusterMeter;
  /** When this node started. */
  startedMs: number;
  /** Whether the log had the home as this node's when it started and it was not taken since: true once. */
  takesUp(home: number): boolean;
  isOver(): boolean;
}

export async function takeHome(taker: Taker, { home, owner, epoch: expected }: HomeState, mine: NodeHome): Promise<void> {
  const { log, clock, node, members, keeper, appender, follower, meter, startedMs, takesUp, isOver } = taker;
  const kind = kindOfTake(owner, node, () => takesUp(home));
  const timer = new TakeTimer(clock, kind === 'silence' ? members.seenMsOf(owner as string) : undefined);
  const epoch = await claimHome(taker, { home, owner, expected }, mine);
  if (epoch === undefined || isOver()) return;
  mine.epoch = epoch;
  timer.end('claim');
  const end = (await log.ends([home])).get(home) ?? 0;
  await follower.reach(home, end);
  timer.end('reading');
  appender.own(home, epoch, end);
  const fence = await appender.fence(home);
  if (fence.outcome === 'lost') return;
  await keeper.apply(home, [], { after: end, upTo: fence.sequence });
  if (owner === node && members.alive.length > 1) mine.quietUntilMs = Math.max(mine.quietUntilMs, startedMs + tuning.aliveMs);
  while (clock.now() < mine.quietUntilMs) await waitOn(clock, mine.quietUntilMs - clock.now());
  if (mine.isLost || isOver()) return;
  await keeper.open(home, epoch);
  if (mine.isLost) {
    await keeper.close(home, 'lost');
    return;
  }
  mine.phase = 'owned';
  timer.end('opening');
  meter.taken(kind, timer.parts);
}
