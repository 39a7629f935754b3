import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { BoardWriter, createSharedPage } from '../../src/actors/board.js';
import type { Actor, ActorKind, CommandRun } from '../../src/actors/definition.js';
import { type Envelope, readAtCaller, writeToHost } from '../../src/actors/frames.js';
import { HostLoop } from '../../src/actors/host-loop.js';
import { MailOutbox } from '../../src/actors/outbox.js';
import { tuning } from '../../src/actors/tuning.js';
import { limits } from '../../src/contract/limits.js';

/** A loop of actors that commit nothing. `during` is called in each slice of the actor `long`, each of which lasts as long as it may. */
function loopOf({
  slices,
  during,
}: {
  slices: number;
  during(slice: number, ask: (slot: number, actorId: string) => void, run: CommandRun): void;
}) {
  const served: string[] = [];
  let replied = 0;
  let done = (): void => {};
  const ended = new Promise<void>((resolve) => {
    done = resolve;
  });
  const actorOf = (actorId: string): Actor => ({
    *command(_message, run) {
      for (let slice = 1; slice <= (actorId === 'long' ? slices : 1); slice++) {
        served.push(actorId);
        if (actorId !== 'long') continue;
        during(slice, ask, run);
        while (!run.sliceOver());
        if (slice < slices) yield;
      }
    },
    query: () => ({ reply: undefined }),
    pendingCount: () => 0,
    takeWriteSet: () => undefined,
    idle: () => false,
    passivate: () => {},
  });
  const kind: ActorKind = { activate: actorOf, commit: async () => [], control: () => undefined, close: async () => {} };
  const outbox = new MailOutbox((envelope) => {
    const ignored = (): void => {};
    readAtCaller(envelope, {
      reply: () => ++replied === asked && done(),
      refusal: ignored,
      progress: ignored,
      failure: ignored,
      ask: ignored,
    });
  });
  const loop = new HostLoop({ kind, board: new BoardWriter(createSharedPage()), outbox, actorsInMemoryMax: 100 });
  let asked = 0;
  const ask = (slot: number, actorId: string): void => {
    const envelope: Envelope = [];
    writeToHost.command(envelope, slot, ++asked, actorId, {});
    loop.receive(envelope);
  };
  return { served, ask, ended };
}

test('a command that has just come shares its first slice with what came with it, and has a whole one alone', async () => {
  for (const others of [1, 0]) {
    const shared: boolean[] = [];
    const { ask, ended } = loopOf({ slices: 2, during: (_slice, _come, { isShared }) => void shared.push(isShared) });
    ask(0, 'long');
    for (let other = 1; other <= others; other++) ask(other, `short-${other}`);
    await ended;
    deepEqual(shared, [others > 0, false]);
  }
});

// HOST-LOOP-3
test('what comes in during a slice of a long command is served before its next slice', async () => {
  // As messages do, it comes in when the slice is over and the event loop has its turn.
  const { served, ask, ended } = loopOf({
    slices: 3,
    during: (slice, come) => void (slice < 3 && setImmediate(() => come(slice + 1, `short-${slice}`))),
  });
  ask(1, 'long');
  await ended;
  deepEqual(served, ['long', 'short-1', 'long', 'short-2', 'long']);
});

test('a long command continues however much comes in', async () => {
  const { served, ask, ended } = loopOf({
    slices: 3,
    during: (slice, come) => {
      let left = 20;
      const more = (): void => {
        come(left + 1, `short-${left}`);
        if (--left > 0) setImmediate(more);
      };
      if (slice === 1) setImmediate(more);
    },
  });
  ask(1, 'long');
  await ended;
  const slicesAt = served.flatMap((actorId, index) => (actorId === 'long' ? [index] : []));
  deepEqual(slicesAt, [0, 2, 5]);
});

// HOST-LOOP-2
test('what is done is committed before the next slice of a long command, however short its slices are', async () => {
  const served: string[] = [];
  const slices = 3;
  const actorOf = (actorId: string): Actor => {
    let pending = 0;
    return {
      *command() {
        for (let slice = 1; slice <= (actorId === 'long' ? slices : 1); slice++) {
          served.push(actorId);
          if (actorId === 'short') pending = 1;
          if (actorId === 'long' && slice < slices) yield;
        }
      },
      query: () => ({ reply: undefined }),
      pendingCount: () => pending,
      takeWriteSet: () => {
        const set = pending > 0 ? { actorId } : undefined;
        pending = 0;
        return set;
      },
      idle: () => false,
      passivate: () => {},
    };
  };
  const commit = async (sets: readonly unknown[]): Promise<undefined[]> => {
    served.push('commit');
    return sets.map(() => undefined);
  };
  const kind: ActorKind = { activate: actorOf, commit, control: () => undefined, close: async () => {} };
  let answers = 0;
  await new Promise<void>((done) => {
    const ignored = (): void => {};
    const outbox = new MailOutbox((envelope) => {
      readAtCaller(envelope, {
        reply: () => ++answers === 2 && done(),
        refusal: ignored,
        progress: ignored,
        failure: ignored,
        ask: ignored,
      });
    });
    const loop = new HostLoop({ kind, board: new BoardWriter(createSharedPage()), outbox, actorsInMemoryMax: 100 });
    const envelope: Envelope = [];
    for (const [slot, actorId] of [
      [1, 'long'],
      [2, 'short'],
    ] as const)
      writeToHost.command(envelope, slot, slot, actorId, {});
    loop.receive(envelope);
  });
  deepEqual(served, ['long', 'short', 'commit', 'long', 'long']);
});

