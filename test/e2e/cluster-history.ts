// What clients of a cluster asked and were answered, by the one clock of the process that asks, and what must be true of it afterwards.
//   rule 1 of the history. An acknowledged call is in the journal of its world once, with the outcome that was answered.
//   rule 2 of the history. A key is executed at most once, and a call without one at most once, whatever became of its answer.
//   rule 3 of the history. Of two calls of a world the one that began after the other was answered stands behind it.
//   rule 4 of the history. A read that began after an answer, of a call or of a read, sees nothing older.
import { isDeepStrictEqual } from 'node:util';
import type { EvidenceEntry, OperationEntry } from '../../src/contract/world/evidence.js';

/** One request of an agent. A second try with the same key is an entry of its own. */
export interface AskedCall {
  world: string;
  node: string;
  /** No other call has it, but for tries with the same key. It stands in the arguments. */
  text: string;
  key?: string;
  askedAtMs: number;
  /** Absent: no answer, or one that leaves the outcome open. */
  answer?: { atMs: number; callId: string; outcome: unknown };
}
/** How far somebody saw the journal of a world. */
export interface SeenPosition {
  world: string;
  node: string;
  askedAtMs: number;
  answeredAtMs: number;
  sequence: number;
}
export interface Journal {
  world: string;
  entries: readonly EvidenceEntry[];
}
export interface Finding {
  kind: 'lost' | 'doubled' | 'different' | 'disordered' | 'stale';
  world: string;
  what: string;
}
export interface HistoryResult {
  acknowledged: number;
  unknown: number;
  /** Of the unknown: in the journal all the same, once. */
  foundUnknown: number;
  reads: number;
  findings: Finding[];
}

export class ClusterHistory {
  readonly calls: AskedCall[] = [];
  readonly reads: SeenPosition[] = [];

  check(journals: readonly Journal[]): HistoryResult {
    const findings: Finding[] = [];
    const result: HistoryResult = { acknowledged: 0, unknown: 0, foundUnknown: 0, reads: this.reads.length, findings };
    const worlds = new Set([...this.calls, ...this.reads].map(({ world }) => world));
    for (const world of worlds) {
      const journal = journals.find((one) => one.world === world);
      const calls = this.calls.filter((call) => call.world === world);
      const place = new JournalIndex(journal?.entries ?? []);
      const known = calls.flatMap((call) => (call.answer === undefined ? [] : [{ call, answer: call.answer }]));
      result.acknowledged += known.length;
      result.unknown += calls.length - known.length;
      const add = (kind: Finding['kind'], what: string): number => findings.push({ kind, world, what });
      const points: Point[] = [];
      for (const { call, answer } of known) {
        const found = place.ofCall(answer.callId);
        if (found.length === 0) add('lost', `${call.text} (${answer.callId}), answered by ${call.node}`);
        if (found.length > 1) add('doubled', `${call.text}: ${answer.callId} stands at ${found.map(({ sequence }) => sequence)}`);
        const [entry] = found;
        if (entry === undefined) continue;
        if (!isDeepStrictEqual(entry.outcome, answer.outcome)) add('different', `${call.text} at ${entry.sequence}`);
        points.push({ from: call.askedAtMs, to: answer.atMs, sequence: entry.sequence, what: call.text, isRead: false });
      }
      const asked = new Map<string, AskedCall[]>();
      for (const call of calls) asked.set(call.text, [...(asked.get(call.text) ?? []), call]);
      for (const [text, tries] of asked) {
        const executed = place.executed(text);
        if (executed > 1) add('doubled', `${text} was executed ${executed} times`);
        const isKnown = tries.some(({ answer }) => answer !== undefined);
        if (isKnown && executed === 0) add('lost', `${text} was acknowledged and never executed`);
        if (!isKnown && executed === 1) result.foundUnknown += 1;
      }
      for (const { askedAtMs, answeredAtMs, sequence, world: _, node } of this.reads.filter((read) => read.world === world))
        points.push({ from: askedAtMs, to: answeredAtMs, sequence, what: `a read by ${node}`, isRead: true });
      for (const { point, before } of orderFaults(points))
        add(point.isRead ? 'stale' : 'disordered', `${point.what} at ${point.sequence}, begun after ${before} was answered`);
    }
    return result;
  }
}

/** Something that was answered between two moments, and at or up to which entry of the journal it stands. */
interface Point {
  from: number;
  to: number;
  sequence: number;
  what: string;
  isRead: boolean;
}

/** Points that stand before something that had been answered before they began. */
function orderFaults(points: readonly Point[]): { point: Point; before: number }[] {
  const answered = [...points].sort((one, other) => one.to - other.to);
  const begun = [...points].sort((one, other) => one.from - other.from);
  let next = 0;
  let highest = 0;
  const faults: { point: Point; before: number }[] = [];
  for (const point of begun) {
    for (let other = answered[next]; other !== undefined && other.to < point.from; other = answered[++next])
      highest = Math.max(highest, other.sequence);
    // A read may see exactly what was answered; a call has an entry of its own.
    if (point.isRead ? point.sequence < highest : point.sequence <= highest) faults.push({ point, before: highest });
  }
  return faults;
}

class JournalIndex {
  readonly #byCall = new Map<string, OperationEntry[]>();
  /** By the text in the arguments: entries that did something. */
  readonly #executed = new Map<string, number>();

  constructor(entries: readonly EvidenceEntry[]) {
    for (const entry of entries) {
      if (entry.kind !== 'operation') continue;
      const { callId, arguments: given } = entry.invocation;
      this.#byCall.set(callId, [...(this.#byCall.get(callId) ?? []), entry]);
      const text = textOf(given);
      if (text === undefined || entry.idempotency === 'replayed' || entry.outcome.kind !== 'ok') continue;
      this.#executed.set(text, (this.#executed.get(text) ?? 0) + 1);
    }
  }

  ofCall(callId: string): readonly OperationEntry[] {
    return this.#byCall.get(callId) ?? [];
  }

  executed(text: string): number {
    return this.#executed.get(text) ?? 0;
  }
}

const textOf = (given: unknown): string | undefined => {
  const { body } = (given ?? {}) as { body?: unknown };
  return typeof body === 'string' ? body : undefined;
};

/** A line for people; nothing else is printed of a check that found nothing. */
export function shownFindings({ findings }: Pick<HistoryResult, 'findings'>): string {
  return findings
    .slice(0, 20)
    .map(({ kind, world, what }) => `${kind} in ${world}: ${what}`)
    .join('\n');
}
