import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EvidenceEntry } from '../../src/contract/world/evidence.js';
import { pictureOfEntries, pictureOfReply } from '../../src/viewer/timeline-picture.js';
import { wholeAxis } from '../../src/viewer/timeline-scale.js';

const call = (sequence: number, virtualTimeUs: number, kind = 'ok'): EvidenceEntry =>
  ({
    kind: 'operation',
    sequence,
    virtualTimeUs,
    actorId: 'agent',
    invocation: { packageId: 'notes', instanceId: 'notes', operationId: 'note.write' },
    outcome: kind === 'ok' ? { kind, value: null } : { kind, error: { code: 'NO', message: 'no', retryable: false } },
  }) as EvidenceEntry;
const clock = (sequence: number, virtualTimeUs: number): EvidenceEntry =>
  ({ kind: 'clock', sequence, virtualTimeUs, fromUs: 0, toUs: virtualTimeUs, reason: 'explicit' }) as EvidenceEntry;

test('entries: a lane for each actor, marks that would touch are one, and the worst of them shows', () => {
  const entries = [call(1, 0), call(2, 0, 'denied'), clock(3, 3_600_000_000), call(4, 3_600_000_000)];
  const picture = pictureOfEntries(entries, [{ interactionId: 'only', startUs: 0, endUs: 0 }], 'elastic');
  assert.deepEqual(picture.lanes, ['agent', 'Clock']);
  const apart = picture.marks(wholeAxis(picture.length), 1000);
  assert.deepEqual(
    apart.map(({ lane, sequence, count }) => [lane, sequence, count]),
    [
      [0, 1, 1],
      [0, 2, 1],
      [1, 3, 1],
      [0, 4, 1],
    ],
  );
  const together = picture.marks(wholeAxis(picture.length), 40).filter(({ lane }) => lane === 0);
  assert.deepEqual([together[0]?.count, together[0]?.tone, together[0]?.sequence], [2, 'bad', 2]);
  assert.equal(picture.bands(wholeAxis(picture.length), 1000)[0]?.text, 'only');
});

test('within one moment entries are told apart by their numbers; beyond it by the time', () => {
  const entries = [1, 2, 3, 4, 5, 6].map((sequence) => call(sequence, sequence < 6 ? 0 : 3_600_000_000));
  const picture = pictureOfEntries(entries, [], 'elastic');
  const texts = (from: number, to: number): string[] => picture.ticks({ from, to }, 300).map(({ text }) => text);
  assert.deepEqual(texts(0.5, 3.5), ['#2', '#3', '#4']);
  assert.deepEqual(texts(-0.1, picture.length + 2), ['00:00:00', '01:00:00']);
  assert.deepEqual(picture.sequencesIn({ from: 0.5, to: 3.5 }), { from: 2, to: 4 });
  assert.equal(picture.sequencesIn({ from: 0.2, to: 0.4 }), undefined);
  assert.deepEqual(picture.stretchOf({ from: 2, to: 4 }), { from: 1, to: 3 });
  assert.deepEqual([picture.laneAt(entries[0]!), picture.lanes], [0, ['agent']]);
});

test('a reply: bars by lane, problems as marks, interactions that overlap as one band', () => {
  const interaction = { interactionId: 'a', actorId: 'x', instruction: '', start: 1000, end: 2000, status: 'completed' as const };
  const picture = pictureOfReply(
    {
      schemaVersion: 1,
      axis: 'time',
      start: 1000,
      end: 5000,
      from: 1000,
      to: 5000,
      bucketSize: 1000,
      density: { operation: [4, 0, 1, 0], fault: [1, 0, 0, 0], fault_control: [1, 0, 0, 0] },
      firstSequences: [1, 5, 5, 6],
      interactions: [interaction, { ...interaction, interactionId: 'b', end: 2500 }],
      checkpoints: [],
      marks: [
        { sequence: 2, at: 1500, kind: 'operation', label: 'notes.write', failed: true },
        { sequence: 3, at: 1500, kind: 'operation', label: 'notes.write', failed: false },
      ],
      marksTotal: 2,
    },
    6,
  );
  const view = { from: 0, to: 4000 };
  assert.deepEqual(picture.lanes, ['Calls', 'Faults']);
  assert.deepEqual(
    picture.bars(view, 400).map(({ lane, x, count, sequence }) => [lane, x, count, sequence]),
    [
      [0, 0, 4, 1],
      [0, 200, 1, 5],
      [1, 0, 2, 1],
    ],
  );
  assert.deepEqual(
    picture.marks(view, 400).map(({ x, tone, sequence }) => [x, tone, sequence]),
    [[50, 'bad', 2]],
  );
  assert.deepEqual(
    picture.bands(view, 400).map(({ x, widthPx, text }) => [x, widthPx, text]),
    [[0, 150, 'a and 1 more']],
  );
  // Buckets of 1,000: entries 1 to 4, none, 5, and 6.
  assert.deepEqual(picture.sequencesIn({ from: 0, to: 999 }), { from: 1, to: 4 });
  assert.deepEqual(picture.sequencesIn({ from: 1200, to: 2500 }), { from: 5, to: 5 });
  assert.deepEqual(picture.sequencesIn({ from: -50, to: 9000 }), { from: 1, to: 6 });
  assert.equal(picture.sequencesIn({ from: 1100, to: 1300 }), undefined);
  assert.deepEqual(picture.stretchOf({ from: 2, to: 4 }), { from: 0, to: 1000 });
});

test('a reply entry by entry: round sequences are named, an entry lies at its own', () => {
  const picture = pictureOfReply(
    {
      schemaVersion: 1,
      axis: 'sequence',
      start: 1,
      end: 40_000,
      from: 1,
      to: 40_000,
      bucketSize: 10_000,
      density: { operation: [1, 2, 3, 4] },
      firstSequences: [1, 10_001, 20_001, 30_001],
      interactions: [],
      checkpoints: [],
      marks: [],
      marksTotal: 0,
    },
    40_000,
  );
  const view = { from: 0, to: 40_000 };
  assert.deepEqual(
    picture.ticks(view, 400).map(({ x, text }) => [Math.round(x), text]),
    [
      [50, '#5,000'],
      [200, '#20,000'],
      [350, '#35,000'],
    ],
  );
  assert.equal(picture.positionOf({ sequence: 20_001, virtualTimeUs: 5 }), 20_000);
  assert.deepEqual(picture.sequencesIn({ from: -100, to: 20.5 }), { from: 1, to: 21 });
  assert.deepEqual(picture.sequencesIn({ from: 39_000, to: 90_000 }), { from: 39_001, to: 40_000 });
  assert.deepEqual(picture.stretchOf({ from: 5, to: 9 }), { from: 4, to: 8 });
});
