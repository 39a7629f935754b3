// Two journals read side by side into turns with numbers for what they say.
//   READ-TURNS-1. What both begin with is recognized as text and not looked at any further: the turns that come out are those that
//     reading each by itself would give, as far as they can be told apart.
import { createHash } from 'node:crypto';
import { limits } from '../../contract/limits.js';
import type { RunResult } from '../../contract/run/run.js';
import type { EvidenceEntry } from '../../contract/world/evidence.js';
import { worldTag } from '../../reports/compared-values.js';
import type { AlignedTurn } from './align-turns.js';
import { JournalLines } from './journal-text.js';
import { type RunTurn, TurnReader } from './run-turns.js';

export interface ReadableRun {
  result: Pick<RunResult, 'evidenceRange' | 'identity'>;
  /** From sequence 1 on, as chunks of whole lines; each time it is asked for. */
  evidence: AsyncIterable<string> | Iterable<string>;
  /** Sees every entry of the run but those that both runs begin with. */
  observe: (entry: EvidenceEntry) => void;
}
/** Sees what both runs begin with, once for both, as the left one has it. */
export type ObserveShared = (entry: EvidenceEntry) => void;
export interface NumberedTurn extends AlignedTurn {
  /** Equal for calls of one operation by one actor; undefined for what is no call. */
  like: number | undefined;
  sequence: number;
  virtualTimeUs: number;
  words: string;
  lines: readonly number[];
}
export interface Side {
  turns: NumberedTurn[];
  isComplete: boolean;
  /** Of all that the two do not begin with. */
  digest: string;
}

export async function readTurns(left: ReadableRun, right: ReadableRun, observeShared: ObserveShared): Promise<{ left: Side; right: Side }> {
  const names = new Names();
  const sides = [new SideReader(left, names), new SideReader(right, names)] as const;
  await readBeginning(sides, names, observeShared);
  return { left: await sides[0].finish(), right: await sides[1].finish() };
}

/** Numbers for texts: equal for equal texts of either side. */
class Names {
  readonly #numbers = new Map<string, number>();
  readonly #texts = new Map<string, string>();
  #last = 0;

  /** Of nothing else. */
  fresh(): number {
    this.#last += 1;
    return this.#last;
  }
  number(text: string): number {
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.fresh();
      this.#numbers.set(text, number);
    }
    return number;
  }
  /** One string for all that are equal. */
  text(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    this.#texts.set(text, text);
    return text;
  }
}

class SideReader {
  readonly lines: JournalLines;
  readonly tag: string | undefined;
  readonly fromSequence: number;
  readonly observe: ReadableRun['observe'];
  readonly #turns: NumberedTurn[] = [];
  readonly #names: Names;
  readonly #reader: TurnReader;
  readonly #digest = createHash('sha256');
  #entries = 0;

  constructor({ result, evidence, observe }: ReadableRun, names: Names) {
    this.lines = new JournalLines(evidence);
    this.tag = worldTag(result.identity.worldInstanceId);
    this.fromSequence = result.evidenceRange.fromSequence;
    this.observe = observe;
    this.#names = names;
    const { tag, fromSequence } = this;
    this.#reader = new TurnReader({ tag, fromSequence, observe, take: (turn) => this.#take(turn) });
  }

  /** A turn that both sides have, word for word. */
  takeShared(turn: NumberedTurn, entries: readonly EvidenceEntry[]): void {
    this.#reader.note(`shared ${turn.cause}`, entries);
    this.#keep(turn);
  }

  async finish(): Promise<Side> {
    do {
      for (let line = this.lines.take(); line !== undefined; line = this.lines.take()) this.#reader.add(JSON.parse(line) as EvidenceEntry);
      this.lines.keepFrom();
    } while (await this.lines.more());
    this.#reader.end();
    const isComplete = this.#entries <= limits.comparisonEntriesMax;
    return { turns: this.#turns, isComplete, digest: this.#digest.digest('hex') };
  }

  #take({ cause, like, words, sequence, virtualTimeUs, lines: digests }: RunTurn): void {
    const names = this.#names;
    this.#digest.update(`${cause} ${digests.join()}`);
    const lines = digests.map((line) => names.number(line));
    this.#keep({
      cause: names.number(cause),
      content: lines.length === 1 ? lines[0]! : names.number(lines.join()),
      like: like === undefined ? undefined : names.number(like),
      words: names.text(words),
      ...{ sequence, virtualTimeUs, lines },
    });
  }

  /** All entries are counted; those beyond the bound are not aligned. */
  #keep(turn: NumberedTurn): void {
    this.#entries += turn.lines.length;
    if (this.#entries <= limits.comparisonEntriesMax) this.#turns.push(turn);
  }
}

/** As far as the lines of both sides are the same, which world minted an id apart. What is left of the last turn is read by itself. */
async function readBeginning(sides: readonly [SideReader, SideReader], names: Names, observe: ObserveShared): Promise<void> {
  const [one, other] = sides;
  if (one.fromSequence !== other.fromSequence) return;
  const isShared = (left: string, right: string): boolean =>
    left === right || (one.tag !== undefined && other.tag !== undefined && left === right.replaceAll(other.tag, one.tag));
  let turn: EvidenceEntry[] = [];
  const endTurn = (): void => {
    const [first] = turn;
    if (first === undefined) return;
    const { sequence, virtualTimeUs } = first;
    // Paired with each other for sure, so nobody asks what they are called.
    const numbers = { cause: names.fresh(), content: names.fresh(), lines: turn.map(() => names.fresh()) };
    for (const entry of turn) observe(entry);
    for (const side of sides) side.takeShared({ ...numbers, like: undefined, words: '', sequence, virtualTimeUs }, turn);
    turn = [];
    for (const side of sides) side.lines.keepFrom();
  };
  for (;;) {
    const [left, right] = [one.lines.peek() ?? (await one.lines.peekMore()), other.lines.peek() ?? (await other.lines.peekMore())];
    if (left === undefined || right === undefined) break;
    const entry = JSON.parse(left) as EvidenceEntry;
    if (isShared(left, right)) {
      if (turn.length > 0 && (entry.kind === 'lifecycle' || turn[0]!.transactionId !== entry.transactionId)) endTurn();
      if (entry.sequence >= one.fromSequence && entry.kind !== 'lifecycle') turn.push(entry);
      else if (entry.sequence >= one.fromSequence) observe(entry);
    } else {
      // How a world was made may differ without a difference in what happened in it.
      const there = JSON.parse(right) as EvidenceEntry;
      if (entry.kind !== 'lifecycle' || there.kind !== 'lifecycle') break;
      endTurn();
      one.observe(entry);
      other.observe(there);
    }
    for (const side of sides) side.lines.take();
    if (turn.length === 0) for (const side of sides) side.lines.keepFrom();
  }
  for (const side of sides) side.lines.goBack();
}
