// What expressions are shown of a journal: calls and events, kept once for all expressions of a judge, and only those that one of them
// names.
// Each is written as JSON when it is observed, so that no later moment has to write all of them.
import type { JsonObject, JsonValue } from '../../contract/json.js';
import { limits } from '../../contract/limits.js';
import type { Assertion } from '../../contract/run/assertion.js';
import type { EvidenceEntry } from '../../contract/world/evidence.js';

export class RunFacts {
  readonly calls: EntriesOfKind;
  readonly events: EntriesOfKind;
  readonly journal: ShownJournal;

  constructor(assertions: readonly Assertion[]) {
    const texts = assertions.flatMap((assertion) => (assertion.kind === 'expr' ? [assertion.expression] : []));
    this.calls = new EntriesOfKind('operations', texts);
    this.events = new EntriesOfKind('events', texts);
    this.journal = new ShownJournal(assertions.some(({ kind }) => kind === 'custom'));
  }

  observe(entry: EvidenceEntry): void {
    this.journal.add(entry);
    if (entry.kind === 'operation') this.calls.add(entry.sequence, () => callFacts(entry));
    if (entry.kind === 'event') this.events.add(entry.sequence, () => eventFacts(entry));
  }
}

/** What judges are shown of the journal: its beginning, kept once for all of them. */
class ShownJournal {
  readonly entries: EvidenceEntry[] = [];
  /** Further ones. */
  left = 0;
  /** Of the entries, as JSON. */
  chars = 0;
  readonly #isNeeded: boolean;

  constructor(isNeeded: boolean) {
    this.#isNeeded = isNeeded;
  }
  add(entry: EvidenceEntry): void {
    if (!this.#isNeeded) return;
    const isFull = this.left > 0 || this.entries.length === limits.customJudgeEntriesMax;
    const chars = isFull ? 0 : this.chars + JSON.stringify(entry).length;
    if (isFull || chars > limits.customJudgeJournalCharsMax) {
      this.left += 1;
      return;
    }
    this.chars = chars;
    this.entries.push(entry);
  }
}

/** Entries of one kind, in order. */
class EntriesOfKind {
  readonly sequences: number[] = [];
  readonly facts: JsonObject[] = [];
  readonly texts: string[] = [];
  readonly name: string;
  readonly #named: RegExp;
  readonly #isNeeded: boolean;
  /** Of the texts together. */
  chars = 0;
  /** Why those kept are not all there are. */
  cut: string | undefined;

  constructor(name: 'operations' | 'events', expressions: readonly string[]) {
    this.name = name;
    this.#named = new RegExp(`\\b${name}\\b`);
    this.#isNeeded = expressions.some((text) => this.isNamedIn(text));
  }
  isNamedIn(expression: string): boolean {
    return this.#named.test(expression);
  }
  add(sequence: number, facts: () => JsonObject): void {
    if (!this.#isNeeded || this.cut !== undefined) return;
    if (this.facts.length === limits.exprEntriesMax) {
      this.cut = `there are more than ${limits.exprEntriesMax} ${this.name}`;
      return;
    }
    const made = facts();
    const text = JSON.stringify(made);
    this.chars += text.length;
    if (this.chars > limits.exprViewCharsMax) this.cut = tooLarge;
    this.facts.push(made);
    this.texts.push(text);
    if (this.sequences.length < limits.citedSequencesMax) this.sequences.push(sequence);
  }
}

export const tooLarge = `what it looks at is larger than ${limits.exprViewCharsMax / 1024 / 1024} MiB`;

function callFacts(entry: Extract<EvidenceEntry, { kind: 'operation' }>): JsonObject {
  const { sequence, virtualTimeUs, actorId, idempotency, outcome, committedOutcome } = entry;
  const { packageId, instanceId, operationId, arguments: given, idempotencyKey } = entry.invocation;
  return {
    ...{ sequence, virtualTimeUs, actorId, packageId, instanceId, operationId, arguments: given, idempotency },
    outcome: outcome as unknown as JsonObject,
    ...(committedOutcome === undefined ? {} : { committedOutcome: committedOutcome as unknown as JsonObject }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  };
}

function eventFacts({ sequence, virtualTimeUs, event, phase, payload }: Extract<EvidenceEntry, { kind: 'event' }>): JsonObject {
  return { sequence, virtualTimeUs, ...event, phase, payload };
}

/** The JSON text of rows and outputs, by identity: each is written once, however many expressions read it. */
const texts = new WeakMap<object, string>();
export function textOf(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  let text = texts.get(value);
  if (text === undefined) {
    text = JSON.stringify(value);
    texts.set(value, text);
  }
  return text;
}
