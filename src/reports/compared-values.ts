// Two entries, or two rows, held against each other member by member. Pure, for the command line, the service and the page alike.
//   COMPARED-VALUES-1. Which world minted an id makes no difference, nor does where an entry stands; what was asked, with which key, and
//     what was answered does.
import type { ComparedMember } from '../contract/hosted/runs.js';
import type { JsonObject, JsonValue } from '../contract/json.js';
import { diffJson } from '../contract/json-diff.js';
import { limits } from '../contract/limits.js';
import type { EvidenceEntry } from '../contract/world/evidence.js';
import { cutWhereTheyDiffer } from '../text/cut-text.js';
import { valueTexts } from './comparison-words.js';

/** What stands in ids of two worlds where each has a tag of its own; equal ones need nothing. */
export interface WorldTags {
  left: string | undefined;
  right: string | undefined;
}

/** `abc` of `world_abc`: what every id has that the world minted. */
export function worldTag(worldInstanceId: string): string | undefined {
  return /^world_([0-9a-z]+)$/.exec(worldInstanceId)?.[1];
}

export function worldTagsOf(worldInstanceIds: readonly string[]): string[] {
  return worldInstanceIds.flatMap((id) => worldTag(id) ?? []);
}

const neutral = '\u2026';
export function withoutTag(text: string, tag: string | undefined): string {
  return tag === undefined || !text.includes(tag) ? text : text.replaceAll(tag, neutral);
}

/** What an entry says, without what only places it: sequences, transactions, ids of calls and deliveries, its time. */
function saidBy(entry: EvidenceEntry): JsonObject {
  const said: { [name: string]: unknown } = { ...entry };
  for (const name of placing) delete said[name];
  if (entry.kind === 'operation') {
    const { callId: _, ...invocation } = entry.invocation;
    said.invocation = invocation;
  }
  return said as JsonObject;
}
const placing = [
  ...[
    'schemaVersion',
    'sequence',
    'transactionId',
    'transactionIndex',
    'transactionSize',
    'virtualTimeUs',
    'correlationId',
    'causeSequence',
  ],
  ...['scheduledEventId', 'deliveryId'],
];

/** The first members that differ, and how many do: `membersTotal` where those are not all. */
export interface ComparedMembers {
  members: ComparedMember[];
  membersTotal?: number;
}

/** The time only where nothing else differs. Each part of an entry has a bound of its own: many arguments hide no answer. */
export function entryMembers(left: EvidenceEntry, right: EvidenceEntry, tags: WorldTags): ComparedMembers {
  const [one, other] = [partsOf(left), partsOf(right)];
  const names = new Set([...one.keys(), ...other.keys()]);
  const found = [...names].map((name) =>
    valueMembers(one.get(name)?.value, other.get(name)?.value, tags, (one.get(name) ?? other.get(name))!.path),
  );
  const members = found.flatMap((part) => part.members);
  if (members.length === 0 && left.virtualTimeUs !== right.virtualTimeUs)
    return { members: [{ path: ['virtualTimeUs'], left: left.virtualTimeUs, right: right.virtualTimeUs }] };
  return comparedMembers(
    members,
    found.reduce((total, part) => total + (part.membersTotal ?? part.members.length), 0),
  );
}

/** At most 200 (json-diff.ts). `within`: where the values stand. */
export function valueMembers(
  left: JsonValue | undefined,
  right: JsonValue | undefined,
  tags: WorldTags,
  within: ComparedMember['path'] = [],
): ComparedMembers {
  const isTagged = tags.left !== tags.right;
  const { changes, total } = isTagged ? diffJson(neutralized(left, tags.left), neutralized(right, tags.right)) : diffJson(left, right);
  const members = changes.map(({ path }) => comparedMember([...within, ...path], at(left, path, tags.left), at(right, path, tags.right)));
  return comparedMembers(members, total);
}

function comparedMembers(members: ComparedMember[], total: number): ComparedMembers {
  return total > members.length ? { members, membersTotal: total } : { members };
}

/** What an entry says by the names at its top; of a call also what was asked. */
function partsOf(entry: EvidenceEntry): Map<string, { path: string[]; value: JsonValue }> {
  const parts = Object.entries(saidBy(entry)).flatMap(([name, value]) =>
    name === 'invocation'
      ? Object.entries(value as JsonObject).map(([asked, of]) => ({ path: [name, asked], value: of }))
      : [{ path: [name], value }],
  );
  return new Map(parts.map((part) => [part.path.join('/'), part]));
}

function neutralized(value: JsonValue | undefined, tag: string | undefined): JsonValue | undefined {
  if (value === undefined || tag === undefined) return value;
  const text = JSON.stringify(value);
  return text.includes(tag) ? (JSON.parse(text.replaceAll(tag, neutral)) as JsonValue) : value;
}

/** The value at a path of what was neutralized: a member may be named by an id. */
function at(value: JsonValue | undefined, path: readonly (string | number)[], tag: string | undefined): JsonValue | undefined {
  let found: unknown = value;
  for (const step of path) {
    if (typeof found !== 'object' || found === null) return undefined;
    const name = Object.hasOwn(found, step) ? step : Object.keys(found).findLast((key) => withoutTag(key, tag) === step);
    if (name === undefined) return undefined;
    found = (found as { [name: string | number]: unknown })[name];
  }
  return found as JsonValue | undefined;
}

/** Texts that are too long are cut around the first place where they differ, on both sides alike. */
function comparedMember(path: ComparedMember['path'], left: JsonValue | undefined, right: JsonValue | undefined): ComparedMember {
  const texts = valueTexts(left, right);
  const cut = cutWhereTheyDiffer(texts, limits.comparisonValueCharsMax);
  return {
    path,
    ...(left === undefined ? {} : { left: cut[0] === texts[0] ? left : cut[0] }),
    ...(right === undefined ? {} : { right: cut[1] === texts[1] ? right : cut[1] }),
    ...(cut[0] === texts[0] && cut[1] === texts[1] ? {} : { isCut: true as const }),
  };
}
