import assert from 'node:assert/strict';
import test from 'node:test';
import { canonicalJson } from '../../src/contract/canonical-json.js';
import type { JsonObject, JsonValue } from '../../src/contract/json.js';
import type { EntryCommon, EvidenceEntry } from '../../src/contract/world/evidence.js';
import type { EntryDraft } from '../../src/worlds/journal/entry-draft.js';
import type { EventShapeParts } from '../../src/worlds/journal/journal-shapes.js';
import { mintedId } from '../../src/worlds/kv/minted-ids.js';
import type { WorldState } from '../../src/worlds/state/world-state.js';
import fc from '../fast-check.js';
import { commitNow, newWorld, tag, temporaryStore } from './storage-kit.js';

const name = fc.constantFrom('desk', 'desk-2', 'pay_ments', 'x');
const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const json = fc.jsonValue({ depthSize: 'small' }).map((value) => JSON.parse(JSON.stringify(value)) as JsonValue);
const object = fc.dictionary(text, json, { maxKeys: 4 }) as fc.Arbitrary<JsonObject>;
const error = fc.record({ code: name, message: text, retryable: fc.boolean() });
const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });

const outcome = fc.oneof(
  json.map((value) => ({ kind: 'ok' as const, value })),
  error.map((problem) => ({ kind: 'tool_error' as const, error: problem })),
);
const drafts: fc.Arbitrary<EntryDraft> = fc.oneof(
  fc.record({
    kind: fc.constant('operation' as const),
    invocation: fc.record({ callId: text, packageId: name, instanceId: name, operationId: name, arguments: json }),
    actorId: name,
    outcome,
    idempotency: fc.constantFrom('not_requested' as const, 'recorded' as const),
    replayedFromSequence: maybe(fc.nat()),
    toolOverride: maybe(fc.record({ scope: fc.constant('run' as const), id: name, outcome: fc.constant('return' as const) })),
  }),
  fc.record({
    kind: fc.constant('callback' as const),
    callbackId: name,
    packageId: name,
    instanceId: name,
    deliveryId: text,
    receiverId: name,
    phase: fc.constantFrom('queued' as const, 'failed' as const),
    attempt: maybe(fc.nat()),
    status: maybe(fc.nat()),
    retryAtUs: maybe(fc.nat()),
    error: maybe(error),
  }),
  fc.record({
    kind: fc.constant('fault' as const),
    packageId: name,
    instanceId: name,
    faultId: name,
    operationId: name,
    timing: fc.constant('latency' as const),
    latencyUs: maybe(fc.nat()),
  }),
  fc.record({
    kind: fc.constant('fault_control' as const),
    packageId: name,
    instanceId: name,
    faultId: name,
    active: fc.boolean(),
    changed: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('random' as const),
    packageId: name,
    instanceId: name,
    purpose: text,
    method: fc.constant('nextFloat' as const),
    value: fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true })),
  }),
  fc.record({ kind: fc.constant('clock' as const), fromUs: fc.integer(), toUs: fc.integer(), reason: fc.constant('wait' as const) }),
  fc.record({ kind: fc.constant('lifecycle' as const), phase: fc.constant('world_reset' as const), details: object }),
  fc.record({
    kind: fc.constant('verification' as const),
    checkpointId: text,
    checkpointKind: fc.constant('final' as const),
    result: fc.record({
      verdict: fc.constant('passed' as const),
      assertions: fc.array(fc.record({ assertionId: name, status: text, gate: fc.boolean() }), { maxLength: 2 }),
    }),
  }),
) as fc.Arbitrary<EntryDraft>;

type Step =
  | { kind: 'draft'; entry: EntryDraft; causeBack: number }
  | { kind: 'later'; entry: EntryDraft }
  | { kind: 'row'; rowId: string; value: JsonObject | null; causeBack: number }
  | {
      kind: 'event';
      parts: EventShapeParts;
      payload: JsonObject;
      scheduled: { ordinal: number; forUs: number } | undefined;
      causeBack: number;
      error: { code: string; message: string; retryable: boolean } | undefined;
    };

const causeBack = fc.nat({ max: 3 });
const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('draft' as const), entry: drafts, causeBack }),
  fc.record({ kind: fc.constant('later' as const), entry: drafts }),
  fc.record({ kind: fc.constant('row' as const), rowId: fc.constantFrom('a', 'b', 'ü"\n', '𝒳'), value: fc.option(object), causeBack }),
  fc.record({
    kind: fc.constant('event' as const),
    parts: fc.record({
      event: fc.record({ packageId: name, instanceId: name, eventId: name }),
      phase: fc.constantFrom('emitted' as const, 'handled' as const, 'failed' as const),
      handlerPackageId: maybe(name),
      handlerInstanceId: maybe(name),
      subscriptionId: maybe(name),
    }),
    payload: object,
    scheduled: maybe(fc.record({ ordinal: fc.nat(), forUs: fc.maxSafeInteger() })),
    causeBack,
    error: maybe(error),
  }),
);
const turns = fc.array(
  fc.record({
    steps: fc.array(steps, { maxLength: 6 }),
    rolledBack: fc.array(steps, { maxLength: 4 }),
    atUs: fc.integer(),
    commit: fc.boolean(),
  }),
  { maxLength: 8 },
);

