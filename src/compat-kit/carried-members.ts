// The members that the responses of a package carry, and what an earlier run has kept of them in compat/members.json. Many a vendor calls
// nearly every member optional, so that no description of it misses one that a codec leaves out; the record does.
//   CARRIED-MEMBERS-1. A member that the record has is carried: in each object of its place, or, where the record says `?`, in one.
//   CARRIED-MEMBERS-2. The record is what a run gives. What is lost is a finding also where the record is written.
import { ServiceError } from '../contract/errors.js';
import { isRecord } from '../contract/json.js';
import { compareTexts } from '../text/compare-texts.js';
import type { SourcedExchange } from './exchanges.js';
import type { VerifyFinding } from './findings.js';
import { tuning } from './tuning.js';

export const membersFile = 'compat/members.json';

/**
 * By kind of response (a route's id; `error 404` of all routes), then by the place of an object in it (`/results/*`, items of a list are
 * `*`): its members, with `?` behind those that some objects there are without.
 */
export type CarriedMembers = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

interface Place {
  objects: number;
  members: Map<string, number>;
}

export function carriedMembers(exchanges: readonly SourcedExchange[]): CarriedMembers {
  const kinds = new Map<string, Map<string, Place>>();
  let held = 0;
  for (const exchange of exchanges) {
    const kind = kindOf(exchange);
    const value = kind === undefined ? undefined : parsed(exchange.body);
    if (kind === undefined || value === undefined) continue;
    const places = kinds.get(kind) ?? new Map<string, Place>();
    held += count(value, '', places);
    if (places.size > 0) kinds.set(kind, places);
    if (held > tuning.membersHeldMax)
      throw new ServiceError('control.INVALID_REQUEST', { message: `The responses carry more than ${tuning.membersHeldMax} members.` });
  }
  return sorted(kinds, (places) =>
    sorted(places, ({ objects, members }) =>
      [...members].map(([name, times]) => (times === objects ? name : `${name}?`)).sort(compareTexts),
    ),
  );
}

function kindOf({ routeId, status, isError }: SourcedExchange): string | undefined {
  return isError ? `error ${status}` : routeId;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Gives how many members are new. */
function count(value: unknown, at: string, places: Map<string, Place>): number {
  if (value === null || typeof value !== 'object') return 0;
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + count(item, `${at}/*`, places), 0);
  const place = places.get(at || '/') ?? { objects: 0, members: new Map<string, number>() };
  places.set(at || '/', place);
  place.objects += 1;
  let fresh = 0;
  for (const [name, member] of Object.entries(value)) {
    const word = wordOf(name);
    const times = place.members.get(word) ?? 0;
    if (times === 0) fresh += 1;
    place.members.set(word, times + 1);
    fresh += count(member, `${at}/${word}`, places);
  }
  return fresh;
}

/** As in a JSON Pointer, and also what stands for items of a list or behind a member differs from names. */
function wordOf(name: string): string {
  return name === '' ? '~4' : name.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('?', '~2').replaceAll('*', '~3');
}

function sorted<Value, Made>(map: ReadonlyMap<string, Value>, make: (value: Value) => Made): Record<string, Made> {
  const names = [...map.keys()].sort(compareTexts);
  return Object.fromEntries(names.map((name) => [name, make(map.get(name) as Value)]));
}

/** `text`: of the file. */
export function recordedMembers(text: string): CarriedMembers {
  const value = parsed(text);
  const isList = (one: unknown): boolean => Array.isArray(one) && one.every((name) => typeof name === 'string');
  const fits = isRecord(value) && Object.values(value).every((places) => isRecord(places) && Object.values(places).every(isList));
  if (!fits)
    throw new ServiceError('control.INVALID_REQUEST', { message: `${membersFile} is no record of members: write it again with --write.` });
  return value as CarriedMembers;
}

/** One line a place, so that a change of one member is a change of one line. */
export function membersText(members: CarriedMembers): string {
  const kinds = Object.entries(members).map(([kind, places]) => {
    const lines = Object.entries(places).map(([place, names]) => `    ${JSON.stringify(place)}: ${JSON.stringify(names)}`);
    return `  ${JSON.stringify(kind)}: {\n${lines.join(',\n')}\n  }`;
  });
  return kinds.length === 0 ? '{}\n' : `{\n${kinds.join(',\n')}\n}\n`;
}

export function countMembers(members: CarriedMembers): number {
  return Object.values(members).reduce((sum, places) => sum + Object.values(places).flat().length, 0);
}

/** What the record has, and these responses have not. */
export function lostMembers(record: CarriedMembers, carried: CarriedMembers): VerifyFinding[] {
  return Object.entries(record).flatMap(([kind, places]) => {
    const own = carried[kind];
    const faults = own === undefined ? ['no response of it is JSON with members any more'] : Object.entries(places).flatMap(lostAt(own));
    return faults.map((fault): VerifyFinding => ({ kind: 'member_lost', message: `${kind}: ${fault}; ${membersFile} has it.` }));
  });
}

/** Of a place that is gone, what it was the value of is said, where that is gone too. */
function lostAt(own: CarriedMembers[string]): (place: [at: string, names: readonly string[]]) => string[] {
  return ([at, names]) => {
    const members = own[at];
    if (members === undefined) return isCarried(own, at) ? [`no response has an object at ${at}`] : [];
    return names.flatMap((recorded) => {
      const name = recorded.replace(/\?$/, '');
      const place = `${at === '/' ? '' : at}/${name}`;
      if (members.includes(name) || (members.includes(`${name}?`) && recorded !== name)) return [];
      return [members.includes(`${name}?`) ? `a response is without ${place}` : `no response carries ${place}`];
    });
  };
}

function isCarried(own: CarriedMembers[string], at: string): boolean {
  const words = at.split('/');
  while (words.at(-1) === '*') words.pop();
  const name = words.pop() ?? '';
  const members = own[words.join('/') || '/'] ?? [];
  return at === '/' || name === '' || members.includes(name) || members.includes(`${name}?`);
}
