// Search over a whole journal: the bytes of its lines are looked through as they lie in the file, and only what matches becomes text.
//   JOURNAL-SEARCH-1. Text is compared as the entry's JSON has it, upper and lower case alike.
// It continues in slices; a caller that has gone stops it between two.
import { defined } from '../../contract/defined.js';
import type { SearchMatch, SearchQuery, SearchReply } from '../../contract/inspector/journal.js';
import { limits } from '../../contract/limits.js';
import type { EvidenceEntry } from '../../contract/world/evidence.js';
import { evidenceKinds } from '../../contract/world/evidence.js';
import { codeOf } from '../../reports/entry-scan.js';
import { foldCase } from '../../text/fold-case.js';
import { tuning } from '../tuning.js';
import type { JournalFile } from './journal-file.js';
import { TextNeedle } from './text-needle.js';

const newline = 10;

/** Yields between two slices. */
export function* searchJournal(journal: JournalFile, query: SearchQuery): Generator<undefined, Omit<SearchReply, 'schemaVersion'>> {
  const { view = 'matches' } = query;
  const range = { from: query.fromSequence ?? 1, to: Math.min(query.toSequence ?? journal.length, journal.length) };
  const wanted = view === 'matches' ? (query.limit ?? limits.inspectorSearchMatches) : limits.inspectorSearchSequencesMax;
  const isWanted = columnFilter(journal, query);
  const found = new SearchResult(query, view);
  const text = rarestText(query);
  // JSON writes a newline as an escape; a match would reach over two lines.
  if (text?.includes('\n') === true) return { ...found.reply(wanted), toSequence: journal.length };
  const hits = text === undefined ? columnHits(range, isWanted) : textHits(journal, { range, needle: new TextNeedle(text), isWanted });
  for (const hit of hits) {
    if (hit === undefined) yield undefined;
    else if (found.add(hit, journal) && found.count > wanted) break;
  }
  return { ...found.reply(wanted), toSequence: journal.length };
}

interface Hit {
  sequence: number;
  /** Absent where the columns alone decided, and the line was not read. */
  line?: Buffer;
}

class SearchResult {
  readonly #query: SearchQuery;
  readonly #view: 'matches' | 'sequences';
  readonly #matches: SearchMatch[] = [];
  readonly #sequences: number[] = [];
  /** The bytes that were found need not be what was asked for. */
  readonly #isLineRead: boolean;
  readonly #q: string;

  constructor(query: SearchQuery, view: 'matches' | 'sequences') {
    this.#query = query;
    this.#view = view;
    this.#q = foldCase(query.q ?? '');
    const { packageId, actorId, operationId, outcome, q = '' } = query;
    const isNamed = packageId !== undefined || actorId !== undefined || operationId !== undefined;
    // Which calls were ok is in the columns.
    this.#isLineRead = isNamed || (outcome !== undefined && outcome !== 'ok') || !new TextNeedle(q || 'q').isSure;
  }

  get count(): number {
    return this.#view === 'matches' ? this.#matches.length : this.#sequences.length;
  }

