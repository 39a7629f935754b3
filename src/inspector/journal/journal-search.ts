// Search over a whole journal: the bytes of its lines are looked through as they lie in the file, and only what matches becomes text.
//   JOURNAL-SEARCH-1. Text is compared as the entry's JSON has it, upper and lower case apart.
// It continues in slices; a caller that has gone stops it between two.
import { defined } from '../../contract/defined.js';
import type { SearchMatch, SearchQuery, SearchReply } from '../../contract/inspector/journal.js';
import { limits } from '../../contract/limits.js';
import type { EvidenceEntry } from '../../contract/world/evidence.js';
import { evidenceKinds } from '../../contract/world/evidence.js';
import { tuning } from '../tuning.js';
import { codeOf } from './entry-scan.js';
import type { JournalFile } from './journal-file.js';

const newline = 10;

/** Yields between two slices. */
export function* searchJournal(journal: JournalFile, query: SearchQuery): Generator<undefined, Omit<SearchReply, 'schemaVersion'>> {
  const { fromSequence = 1, view = 'matches' } = query;
  const wanted = view === 'matches' ? (query.limit ?? limits.inspectorSearchMatches) : limits.inspectorSearchSequencesMax;
  const isWanted = kindFilter(journal, query.kind);
  const found = new SearchResult(query, view);
  const needle = needleOf(query);
  const hits = needle === undefined ? kindHits(journal, fromSequence, isWanted) : textHits(journal, { fromSequence, needle, isWanted });
  for (const hit of hits) {
    if (hit === undefined) yield undefined;
    else if (found.add(hit, journal) && found.count > wanted) break;
  }
  return { ...found.reply(wanted), toSequence: journal.length };
}

interface Hit {
  sequence: number;
  /** Absent where only the kind was asked for, and the line was not read. */
  line?: Buffer;
}

class SearchResult {
  readonly #query: SearchQuery;
  readonly #view: 'matches' | 'sequences';
  readonly #matches: SearchMatch[] = [];
  readonly #sequences: number[] = [];

  constructor(query: SearchQuery, view: 'matches' | 'sequences') {
    this.#query = query;
    this.#view = view;
  }

  get count(): number {
    return this.#view === 'matches' ? this.#matches.length : this.#sequences.length;
  }

  /** False when it is none after all. */
  add({ sequence, line }: Hit, journal: JournalFile): boolean {
    const { q, packageId, actorId } = this.#query;
    const isNamed = packageId !== undefined || actorId !== undefined;
    if (this.#view === 'sequences' && !isNamed) {
      this.#sequences.push(sequence);
      return true;
    }
    const text = (line ?? journal.lines(sequence, sequence)).toString().trimEnd();
    if (isNamed && !(text.includes(q ?? '') && isAbout(JSON.parse(text) as EvidenceEntry, this.#query))) return false;
    if (this.#view === 'sequences') this.#sequences.push(sequence);
    else this.#matches.push(matchOf(journal, sequence, text, q));
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
function needleOf({ q, packageId, actorId }: SearchQuery): Buffer | undefined {
  const needles = [
    q ?? '',
    packageId === undefined ? '' : `"packageId":${JSON.stringify(packageId)}`,
    actorId === undefined ? '' : `"actorId":${JSON.stringify(actorId)}`,
  ];
  const needle = needles.reduce((longest, one) => (one.length > longest.length ? one : longest));
  return needle === '' ? undefined : Buffer.from(needle);
}

function kindFilter({ kinds }: JournalFile, list: string | undefined): (sequence: number) => boolean {
  if (list === undefined) return () => true;
  const wanted = new Set(list.split(',').map((kind) => codeOf(kind as EvidenceEntry['kind'])));
  return (sequence) => wanted.has(kinds.at(sequence - 1));
}

function* kindHits(journal: JournalFile, fromSequence: number, isWanted: (sequence: number) => boolean): Generator<Hit | undefined> {
  for (let sequence = fromSequence; sequence <= journal.length; sequence++) {
    if (isWanted(sequence)) yield { sequence };
    if (sequence % tuning.searchEntriesAtOnce === 0) yield undefined;
  }
}

interface TextSearch {
  fromSequence: number;
  needle: Buffer;
  isWanted: (sequence: number) => boolean;
}
/** Lines that hold the needle, each once; undefined after each piece of the file. */
function* textHits(journal: JournalFile, { fromSequence, needle, isWanted }: TextSearch): Generator<Hit | undefined> {
  // JSON writes it as an escape; a match would reach over two lines.
  if (needle.includes(newline)) return;
  for (const { bytes, first } of journal.linePieces(fromSequence)) {
    let sequence = first;
    let lineStart = 0;
    for (let at = bytes.indexOf(needle); at >= 0; ) {
      // Lines up to the one that holds it.
      for (let end = bytes.indexOf(newline, lineStart); end < at; end = bytes.indexOf(newline, lineStart)) {
        lineStart = end + 1;
        sequence++;
      }
      const lineEnd = bytes.indexOf(newline, at) + 1;
      if (sequence >= fromSequence && isWanted(sequence)) yield { sequence, line: bytes.subarray(lineStart, lineEnd) };
      at = bytes.indexOf(needle, lineEnd);
    }
    yield undefined;
  }
}

function isAbout(entry: EvidenceEntry, { packageId, actorId }: SearchQuery): boolean {
  const about = 'invocation' in entry ? entry.invocation : 'event' in entry ? entry.event : entry;
  const packages = 'packageId' in about ? about.packageId : undefined;
  return (
    (packageId === undefined || packages === packageId) && (actorId === undefined || ('actorId' in entry && entry.actorId === actorId))
  );
}

const around = { before: 60, after: 180 };

function matchOf(journal: JournalFile, sequence: number, text: string, q: string | undefined): SearchMatch {
  const found = q === undefined ? 0 : Math.max(text.indexOf(q), 0);
  const start = Math.max(0, found - around.before);
  const preview = wellFormed(text.slice(start, found + (q?.length ?? 0) + around.after));
  return {
    sequence,
    kind: evidenceKinds[journal.kinds.at(sequence - 1)] as SearchMatch['kind'],
    virtualTimeUs: journal.times.at(sequence - 1),
    preview,
    at: found - start,
    length: q?.length ?? 0,
  };
}

/** A cut may part a surrogate pair. */
function wellFormed(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '\ufffd');
}
