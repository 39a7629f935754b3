import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import {
  type CallerFrames,
  type Envelope,
  type HostFrames,
  postToHost,
  readAtCaller,
  readAtHost,
  writeToCaller,
  writeToHost,
} from '../../src/actors/frames.js';
import fc from '../fast-check.js';

const value = fc.oneof(
  fc.integer(),
  fc.string(),
  fc.constant(undefined),
  fc.array(fc.integer(), { maxLength: 3 }),
  fc.constant({ kind: 1, slot: 2 }),
);
const slot = fc.nat(100);

// FRAMES-1
test('every frame is read as it was written, in order', () => {
  const toHost = fc.oneof(
    fc.tuple(fc.constantFrom('command' as const, 'query' as const), slot, fc.nat(), fc.string(), value),
    fc.tuple(fc.constant('cancel' as const), slot, fc.nat(), fc.string()),
  );
  const toCaller = fc.oneof(
    fc.tuple(fc.constantFrom('reply' as const, 'progress' as const, 'ask' as const), slot, value),
    fc.tuple(fc.constant('refusal' as const), slot, fc.constant({ code: 'control.NOT_FOUND' as const, message: 'm', extra: {} })),
    fc.tuple(fc.constant('failure' as const), fc.constant({ actorId: 'a', correlationId: 'c', stack: 's' })),
  );
  fc.assert(
    fc.property(fc.array(toHost), fc.array(toCaller), (hostFrames, callerFrames) => {
      const envelope: Envelope = [];
      for (const [op, ...operands] of hostFrames) (writeToHost[op] as (...all: unknown[]) => void)(envelope, ...operands);
      deepEqual(
        framesRead<HostFrames>((on) => readAtHost(envelope, on), ['command', 'query', 'cancel']),
        hostFrames,
      );
      const back: Envelope = [];
      for (const [op, ...operands] of callerFrames) (writeToCaller[op] as (...all: unknown[]) => void)(back, ...operands);
      deepEqual(
        framesRead<CallerFrames>((on) => readAtCaller(back, on), ['reply', 'refusal', 'progress', 'failure', 'ask']),
        callerFrames,
      );
    }),
  );
});

// FRAMES-2
test('when an envelope cannot be cloned its frames are posted one by one, and those that cannot are named', () => {
  const envelope: Envelope = [];
  writeToHost.command(envelope, 3, 1, 'a', 'fine');
  writeToHost.command(envelope, 4, 2, 'a', () => {});
  writeToHost.cancel(envelope, 3, 1, 'a');
  writeToHost.query(envelope, 5, 3, 'b', { also: 'fine' });
  const posted: Envelope = [];
  const refused: number[] = [];
  postToHost(
    envelope,
    (frames) => posted.push(...(structuredClone(frames) as Envelope)),
    (at) => refused.push(at),
  );
  deepEqual(refused, [4]);
  deepEqual(
    framesRead<HostFrames>((on) => readAtHost(posted, on), ['command', 'query', 'cancel']).map(([op]) => op),
    ['command', 'cancel', 'query'],
  );
});

function framesRead<Frames extends object>(read: (on: Frames) => void, ops: (keyof Frames)[]): unknown[][] {
  const frames: unknown[][] = [];
  read(Object.fromEntries(ops.map((op) => [op, (...operands: unknown[]) => frames.push([op, ...operands])])) as Frames);
  return frames;
}