  /** False when it is none after all. */
  add({ sequence, line }: Hit, journal: JournalFile): boolean {
    if (this.#view === 'sequences' && !this.#isLineRead) {
      this.#sequences.push(sequence);
      return true;
    }
    const text = (line ?? journal.lines(sequence, sequence)).toString().trimEnd();
    if (this.#isLineRead && !(foldCase(text).includes(this.#q) && isAbout(text, this.#query))) return false;
    if (this.#view === 'sequences') this.#sequences.push(sequence);
    else this.#matches.push(matchOf(journal, sequence, { text, q: this.#q }));
    return true;
  }

  reply(wanted: number): Pick<SearchReply, 'matches' | 'sequences' | 'nextSequence'> {
    const matches = this.#matches.slice(0, wanted);
    const next = this.#view === 'matches' ? this.#matches[wanted]?.sequence : this.#sequences[wanted];
    return {
      matches,
      ...(this.#view === 'sequences' ? { sequences: this.#sequences.slice(0, wanted) } : {}),
      ...defined({ nextSequence: next }),
    };
  }
}

/** What every match has in its line. The longest, because it is the rarest. */
function rarestText({ q, packageId, actorId, operationId }: SearchQuery): string | undefined {
  const texts = [
    q ?? '',
    packageId === undefined ? '' : member('packageId', packageId),
    actorId === undefined ? '' : member('actorId', actorId),
    operationId === undefined ? '' : member('operationId', operationId),
  ];
  const text = texts.reduce((longest, one) => (one.length > longest.length ? one : longest));
  return text === '' ? undefined : text;
}

const member = (name: string, value: string): string => `"${name}":${JSON.stringify(value)}`;

/** What the index knows of an entry without its line: its kind, and whether it failed. */
function columnFilter({ kinds, failures }: JournalFile, query: SearchQuery): (sequence: number) => boolean {
  const { kind: list, operationId, outcome, problems } = query;
  const isOfCalls = operationId !== undefined || outcome !== undefined;
  const named = list?.split(',').map((kind) => codeOf(kind as EvidenceEntry['kind']));
  const calls = codeOf('operation');
  const wanted = Uint8Array.from(evidenceKinds, (_, code) =>
    (named === undefined || named.includes(code)) && (!isOfCalls || code === calls) ? 1 : 0,
  );
  const always = new Set([codeOf('fault'), codeOf('refused_request')]);
  return (sequence) => {
    const kind = kinds.at(sequence - 1);
    if (wanted[kind] !== 1) return false;
    const isFailed = failures.at(sequence - 1) === 1;
    if (problems === 'only' && !isFailed && !always.has(kind)) return false;
    return outcome === undefined || isFailed !== (outcome === 'ok');
  };
}

/** Both ends belong to it. */
interface SequenceRange {
  from: number;
  to: number;
}

function* columnHits({ from, to }: SequenceRange, isWanted: (sequence: number) => boolean): Generator<Hit | undefined> {
  for (let sequence = from; sequence <= to; sequence++) {
    if (isWanted(sequence)) yield { sequence };
    if (sequence % tuning.searchEntriesAtOnce === 0) yield undefined;
  }
}

interface TextSearch {
  range: SequenceRange;
  needle: TextNeedle;
  isWanted: (sequence: number) => boolean;
}
/** Lines that hold the needle, each once; undefined after each piece of the file. */
function* textHits(journal: JournalFile, { range: { from, to }, needle, isWanted }: TextSearch): Generator<Hit | undefined> {
  for (const { bytes, first } of journal.linePieces(from)) {
    if (first > to) return;
    let sequence = first;
    let lineStart = 0;
    for (let at = needle.find(bytes, 0); at >= 0; ) {
      // Lines up to the one that holds it.
      for (let end = bytes.indexOf(newline, lineStart); end < at; end = bytes.indexOf(newline, lineStart)) {
        lineStart = end + 1;
        sequence++;
      }
      const lineEnd = bytes.indexOf(newline, at) + 1;
      if (sequence >= from && sequence <= to && isWanted(sequence)) yield { sequence, line: bytes.subarray(lineStart, lineEnd) };
      at = needle.find(bytes, lineEnd);
    }
    yield undefined;
  }
}

function isAbout(line: string, { packageId, actorId, operationId, outcome }: SearchQuery): boolean {
  if (packageId === undefined && operationId === undefined && outcome === undefined) {
    // The members of an entry are in order, and no name comes before this one.
    if (actorId === undefined || line.startsWith(`{${member('actorId', actorId)}`)) return true;
  }
  const entry = JSON.parse(line) as EvidenceEntry;
  const about = 'invocation' in entry ? entry.invocation : 'event' in entry ? entry.event : entry;
  return (
    (packageId === undefined || ('packageId' in about && about.packageId === packageId)) &&
    (actorId === undefined || ('actorId' in entry && entry.actorId === actorId)) &&
    (operationId === undefined || ('operationId' in about && about.operationId === operationId)) &&
    (outcome === undefined || (entry.kind === 'operation' && entry.outcome.kind === outcome))
  );
}

/** `q`: of one case. */
function matchOf(journal: JournalFile, sequence: number, { text, q }: { text: string; q: string }): SearchMatch {
  const found = Math.max(foldCase(text).indexOf(q), 0);
  const start = Math.max(0, found - tuning.matchCharsBefore);
  const preview = wellFormed(text.slice(start, found + q.length + tuning.matchCharsAfter));
  return {
    sequence,
    kind: evidenceKinds[journal.kinds.at(sequence - 1)] as SearchMatch['kind'],
    virtualTimeUs: journal.times.at(sequence - 1),
    preview,
    at: found - start,
    length: q.length,
  };
}

/** A cut may part a surrogate pair. */
function wellFormed(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '\ufffd');
}
