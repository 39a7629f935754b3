// A journal written by hand, for reports under test: entries in turns, canonical lines, and its digests made with nothing but node:crypto.
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../src/contract/canonical-json.js';
import type { JsonObject, JsonValue } from '../../src/contract/json.js';
import type { EvidenceEntry, ToolOutcome } from '../../src/contract/world/evidence.js';
import { TrajectoryHasher } from '../../src/contract/world/evidence-hash.js';

type Draft<T extends EvidenceEntry = EvidenceEntry> = T extends EvidenceEntry
  ? Omit<T, 'schemaVersion' | 'sequence' | 'transactionId' | 'transactionIndex' | 'transactionSize' | 'virtualTimeUs' | 'correlationId'>
  : never;

const ordinal = (count: number): string => `0h7kq2mv9x4tbn8c${String(count).padStart(10, '0')}`;

export class TestJournal {
  readonly entries: EvidenceEntry[] = [];
  nowUs: number;
  #turns = 0;
  #calls = 0;

  constructor(startUs: number) {
    this.nowUs = startUs;
  }

  get sequence(): number {
    return this.entries.length;
  }

  /** One transaction; effects refer to the first entry as their cause. Gives the sequence of the first. */
  turn(...drafts: Draft[]): number {
    this.#turns++;
    const first = this.sequence + 1;
    drafts.forEach((draft, index) => {
      const common = {
        schemaVersion: 1,
        sequence: first + index,
        transactionId: `txn_${ordinal(this.#turns)}`,
        transactionIndex: index,
        transactionSize: drafts.length,
        virtualTimeUs: this.nowUs,
        correlationId: `corr_${ordinal(this.#turns)}`,
        ...(index > 0 ? { causeSequence: first } : {}),
      };
      this.entries.push({ ...common, ...draft } as EvidenceEntry);
    });
    return first;
  }

  /** A tool call and its effects. */
  call(
    actorId: string,
    operation: string,
    args: JsonValue,
    outcome: ToolOutcome,
    options: { key?: string; effects?: Draft[] } = {},
  ): number {
    const [packageId = '', ...operationId] = operation.split('.');
    this.#calls++;
    return this.turn(
      {
        kind: 'operation',
        actorId,
        invocation: {
          callId: `call_${ordinal(this.#calls)}`,
          packageId,
          instanceId: packageId,
          operationId: operationId.join('.'),
          arguments: args,
          ...(options.key === undefined ? {} : { idempotencyKey: options.key }),
        },
        outcome,
        idempotency: options.key === undefined ? 'not_requested' : 'recorded',
      },
      ...(options.effects ?? []),
    );
  }

  moveClock(toUs: number): void {
    const fromUs = this.nowUs;
    this.nowUs = toUs;
    this.turn({ kind: 'clock', fromUs, toUs, reason: 'explicit' });
  }

  lines(): string[] {
    return this.entries.map((entry) => `${canonicalJson(entry as unknown as JsonValue)}\n`);
  }

  evidenceHash(): string {
    const lines = this.lines();
    const root = createHash('sha256');
    for (let from = 0; from < lines.length; from += 1024) {
      root.update(
        createHash('sha256')
          .update(lines.slice(from, from + 1024).join(''))
          .digest(),
      );
    }
    return `sha256:${root.digest('hex')}`;
  }

  trajectoryHash(): string {
    const hasher = new TrajectoryHasher();
    for (const entry of this.entries) hasher.appendEntry(entry);
    return hasher.digest();
  }
}

export function rowChange(place: string, before: JsonObject | null, after: JsonObject | null): Draft {
  const [packageId = '', namespace = '', ...rowId] = place.split('/');
  const change = before === null ? 'insert' : after === null ? 'delete' : 'update';
  return { kind: 'state_change', packageId, instanceId: packageId, namespace, rowId: rowId.join('/'), change, before, after };
}

export function scheduled(event: string, payload: JsonObject, scheduledForUs: number, ordinalNumber: number): Draft {
  return {
    kind: 'event',
    event: eventRef(event),
    phase: 'scheduled',
    payload,
    scheduledEventId: `pending_${ordinal(ordinalNumber)}`,
    scheduledForUs,
  };
}

export function handled(event: string, payload: JsonObject, ordinalNumber: number): Draft {
  const ref = eventRef(event);
  return {
    kind: 'event',
    event: ref,
    phase: 'handled',
    payload,
    scheduledEventId: `pending_${ordinal(ordinalNumber)}`,
    handlerPackageId: ref.packageId,
    handlerInstanceId: ref.instanceId,
    subscriptionId: 'on-due',
  };
}

function eventRef(event: string): { packageId: string; instanceId: string; eventId: string } {
  const [packageId = '', ...eventId] = event.split('.');
  return { packageId, instanceId: packageId, eventId: eventId.join('.') };
}

export const ok = (value: JsonValue): ToolOutcome => ({ kind: 'ok', value });
