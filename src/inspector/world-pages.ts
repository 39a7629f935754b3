// Pages of a world that is there: one that runs, one to play with, or the copy of a retained one.
import { defined } from '../contract/defined.js';
import type {
  InspectorEvidenceQuery,
  InspectorNamespacesReply,
  InspectorStateQuery,
  InspectorStateReply,
  ScheduledEventsReply,
} from '../contract/inspector/journal.js';
import { limits } from '../contract/limits.js';
import type { EvidenceLinesPage, StatePage } from '../contract/world/world-protocol.js';
import type { WorldRef } from '../worlds/api.js';
import { arrayOfLines, type PageOfEntries } from './journal/page-text.js';

export type Readable = Pick<WorldRef, 'query'>;
type Bare<T> = Omit<T, 'schemaVersion'>;

/** The last entry of a journal that has `known` of them at least; found with few questions, however much it has grown. */
export async function journalHead(world: Readable, known = 0): Promise<number> {
  const has = async (sequence: number): Promise<boolean> => (await linesOf(world, sequence, 1)).count > 0;
  let there = known;
  let step = 1;
  while (await has(there + step)) {
    there += step;
    step *= 2;
  }
  // There is `there`, and `there + step` is not.
  for (let missing = there + step; missing - there > 1; ) {
    const middle = there + Math.floor((missing - there) / 2);
    if (await has(middle)) there = middle;
    else missing = middle;
  }
  return there;
}

export function linesOf(world: Readable, fromSequence: number, limit: number): Promise<EvidenceLinesPage> {
  return world.query({ kind: 'evidenceLines', fromSequence, limit });
}

export async function worldEvidence(world: Readable, query: InspectorEvidenceQuery): Promise<PageOfEntries> {
  const { fromSequence = 1, limit = limits.inspectorEvidencePageEntries, sequences } = query;
  if (sequences !== undefined) {
    const wanted = [...new Set(sequences.split(',').map(Number))].sort((left, right) => left - right);
    const found: Buffer[] = [];
    for (let bytes = 0; found.length < wanted.length && bytes <= limits.pageBytesMax; ) {
      const lines = Buffer.from((await linesOf(world, wanted[found.length] as number, 1)).lines);
      bytes += lines.length;
      if (bytes > limits.pageBytesMax && found.length > 0) break;
      found.push(lines);
    }
    return { entries: arrayOfLines(Buffer.concat(found)), toSequence: await journalHead(world) };
  }
  const page = await linesOf(world, fromSequence, limit);
  const last = page.count === 0 ? 0 : fromSequence + page.count - 1;
  const atEnd = page.nextSequence === undefined && last > 0;
  return {
    entries: arrayOfLines(Buffer.from(page.lines)),
    toSequence: atEnd ? last : await journalHead(world, last),
    ...defined({ nextSequence: page.nextSequence }),
  };
}

export async function worldNamespaces(world: Readable, { atSequence }: { atSequence?: number }): Promise<Bare<InspectorNamespacesReply>> {
  const at = Math.min(atSequence ?? Number.MAX_SAFE_INTEGER, await journalHead(world));
  const namespaces = await world.query({ kind: 'namespaces', ...(atSequence === undefined ? {} : { atSequence: at }) });
  return { atSequence: at, namespaces };
}

export async function worldState(world: Readable, query: InspectorStateQuery): Promise<Bare<InspectorStateReply>> {
  const { packageId, instanceId, namespace, limit = limits.inspectorStatePageRows } = query;
  const at = Math.min(query.atSequence ?? Number.MAX_SAFE_INTEGER, await journalHead(world));
  const space = { packageId, ...defined({ instanceId }), namespace };
  const when = query.atSequence === undefined ? {} : { atSequence: at };
  const { find } = query;
  const afterRowId = query.afterRowId ?? (find === undefined ? undefined : justBefore(find));
  // A page of the world ends early where its rows are large or many, and so does this one.
  const page: StatePage = await world.query({ kind: 'state', ...space, ...when, ...defined({ afterRowId }), limit });
  const rows = find === undefined ? page.rows : page.rows.filter(({ rowId }) => rowId.startsWith(find));
  const isWhole = rows.length < page.rows.length;
  return { atSequence: at, rows, ...defined({ nextAfterRowId: isWhole ? undefined : page.nextAfterRowId }) };
}

/** An id before every one that begins with a text, and after those that come before them. */
function justBefore(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return text.slice(0, -1) + (last === 0 ? '' : `${String.fromCharCode(last - 1)}\u{10ffff}`);
}

export async function worldScheduled(world: Readable): Promise<ScheduledEventsReply> {
  return { schemaVersion: 1, ...(await world.query({ kind: 'pending', limit: limits.pendingEventsShownMax })) };
}
