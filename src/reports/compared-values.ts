// Two entries, or two rows, held against each other member by member. Pure, for the command line, the service and the page alike.
//   COMPARED-VALUES-1. Which world minted an id makes no difference, nor does where an entry stands; what was asked, with which key, and
//     what was answered does.
import type { ComparedMember } from '../contract/hosted/runs.js';
import type { JsonObject, JsonValue } from '../contract/json.js';
import { diffJson } from '../contract/json-diff.js';
import { limits } from '../contract/limits.js';
import type { EvidenceEntry } from '../contract/world/evidence.js';
import { beginningOf } from '../text/cut-text.js';

/** What stands in ids of two worlds where each has a tag of its own; equal ones need nothing. */
export interface WorldTags {
  left: string | undefined;
  right: string | undefined;
}

/** `abc` of `world_abc`: what every id has that the world minted. */
export function worldTag(worldInstanceId: string): string | undefined {
  return /^world_([0-9a-z]+)$/.exec(worldInstanceId)?.[1];
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

/** The time only where nothing else differs. */
export function entryMembers(left: EvidenceEntry, right: EvidenceEntry, tags: WorldTags): ComparedMember[] {
  const members = valueMembers(saidBy(left), saidBy(right), tags);
  if (members.length > 0 || left.virtualTimeUs === right.virtualTimeUs) return members;
  return [{ path: ['virtualTimeUs'], left: left.virtualTimeUs, right: right.virtualTimeUs }];
}

/** At most 200 (json-diff.ts). */
export function valueMembers(left: JsonValue | undefined, right: JsonValue | undefined, tags: WorldTags): ComparedMember[] {
  const changes = tags.left === tags.right ? diffJson(left, right) : diffJson(neutralized(left, tags.left), neutralized(right, tags.right));
  return changes.map(({ path }): ComparedMember => {
    const [before, after] = [shown(at(left, path)), shown(at(right, path))];
    return {
      path,
      ...(before.value === undefined ? {} : { left: before.value }),
      ...(after.value === undefined ? {} : { right: after.value }),
      ...(before.isCut || after.isCut ? { isCut: true as const } : {}),
    };
  });
}

function neutralized(value: JsonValue | undefined, tag: string | undefined): JsonValue | undefined {
  if (value === undefined || tag === undefined) return value;
  const text = JSON.stringify(value);
  return text.includes(tag) ? (JSON.parse(text.replaceAll(tag, neutral)) as JsonValue) : value;
}

function at(value: JsonValue | undefined, path: readonly (string | number)[]): JsonValue | undefined {
  let found: unknown = value;
  for (const step of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, step)) return undefined;
    found = (found as { [name: string | number]: unknown })[step];
  }
  return found as JsonValue | undefined;
}

function shown(value: JsonValue | undefined): { value: JsonValue | undefined; isCut: boolean } {
  if (value === undefined || typeof value === 'number' || typeof value === 'boolean') return { value, isCut: false };
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (text.length <= limits.comparisonValueCharsMax) return { value, isCut: false };
  return { value: `${beginningOf(text, limits.comparisonValueCharsMax)}…`, isCut: true };
}
