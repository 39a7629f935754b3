// How a node stands, as figures that are asked for at each scrape.
import type { HomePhase } from './log.js';
import type { Homes } from './node-homes.js';
import { entriesBehind } from './overview.js';

export interface NodeFigures {
  nodes: { joining: number; ready: number; leaving: number; drained: number; gone: number };
  homes: { [phase in HomePhase]: number };
  copies: { home: number; entriesBehind: number; seconds: number }[];
  beatAgeSeconds: number;
  logUnavailableSeconds: number;
}

/** Undefined before the first beat. */
export function nodeFigures(homes: Homes): NodeFigures | undefined {
  const { members, follower } = homes;
  const copyAgesMs = follower.ages;
  const { last, own, beatAgeMs, unavailableMs } = members;
  if (last === undefined || own === undefined || beatAgeMs === undefined) return undefined;
  const nodes = { joining: 0, ready: 0, leaving: 0, drained: 0, gone: 0 };
  for (const { node, state, isDrained } of last.nodes) nodes[!members.isAlive(node) ? 'gone' : isDrained ? 'drained' : state] += 1;
  const phases = { following: copyAgesMs.size, taking: 0, owned: 0, leaving: 0, closed: 0 };
  for (const { home } of last.homes) if (homes.phaseOf(home) !== 'following') phases[homes.phaseOf(home)] += 1;
  const copies = last.homes.flatMap((state) => {
    const ageMs = copyAgesMs.get(state.home);
    if (ageMs === undefined) return [];
    const behind = { ...own, followed: follower.positions, held: {} };
    return [{ home: state.home, entriesBehind: entriesBehind(last.nodes, state, behind), seconds: ageMs / 1000 }];
  });
  return { nodes, homes: phases, copies, beatAgeSeconds: beatAgeMs / 1000, logUnavailableSeconds: unavailableMs / 1000 };
}
