// What of a run has to be known before it is compared, gathered as its entries pass: which entry caused which, and which entry last changed
// each row. Values stay in the journal.
import { firstNotBelow, growingFloats } from '../../collections/growing.js';
import { canonicalJson } from '../../contract/canonical-json.js';
import type { JsonObject } from '../../contract/json.js';
import type { StatePatch } from '../../contract/world/scenario.js';
import { withoutTag } from '../../reports/compared-values.js';
import { digestOf } from './digest-column.js';
import type { JournalLine } from './journal-line.js';

export interface RowName {
  packageId: string;
  instanceId: string;
  namespace: string;
  rowId: string;
}
export interface TracedRow {
  name: RowName;
  /** Absent: as the run began. */
  sequence?: number;
  /** Of the row, which world it is in apart; undefined where there is none any more. */
  digest: string | undefined;
}

/** What was gathered, as another thread can have it. */
export interface Traced {
  tag: string | undefined;
  /** Sequences of all entries, rising, and of what caused each; 0: nothing in the journal. */
  sequences: Float64Array<ArrayBuffer>;
  causes: Float64Array<ArrayBuffer>;
  /** Rows that the run changed, by their names without the tag. */
  changed: Map<string, TracedRow>;
  /** False for a run whose rows do not follow from its start and its journal. */
  isWhole: boolean;
}

export class TraceRecorder {
  readonly #tag: string | undefined;
  readonly #sequences = growingFloats();
  readonly #causes = growingFloats();
  /** By the text of the row in the line. `after`: as JSON. */
  readonly #changed = new Map<string, { name: RowName; sequence: number; after: string }>();
  #isWhole = true;

  constructor(tag: string | undefined) {
    this.#tag = tag;
  }

  observe(line: JournalLine): void {
    this.#sequences.push(line.sequence);
    this.#causes.push(line.cause);
    // What a fork or a reset begins with is in no journal of its own.
    if (line.name === 'lifecycle' && partingPhases.has(line.text('phase'))) this.#isWhole = false;
    if (line.name !== 'state_change') return;
    const [text, after] = [line.rowText(), line.written('after')];
    const known = this.#changed.get(text);
    if (known === undefined) {
      const name = {
        ...{ packageId: line.text('packageId'), instanceId: line.text('instanceId') },
        ...{ namespace: line.text('namespace'), rowId: line.text('rowId') },
      };
      this.#changed.set(text, { name, sequence: line.sequence, after });
    } else {
      known.sequence = line.sequence;
      known.after = after;
    }
  }

  traced(): Traced {
    const changed = new Map<string, TracedRow>();
    // Most rows of a long run change many times, and only what they are at its end is compared.
    for (const { name, sequence, after } of this.#changed.values())
      changed.set(rowKey(name, this.#tag), { name, sequence, digest: after === 'null' ? undefined : rowDigest(after, this.#tag) });
    const [sequences, causes] = [this.#sequences.values(), this.#causes.values()];
    return { tag: this.#tag, sequences, causes, changed, isWhole: this.#isWhole };
  }
}

export class RunTrace {
  readonly #traced: Traced;
  readonly #start: readonly StatePatch[] | undefined;

  /** `start`: what the run began with. */
  constructor(traced: Traced, start: readonly StatePatch[] | undefined) {
    this.#traced = traced;
    this.#start = start;
  }

  /** 0: nothing in the journal. */
  causeOf(sequence: number): number {
    const { sequences, causes } = this.#traced;
    const place = firstNotBelow(sequences, sequence);
    return sequences[place] === sequence ? causes[place]! : 0;
  }

  /** Whether the rows at the end follow from what it began with and the journal. */
  knowsRows(): boolean {
    return this.#start !== undefined && this.#traced.isWhole;
  }
  /** Names, which both runs have, of the rows that it changed. */
  changedKeys(): Iterable<string> {
    return this.#traced.changed.keys();
  }
  startKeys(): Iterable<string> {
    return this.#startRows().keys();
  }
  /** As it is at the end; undefined where there was none at any time. */
  row(key: string): TracedRow | undefined {
    const changed = this.#traced.changed.get(key);
    if (changed !== undefined) return changed;
    const start = this.#startRows().get(key);
    return start === undefined ? undefined : { name: start.name, digest: rowDigest(canonicalJson(start.value), this.#traced.tag) };
  }
  /** Of a row that is as the run began. */
  startValue(name: RowName): JsonObject | undefined {
    return this.#startRows().get(rowKey(name, this.#traced.tag))?.value;
  }

  #startOnce: Map<string, { name: RowName; value: JsonObject }> | undefined;
  #startRows(): Map<string, { name: RowName; value: JsonObject }> {
    if (this.#startOnce !== undefined) return this.#startOnce;
    const rows = new Map<string, { name: RowName; value: JsonObject }>();
    for (const patch of this.#start ?? []) {
      const { packageId, instanceId = packageId, namespace, rowId } = patch;
      const name = { packageId, instanceId, namespace, rowId };
      if (patch.action === 'upsert') rows.set(rowKey(name, this.#traced.tag), { name, value: patch.value });
      else rows.delete(rowKey(name, this.#traced.tag));
    }
    this.#startOnce = rows;
    return rows;
  }
}

function rowKey({ packageId, instanceId, namespace, rowId }: RowName, tag: string | undefined): string {
  return withoutTag(`${packageId}\n${instanceId}\n${namespace}\n${rowId}`, tag);
}
/** `row`: canonical JSON. */
function rowDigest(row: string, tag: string | undefined): string {
  return digestOf(withoutTag(row, tag));
}
const partingPhases: ReadonlySet<string> = new Set(['world_forked', 'world_reset']);
