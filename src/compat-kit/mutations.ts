// Whether checkResponse sees anything at all: recorded responses are spoiled, a member at a time, and it has to notice one of them. A
// checker that lets everything pass proves nothing.
//   MUTATIONS-1. Each route with a JSON object among its successes has a member whose loss, or whose value of another type, is noticed.
import { compareTexts } from '../text/compare-texts.js';
import type { CompatDefinition } from './definition.js';
import { type SourcedExchange, shownOf } from './exchanges.js';
import type { VerifyFinding } from './findings.js';
import { tuning } from './tuning.js';

/** A member of a route's responses, and what became of it. */
export interface SpoiledMember {
  routeId: string;
  how: 'lost' | 'changed';
  /** `results`, `*`, `id`: a list's items are `*`. */
  path: readonly string[];
  /** Where the response came from. */
  from: SourcedExchange['from'];
}
type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type Mutation = Omit<SpoiledMember, 'routeId'>;
type Group = readonly { exchange: SourcedExchange; value: Json }[];

export async function noticeMutations(
  exchanges: readonly SourcedExchange[],
  checkResponse: CompatDefinition['checkResponse'],
): Promise<{ noticed: SpoiledMember[]; unnoticed: SpoiledMember[]; findings: VerifyFinding[] }> {
  const noticed: SpoiledMember[] = [];
  const unnoticed: SpoiledMember[] = [];
  const findings: VerifyFinding[] = [];
  const faultsOf = (body: string, exchange: SourcedExchange) => checkResponse({ ...shownOf(exchange), body });
  for (const [routeId, group] of [...successesByRoute(exchanges)].sort(([one], [other]) => compareTexts(one, other))) {
    const found = await firstOf(group, spoilings, async (body, exchange) => (await faultsOf(body, exchange)).length > 0);
    const optional = await firstOf(group, losses, async (body, exchange) => (await faultsOf(body, exchange)).length === 0);
    if (optional !== undefined) unnoticed.push({ routeId, ...optional });
    if (found !== undefined) noticed.push({ routeId, ...found });
    else findings.push({ kind: 'response_unproved', message: `${routeId}: checkResponse takes any response of it, whatever is missing.` });
  }
  return { noticed, unnoticed, findings };
}

/** Those with members alone; what flows have shown first, which do the same in each run whatever drills there are. */
function successesByRoute(exchanges: readonly SourcedExchange[]): Map<string, { exchange: SourcedExchange; value: Json }[]> {
  const groups = new Map<string, { exchange: SourcedExchange; value: Json }[]>();
  const drills = exchanges.filter(({ from }) => from === 'conformance');
  for (const exchange of [...exchanges.filter(({ from }) => from !== 'conformance'), ...drills]) {
    if (exchange.routeId === undefined || exchange.isError) continue;
    const value = jsonOf(exchange.body);
    if (value === undefined || pathsOf(value).length === 0) continue;
    const group = groups.get(exchange.routeId) ?? [];
    groups.set(exchange.routeId, group);
    if (group.length < tuning.responsesSpoiledMax) group.push({ exchange, value });
  }
  return groups;
}

function jsonOf(body: string): Json | undefined {
  try {
    return JSON.parse(body) as Json;
  } catch {
    return undefined;
  }
}

interface Way {
  how: Mutation['how'];
  order(paths: string[][]): string[][];
}
const spoilings: readonly Way[] = [
  { how: 'lost', order: (paths) => paths },
  { how: 'changed', order: (paths) => paths },
];
/** The inner ones first: of them descriptions say the least. */
const losses: readonly Way[] = [{ how: 'lost', order: (paths) => paths.toReversed() }];

async function firstOf(
  group: Group,
  ways: readonly Way[],
  isIt: (body: string, exchange: SourcedExchange) => Promise<boolean>,
): Promise<Mutation | undefined> {
  for (const { how, order } of ways)
    for (const { exchange, value } of group)
      for (const path of order(pathsOf(value)).slice(0, tuning.membersSpoiledMax))
        if (await isIt(JSON.stringify(spoiled(value, path, how)), exchange)) return { how, path, from: exchange.from };
  return undefined;
}

/** Of its members, the outer ones first. */
function pathsOf(value: Json, depth = tuning.spoiledDepthMax): string[][] {
  if (value === null || typeof value !== 'object' || depth === 0) return [];
  const inner = Array.isArray(value)
    ? pathsOf(value[0] ?? null, depth - 1).map((path) => ['*', ...path])
    : Object.entries(value).flatMap(([name, member]) => pathsOf(member, depth - 1).map((path) => [name, ...path]));
  const own = Array.isArray(value) ? [] : Object.keys(value).map((name) => [name]);
  return [...own, ...inner].toSorted((one, other) => one.length - other.length);
}

/** In all items of a list at once. What becomes of a value is of a type that no member of an API has. */
function spoiled(value: Json, [name, ...rest]: readonly string[], how: Mutation['how']): Json {
  if (name === undefined || value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item) => spoiled(item, rest, how));
  const { [name]: member, ...others } = value;
  if (member === undefined) return value;
  if (rest.length > 0) return { ...value, [name]: spoiled(member, rest, how) };
  return how === 'lost' ? others : { ...value, [name]: [[[member]]] };
}