// JOURNAL-COLUMNS-1
test('every line is the canonical JSON of its entry, whatever was drafted, undone, committed and read from where', (context) => {
  const store = temporaryStore(context);
  fc.assert(
    fc.property(turns, (script) => {
      const world = newWorld(store);
      const rows = new Map<string, JsonObject>();
      const expected: EvidenceEntry[] = world.journal.read(1, 1);
      script.forEach(({ steps: kept, rolledBack, atUs, commit }, index) => {
        world.beginTurn();
        runSteps(world, rolledBack, new Map(rows));
        world.rollbackEffects();
        const before = world.journal.sequence;
        const entries = runSteps(world, kept, rows);
        world.endTurn({ virtualTimeUs: atUs, correlationOrdinal: index });
        const transactionId = mintedId('txn_', tag, expected.length === 0 ? 1 : transactionOrdinal(expected) + 1);
        entries.forEach((entry, position) => {
          const common: EntryCommon = {
            schemaVersion: 1,
            sequence: before + 1 + position,
            transactionId,
            transactionIndex: position,
            transactionSize: entries.length,
            virtualTimeUs: atUs,
            correlationId: mintedId('corr_', tag, index),
          };
          expected.push({ ...common, ...entry } as EvidenceEntry);
        });
        if (commit) commitNow(world, {});
      });
      const lines = expected.map((entry) => `${canonicalJson(entry as unknown as JsonObject)}\n`);
      assert.equal(world.journal.lines(1, 10_000).lines, lines.join(''));
      assert.equal(world.journal.lines(3, 2).lines, lines.slice(2, 4).join(''));
      commitNow(world, {});
      const again = store.loadWorld(world.worldId, 2) as WorldState;
      assert.equal(again.journal.lines(1, 10_000).lines, lines.join(''));
      assert.deepEqual(again.journal.read(2, 3), JSON.parse(JSON.stringify(expected.slice(1, 4))));
    }),
    { numRuns: 150 },
  );
});

function transactionOrdinal(entries: readonly EvidenceEntry[]): number {
  return new Set(entries.map((entry) => entry.transactionId)).size;
}

/** What the journal should hold of them, without the common members. */
function runSteps(world: WorldState, script: readonly Step[], rows: Map<string, JsonObject>): object[] {
  const { journal, records } = world;
  const space = records.space('desk', 'desk-2', 'tickets');
  const entries: object[] = [];
  const start = journal.sequence;
  const later: { sequence: number; entry: EntryDraft }[] = [];
  for (const step of script) {
    const cause =
      'causeBack' in step && step.causeBack > 0 && journal.sequence + 1 > step.causeBack
        ? { causeSequence: journal.sequence + 1 - step.causeBack }
        : {};
    if (step.kind === 'draft') {
      assert.equal(journal.draft({ ...step.entry, ...cause }), journal.sequence);
      entries.push({ ...step.entry, ...cause });
    } else if (step.kind === 'later') {
      later.push({ sequence: journal.reserve(), entry: step.entry });
      entries.push(step.entry);
    } else if (step.kind === 'event') {
      const { parts, payload, scheduled, error: problem } = step;
      journal.draftEvent(journal.eventShape(parts), {
        payloadText: canonicalJson(payload),
        ...cause,
        scheduledOrdinal: scheduled?.ordinal,
        scheduledForUs: scheduled?.forUs,
        error: problem,
      });
      const ids =
        scheduled === undefined ? {} : { scheduledEventId: mintedId('pending_', tag, scheduled.ordinal), scheduledForUs: scheduled.forUs };
      entries.push({ kind: 'event', ...parts, payload, ...cause, ...ids, error: problem });
    } else {
      const before = rows.get(step.rowId) ?? null;
      journal.causeSequence = cause.causeSequence ?? 0;
      if (step.value === null) assert.equal(records.delete(space, step.rowId), before !== null);
      else records.put(space, step.rowId, step.value, canonicalJson(step.value));
      if (step.value === null && before === null) continue;
      if (step.value === null) rows.delete(step.rowId);
      else rows.set(step.rowId, step.value);
      const change = before === null ? 'insert' : step.value === null ? 'delete' : 'update';
      const { packageId, instanceId, namespace } = space;
      entries.push({
        kind: 'state_change',
        packageId,
        instanceId,
        namespace,
        rowId: step.rowId,
        change,
        before,
        after: step.value,
        ...cause,
      });
    }
  }
  for (const { sequence, entry } of later) journal.fill(sequence, entry);
  assert.equal(journal.sequence - start, entries.length);
  return entries;
}
