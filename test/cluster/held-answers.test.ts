import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '../../src/contract/limits.js';
import type { HttpReply } from '../../src/http/server.js';
import { HeldAnswers } from '../../src/nodes/cluster-held.js';
import { VirtualClock } from './virtual-clock.js';

const reply = (status: number, whenOver?: () => void): HttpReply => ({ status, headers: {}, body: '', ...(whenOver && { whenOver }) });

// CLUSTER-HELD-1
test('a request is answered as soon as its reply is there; where its node may not answer for a while, that it is not known', async () => {
  const clock = new VirtualClock();
  const held = new HeldAnswers(clock.face());
  assert.equal(
    (
      await held.during(
        () => false,
        () => reply(200),
      )
    ).status,
    200,
  );
  await assert.rejects(
    held.during(
      () => true,
      () => Promise.reject(new Error('broken')),
    ),
    /broken/,
  );
  let mayAnswer = true;
  let leave: (late: HttpReply) => void = () => {};
  let answered: HttpReply | undefined;
  const late = new Promise<HttpReply>((resolve) => {
    leave = resolve;
  });
  void held
    .during(
      () => mayAnswer,
      () => late,
    )
    .then((given) => {
      answered = given;
    });
  await clock.advance(10 * limits.heldAnswerMs);
  assert.equal(answered, undefined);
  // For a moment only: it is counted from the beginning again.
  mayAnswer = false;
  await clock.advance(limits.heldAnswerMs / 2);
  mayAnswer = true;
  await clock.advance(1000);
  mayAnswer = false;
  await clock.advance(limits.heldAnswerMs - 500);
  assert.equal(answered, undefined);
  await clock.advance(1500);
  assert.equal((answered as HttpReply | undefined)?.status, 503);
  let isOver = false;
  leave(
    reply(200, () => {
      isOver = true;
    }),
  );
  await clock.advance(1);
  assert.ok(isOver, 'what the reply held is let go');
});
