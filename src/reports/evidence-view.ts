// What a report shows of a journal of any length: counts over all of it, and a bounded selection of its entries.
//   EVIDENCE-VIEW-1. The selection depends on the entries and on `cited` only, never on how the lines came.
//   EVIDENCE-VIEW-2. At most the named limits are held in memory, whatever the journal's length.
// An entry goes to the first of these that is not full: the head of the journal; entries near what assertions cite; notable
// entries (calls, faults, checks, lifecycle and whatever failed); the tail. A small journal is therefore shown whole.
import { limits } from '../contract/limits.js';
import type { RunResult } from '../contract/run/run.js';
import type { CitedEntry } from '../contract/run/run-events.js';
import type { EvidenceEntry, EvidenceKind } from '../contract/world/evidence.js';
import { entryIsProblem, entryText } from './entry-text.js';
import { findingsOf } from './findings.js';
import { tuning } from './tuning.js';

export interface ShownEntry {
  /** With its large members replaced by a note when the line is longer than `reportEntryCharsMax`. */
  entry: EvidenceEntry;
  text: string;
  problem: boolean;
}
export interface EvidenceView {
  total: number;
  kinds: { [K in EvidenceKind]?: number };
  /** How many entries fall into each equal part of the run's virtual time. */
  density: number[];
  /** In the order of the journal. */
  shown: ShownEntry[];
  /** Of the shown entries those that assertions refer to. */
  cited: CitedEntry[];
}

export class EvidenceSelection {
  readonly #cited: Set<number>;
  readonly #near: Set<number>;
  readonly #span: { fromUs: number; perBinUs: number };
  readonly #kinds = new Map<EvidenceKind, number>();
  readonly #density: number[] = new Array(tuning.densityBins).fill(0);
  readonly #head = new EvidenceIndex(limits.reportHeadEntriesMax, limits.reportEntriesCharsMax / 2);
  readonly #nearby = new EvidenceIndex(limits.reportCitedEntriesMax, limits.reportEntriesCharsMax / 8);
  readonly #notable = new EvidenceIndex(limits.reportNotableEntriesMax, limits.reportEntriesCharsMax / 4);
  #tail: { entry: EvidenceEntry; chars: number }[] = [];
  #tailChars = 0;
  #total = 0;

  constructor(result: RunResult) {
    this.#cited = citedSequences(result);
    this.#near = new Set([...this.#cited].flatMap(withContext));
    const lengthUs = result.finishedAtVirtualUs - result.startedAtVirtualUs;
    this.#span = { fromUs: result.startedAtVirtualUs, perBinUs: Math.max(lengthUs, 1) / tuning.densityBins };
  }

  /** The next entry of the journal; `chars` is the length of its line. */
  append(entry: EvidenceEntry, chars: number): void {
    this.#total++;
    this.#kinds.set(entry.kind, (this.#kinds.get(entry.kind) ?? 0) + 1);
    const bin = Math.floor((entry.virtualTimeUs - this.#span.fromUs) / this.#span.perBinUs);
    const index = Math.min(Math.max(bin, 0), tuning.densityBins - 1);
    this.#density[index] = (this.#density[index] ?? 0) + 1;
    this.#keep(entry, chars);
  }

  view(): EvidenceView {
    const shown = [...this.#head.entries, ...this.#nearby.entries, ...this.#notable.entries, ...this.#lastEntries()];
    shown.sort((left, right) => left.entry.sequence - right.entry.sequence);
    const cited = shown
      .filter(({ entry }) => this.#cited.has(entry.sequence))
      .map(({ entry, text }) => ({ sequence: entry.sequence, text }));
    const facts = { total: this.#total, kinds: Object.fromEntries(this.#kinds), density: this.#density };
    return { ...facts, shown, cited };
  }

  #lastEntries(): ShownEntry[] {
    const index = new EvidenceIndex(limits.reportTailEntriesMax, limits.reportEntriesCharsMax / 8);
    for (const { entry, chars } of this.#tail.toReversed()) if (!index.take(entry, chars)) break;
    return index.entries;
  }

  #keep(entry: EvidenceEntry, chars: number): void {
    if (this.#head.take(entry, chars)) return;
    if (this.#near.has(entry.sequence) && this.#nearby.take(entry, chars)) return;
    if (isNotable(entry) && this.#notable.take(entry, chars)) return;
    this.#tail.push({ entry, chars });
    this.#tailChars += chars;
    // Now and then, so that dropping old ones costs nothing an entry.
    if (this.#tail.length >= 2 * limits.reportTailEntriesMax || this.#tailChars > 2 * limits.reportEntriesCharsMax) this.#dropOld();
  }

  #dropOld(): void {
    let from = Math.max(this.#tail.length - limits.reportTailEntriesMax, 0);
    this.#tailChars = this.#tail.slice(from).reduce((sum, { chars }) => sum + chars, 0);
    while (this.#tailChars > limits.reportEntriesCharsMax && from < this.#tail.length - 1)
      this.#tailChars -= this.#tail[from++]?.chars ?? 0;
    this.#tail = this.#tail.slice(from);
  }
}

/** A bounded number of entries of bounded size. Once something did not fit it is closed, so that it has no gaps. */
class EvidenceIndex {
  readonly entries: ShownEntry[] = [];
  readonly #entriesMax: number;
  #charsLeft: number;

  constructor(entriesMax: number, charsMax: number) {
    this.#entriesMax = entriesMax;
    this.#charsLeft = charsMax;
  }

  take(entry: EvidenceEntry, chars: number): boolean {
    if (this.entries.length >= this.#entriesMax) return false;
    const cost = Math.min(chars, limits.reportEntryCharsMax);
    if (cost > this.#charsLeft) {
      this.#charsLeft = 0;
      return false;
    }
    this.#charsLeft -= cost;
    this.entries.push(show(entry, chars));
    return true;
  }
}

function show(entry: EvidenceEntry, chars: number): ShownEntry {
  return { entry: chars > limits.reportEntryCharsMax ? clipped(entry) : entry, text: entryText(entry), problem: entryIsProblem(entry) };
}

/** The entry with each large member replaced by a note. Only the members that hold values of the simulation can be large. */
function clipped(entry: EvidenceEntry): EvidenceEntry {
  const clipMembers = (value: object, depth: number): object =>
    Object.fromEntries(
      Object.entries(value).map(([name, member]) => {
        const chars = JSON.stringify(member).length;
        if (chars <= limits.reportMemberCharsMax) return [name, member];
        if (depth > 0 && (name === 'invocation' || name === 'outcome')) return [name, clipMembers(member, depth - 1)];
        return [name, `(${chars} characters: see line ${entry.sequence} of evidence.jsonl)`];
      }),
    );
  return clipMembers(entry, 1) as EvidenceEntry;
}

function isNotable(entry: EvidenceEntry): boolean {
  return entryIsProblem(entry) || ['operation', 'fault_control', 'lifecycle', 'verification', 'callback'].includes(entry.kind);
}

/** What assertions refer to, those that did not pass first. */
function citedSequences(result: RunResult): Set<number> {
  const cited = new Set<number>();
  const add = (sequences: readonly number[]): void => {
    for (const sequence of sequences) if (cited.size < limits.reportCitedEntriesMax) cited.add(sequence);
  };
  for (const { assertion } of findingsOf(result)) add(assertion.evidenceSequences);
  for (const assertion of result.assertionResults) add(assertion.evidenceSequences);
  return cited;
}

function withContext(sequence: number): number[] {
  return Array.from({ length: 2 * tuning.contextEntries + 1 }, (_, index) => sequence - tuning.contextEntries + index);
}
