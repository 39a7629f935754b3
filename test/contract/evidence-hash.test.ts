import assert from 'node:assert/strict';
import { constants } from 'node:buffer';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import canonicalize from 'canonicalize';
import type { EvidenceEntry } from '../../src/contract/world/evidence.js';
import { EvidenceHasher, TrajectoryHasher } from '../../src/contract/world/evidence-hash.js';
import fc from '../fast-check.js';

const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest();

/** From the words of docs/evidence.md, with nothing of ours. */
function recompute(lines: readonly string[]): string {
  const leaves: Buffer[] = [];
  for (let first = 0; first < lines.length; first += 1024) {
    leaves.push(
      sha256(
        lines
          .slice(first, first + 1024)
          .map((line) => `${line}\n`)
          .join(''),
      ),
    );
  }
  return `sha256:${sha256(Buffer.concat(leaves)).toString('hex')}`;
}

test('an empty journal hashes the empty string', () => {
  assert.equal(new EvidenceHasher().digest(), 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  assert.equal(new TrajectoryHasher().digest(), new EvidenceHasher().digest());
});

// EVIDENCE-HASH-1, EVIDENCE-HASH-2
test('the digest is that of the leaves, around every leaf border and whenever it is asked', () => {
  const lines = Array.from({ length: 3100 }, (_, index) => `{"sequence":${index + 1},"text":"zażółć"}`);
  const hasher = new EvidenceHasher();
  lines.forEach((line, index) => {
    hasher.appendLine(line);
    const count = index + 1;
    if (count % 1024 < 2 || count % 1024 === 1023 || count === lines.length)
      assert.equal(hasher.digest(), recompute(lines.slice(0, count)));
  });
});

test('a leaf may be longer than the longest string', () => {
  const line = 'x'.repeat(525_000);
  assert.ok(1024 * line.length > constants.MAX_STRING_LENGTH);
  const hasher = new EvidenceHasher();
  const leaf = createHash('sha256');
  for (let count = 0; count < 1024; count++) {
    hasher.appendLine(line);
    leaf.update(`${line}\n`);
  }
  assert.equal(hasher.digest(), `sha256:${createHash('sha256').update(leaf.digest()).digest('hex')}`);
});

const ids = fc.record({
  transactionId: fc.string(),
  correlationId: fc.string(),
  callId: fc.string(),
  idempotencyKey: fc.option(fc.string(), { nil: undefined }),
});
const drafts = fc.array(
  fc.record({ kind: fc.constantFrom('operation', 'event', 'callback', 'lifecycle'), text: fc.string({ unit: 'grapheme' }) }),
  {
    maxLength: 20,
  },
);

/** A made-up journal: `drafts` is what happened, `ids` is who asked. */
function journal(
  what: { kind: string; text: string }[],
  who: { transactionId: string; correlationId: string; callId: string; idempotencyKey: string | undefined },
): EvidenceEntry[] {
  return what.map(({ kind, text }, index) => {
    const common = {
      schemaVersion: 1,
      sequence: index + 1,
      transactionId: who.transactionId,
      transactionIndex: 0,
      transactionSize: 1,
      virtualTimeUs: 5,
      correlationId: who.correlationId,
    };
    const { idempotencyKey } = who;
    const invocation = { callId: who.callId, packageId: 'p', instanceId: 'p', operationId: 'o', arguments: { text, callId: 'stays' } };
    if (kind === 'operation')
      return {
        ...common,
        kind,
        actorId: 'a',
        outcome: { kind: 'ok', value: text },
        idempotency: 'recorded',
        invocation: { ...invocation, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) },
      };
    if (kind === 'event')
      return {
        ...common,
        kind,
        event: { packageId: 'p', instanceId: 'p', eventId: 'e' },
        phase: 'handled',
        payload: { text },
        scheduledEventId: who.callId,
      };
    if (kind === 'callback')
      return {
        ...common,
        kind,
        callbackId: 'c',
        packageId: 'p',
        instanceId: 'p',
        receiverId: 'r',
        phase: 'queued',
        deliveryId: who.callId,
      };
    return { ...common, kind: 'lifecycle', phase: 'world_created', details: { text } };
  }) as EvidenceEntry[];
}
const trajectory = (entries: EvidenceEntry[]) => {
  const hasher = new TrajectoryHasher();
  for (const entry of entries) hasher.appendEntry(entry);
  return hasher.digest();
};

test('a trajectory is the same for every caller, and is what the words of the contract say', () => {
  fc.assert(
    fc.property(drafts, ids, ids, (what, who, other) => {
      const entries = journal(what, who);
      assert.equal(trajectory(entries), trajectory(journal(what, other)));
      const lines = entries
        .filter((entry) => entry.kind !== 'lifecycle')
        .map((entry) => {
          const seen = structuredClone(entry) as unknown as Record<string, unknown> & { invocation?: Record<string, unknown> };
          for (const member of ['correlationId', 'transactionId', 'scheduledEventId', 'deliveryId']) delete seen[member];
          delete seen.invocation?.callId;
          delete seen.invocation?.idempotencyKey;
          return canonicalize(seen) as string;
        });
      assert.equal(trajectory(entries), recompute(lines));
    }),
  );
});

test('what happened changes the trajectory', () => {
  const who = { transactionId: 't', correlationId: 'c', callId: 'x', idempotencyKey: undefined };
  assert.notEqual(
    trajectory(journal([{ kind: 'operation', text: 'a' }], who)),
    trajectory(journal([{ kind: 'operation', text: 'b' }], who)),
  );
});