// GROUP-COMMIT-2
test('a long command that ends while a commit of it is in flight is answered once, after the next one', async () => {
  let pending = 0;
  const actor: Actor = {
    *command() {
      yield;
      pending = limits.commitEntriesMax;
      yield;
      pending += 1;
      return 'ended';
    },
    query: () => ({ reply: undefined }),
    pendingCount: () => pending,
    takeWriteSet: () => {
      const set = pending > 0 ? { pending } : undefined;
      pending = 0;
      return set;
    },
    idle: () => false,
    passivate: () => {},
  };
  const commits: (() => void)[] = [];
  const commit = (sets: readonly unknown[]): Promise<undefined[]> =>
    new Promise((resolve) => commits.push(() => resolve(sets.map(() => undefined))));
  const kind: ActorKind = { activate: () => actor, commit, control: () => undefined, close: async () => {} };
  const replies: unknown[] = [];
  const ignored = (): void => {};
  const outbox = new MailOutbox((envelope) => {
    const reply = (slot: number, value: unknown): void => void replies.push([slot, value]);
    readAtCaller(envelope, { reply, refusal: ignored, progress: ignored, failure: ignored, ask: ignored });
  });
  const loop = new HostLoop({ kind, board: new BoardWriter(createSharedPage()), outbox, actorsInMemoryMax: 100 });
  const envelope: Envelope = [];
  writeToHost.command(envelope, 1, 1, 'long', {});
  loop.receive(envelope);
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  await turns();
  deepEqual([commits.length, pending, replies], [1, 1, []], 'it has ended, and the commit of its first slice is in flight');
  commits[0]?.();
  await turns();
  deepEqual([commits.length, pending, replies], [2, 0, []], 'its end is in the commit in flight now');
  commits[1]?.();
  await turns();
  deepEqual(replies, [[1, 'ended']]);
});

test('long commands take turns, and commit before they end once all of them together hold what a host may', async () => {
  const each = limits.commitEntriesMax - 1;
  const names = Array.from({ length: Math.ceil(tuning.hostEntriesUncommittedMax / each) }, (_, index) => `long ${index}`);
  const served: string[] = [];
  const activate = (actorId: string): Actor => {
    let pending = 0;
    return {
      *command() {
        for (let slice = 0; slice < 3; slice++) {
          served.push(actorId);
          if (slice === 1) pending = each;
          yield;
        }
        return actorId;
      },
      query: () => ({ reply: undefined }),
      pendingCount: () => pending,
      takeWriteSet: () => {
        const set = pending > 0 ? { pending } : undefined;
        pending = 0;
        return set;
      },
      idle: () => false,
      passivate: () => {},
    };
  };
  const commit = async (sets: readonly unknown[]): Promise<undefined[]> => {
    served.push(`commit of ${sets.length}`);
    return sets.map(() => undefined);
  };
  const kind: ActorKind = { activate, commit, control: () => undefined, close: async () => {} };
  const replies: unknown[] = [];
  await new Promise<void>((done) => {
    const ignored = (): void => {};
    const outbox = new MailOutbox((envelope) => {
      const reply = (_slot: number, value: unknown): void => void (replies.push(value) === names.length && done());
      readAtCaller(envelope, { reply, refusal: ignored, progress: ignored, failure: ignored, ask: ignored });
    });
    const loop = new HostLoop({ kind, board: new BoardWriter(createSharedPage()), outbox, actorsInMemoryMax: 100 });
    const envelope: Envelope = [];
    for (const [index, name] of names.entries()) writeToHost.command(envelope, index + 1, index + 1, name, {});
    loop.receive(envelope);
  });
  const begun = [...names, ...names, 'commit of 1'];
  deepEqual(served.slice(0, begun.length), begun);
  deepEqual(replies.toSorted(), names.toSorted());
});

test('while it is asked all the time a host does a piece of spare work now and then; once it is not, all of it', async () => {
  let pieces = 0;
  let left = Number.POSITIVE_INFINITY;
  const actorOf = (): Actor => ({
    *command() {
      // Nothing.
    },
    query: () => ({ reply: undefined }),
    pendingCount: () => 0,
    takeWriteSet: () => undefined,
    idle: () => {
      pieces += 1;
      return --left > 0;
    },
    passivate: () => {},
  });
  const kind: ActorKind = { activate: actorOf, commit: async () => [], control: () => undefined, close: async () => {} };
  const loop = new HostLoop({
    kind,
    board: new BoardWriter(createSharedPage()),
    outbox: new MailOutbox(() => {}),
    actorsInMemoryMax: 100,
  });
  const ask = (stamp: number): void => {
    const envelope: Envelope = [];
    writeToHost.command(envelope, 1, stamp, 'world', {});
    loop.receive(envelope);
  };
  ask(1);
  loop.wantsIdle('world');
  const asks = 5000;
  for (let stamp = 2; stamp <= asks || pieces === 0; stamp++) {
    ask(stamp);
    await new Promise(setImmediate);
  }
  deepEqual(pieces < asks / 10, true, `${pieces} pieces beside ${asks} messages`);
  left = 50;
  pieces = 0;
  while (left > 0) await new Promise((resolve) => setTimeout(resolve, tuning.calmMs));
  deepEqual([pieces, left], [50, 0]);
});
