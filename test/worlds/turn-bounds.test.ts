// What tool code makes in one turn is bounded: at each bound the turn stands, above it the turn is undone and the caller gets
// BOUND_EXCEEDED.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { limits } from '../../src/contract/limits.js';
import type { Worlds } from '../../src/worlds/api.js';
import { openWorlds } from '../../src/worlds/worlds.js';
import { createMaker, type Maker } from './maker-kit.js';

const mib = 1024 * 1024;
const directory = mkdtempSync(join(tmpdir(), 'drillyard-bounds-'));
let worlds: Worlds;
let made = 0;
before(async () => {
  worlds = await openWorlds({ directory, layout: 'shared', durability: 'committed', hosts: 1, isolation: 'thread' });
});
after(async () => {
  await worlds.close();
  rmSync(directory, { recursive: true, force: true });
});
const maker = (rest = {}): Promise<Maker> => createMaker(worlds, `world_${String(made++).padStart(12, '0')}`, rest);

function exceeded(error: unknown, bound: keyof typeof limits): void {
  const { code, retryable, details } = error as { code: string; retryable: boolean; details: unknown };
  assert.deepEqual({ code, retryable, details }, { code: 'BOUND_EXCEEDED', retryable: false, details: { bound, max: limits[bound] } });
}

// `chars` at the bound: what is around the text counts too.
const values = [
  { what: 'result', bound: 'resultBytesMax', around: 2 },
  { what: 'row', bound: 'rowBytesMax', around: 8 },
  { what: 'emit', bound: 'eventPayloadBytesMax', around: 8 },
  { what: 'scheduled', bound: 'eventPayloadBytesMax', around: 8 },
] as const;
for (const { what, bound, around } of values) {
  test(`${what}: ${bound} is the most, in bytes of UTF-8`, async () => {
    const world = await maker();
    const at = limits[bound] - around;
    assert.equal((await world.make(what, { chars: at })).kind, 'ok');
    const before = await world.figures();
    exceeded(await world.error(what, { chars: at + 1 }), bound);
    // A euro sign has three bytes, a line break two characters of JSON.
    for (const [of, bytes] of [
      ['\u20ac', 3],
      ['\n', 2],
      ['\u{1f600}', 4],
    ] as const) {
      assert.equal((await world.make(what, { chars: Math.floor(at / bytes), of })).kind, 'ok', of);
      exceeded(await world.error(what, { chars: Math.floor(at / bytes) + 1, of }), bound);
    }
    exceeded(await world.error(what, { chars: 500_000_000 }), bound);
    const { rows, pending } = await world.figures();
    assert.deepEqual([rows, pending], [before.rows, what === 'scheduled' ? 4 : 0]);
  });
}

test('a blob has a bound, and of a longer one nothing is copied', async () => {
  const world = await maker();
  const at = limits.blobBytesEachMax;
  assert.equal((await world.make('blob', { chars: at })).kind, 'ok');
  exceeded(await world.error('blob', { chars: at + 1 }), 'blobBytesEachMax');
  exceeded(await world.error('blob', { chars: at / 2 + 1, of: '\u00e4' }), 'blobBytesEachMax');
  // In UTF-8 it would have 1.5 GB.
  exceeded(await world.error('blob', { chars: 500_000_000, of: '\u20ac' }), 'blobBytesEachMax');
});

test('the details of a failure have a bound, its code and message too', async () => {
  const world = await maker();
  const at = limits.failureDetailsBytesMax - 2;
  const refused = await world.error('details', { chars: at });
  assert.deepEqual([refused.code, (refused.details as string).length], ['REFUSED', at]);
  exceeded(await world.error('details', { chars: at + 1 }), 'failureDetailsBytesMax');
  exceeded(await world.error('details', { chars: 500_000_000 }), 'failureDetailsBytesMax');
  assert.equal((await world.error('message', { chars: 2000 })).message.length, 1000);
  assert.equal((await world.error('message', { chars: 500_000_000 })).message, '(a text of 500000000 characters)');
  const reported = (await world.error('code', { chars: 500_000_000 })).message;
  assert.equal(reported, "the failure code '(a text of 500000000 characters)' does not match ^[A-Z][A-Z0-9_]*$");
});

test('what is thrown is reported in few words, however long it is', async () => {
  const world = await maker();
  for (const what of ['thrown', 'name', 'bare']) {
    for (const chars of [100, 1_000_000, 500_000_000]) {
      const { code, message } = await world.error(what, { chars });
      assert.equal(code, 'HANDLER_FAILED');
      assert.ok(message.length <= 1000, `${what} ${chars}: ${message.length}`);
    }
  }
  assert.match((await world.error('thrown', { chars: 500_000_000 })).message, /^Error: \(a text of 500000000 characters\)$/);
});

test('a value that repeats one text is bounded by what its text would be', async () => {
  const world = await maker();
  assert.equal((await world.make('many', { count: 1000 })).kind, 'ok');
  exceeded(await world.error('many', { count: 900_000 }), 'resultBytesMax');
});

test('a handler may catch that one row is too long; nothing of it is written', async () => {
  const world = await maker();
  const outcome = await world.make('caughtRow', { chars: 2 * mib });
  assert.deepEqual(outcome, { kind: 'ok', value: `row 'one' of 'rows' has more than ${limits.rowBytesMax} bytes as JSON` });
  assert.equal(await world.rowCount(), 0);
});

test('an error that tool code makes itself names no bound', async () => {
  const world = await maker();
  assert.equal((await world.error('forged')).code, 'HANDLER_FAILED');
});

// TURN-BUDGET-1
test('the write set of a turn: rows with their ids, of one byte a character and of three', async () => {
  // Sixteen rows of a mebibyte each, less their ids: exactly the bound.
  const chars = mib - 8 - 6;
  for (const [of, bytes] of [
    ['x', 1],
    ['\u20ac', 3],
  ] as const) {
    const world = await maker();
    const fits = Math.floor(chars / bytes);
    assert.equal((await world.make('rows', { count: 16, chars: fits, of })).kind, 'ok');
    assert.equal(await world.rowCount(), 16);
    exceeded(await world.error('rows', { count: 17, chars: fits, of }), 'turnWriteBytesMax');
    exceeded(await world.error('rows', { count: 16, chars: fits + 1, of }), 'turnWriteBytesMax');
    assert.equal(await world.rowCount(), 16);
    // The same, whatever is committed and in memory.
    await world.world.passivate();
    exceeded(await world.error('rows', { count: 16, chars: fits + 1, of }), 'turnWriteBytesMax');
    assert.equal((await world.make('rows', { count: 16, chars: fits, of })).kind, 'ok');
  }
});

test('the write set of a turn: events, once emitted, once for each delivery and each callback', async () => {
  const world = await maker();
  // '{"t":""}' and the id of the event, which is written once.
  const share = (event: string, copies: number) => Math.floor((16 * mib - event.length * 16) / (16 * copies)) - 8;
  for (const [event, copies] of [
    ['made', 1],
    ['heard', 3],
    ['called', 3],
  ] as const) {
    const chars = share(event, copies);
    assert.equal((await world.make('events', { event, count: 16, chars })).kind, 'ok', event);
    const before = await world.figures();
    const error = await world.error('events', { event, count: 17, chars });
    // Of a delivery it is the subscription that fails, and with it the call.
    if (event === 'heard') assert.deepEqual([error.code, error.details], ['HANDLER_FAILED', { code: 'BOUND_EXCEEDED' }]);
    else exceeded(error, 'turnWriteBytesMax');
    assert.deepEqual(await world.figures(), before);
  }
});

// TURN-BUDGET-2
test('a scheduled event whose callbacks or deliveries are too much for one turn fails, and stays failed', async () => {
  // Twenty deliveries leave nineteen copies of what is in the queue, twenty callbacks leave twenty.
  for (const [event, copies] of [
    ['sung', 19],
    ['shouted', 20],
  ] as const) {
    const world = await maker();
    const chars = Math.floor((16 * mib) / copies) - 8;
    await world.call('schedule', { event, chars });
    const { status } = await world.world.command({ kind: 'advance', targetUs: 1000, maxEvents: 10 });
    const { deliveries } = await world.figures();
    assert.deepEqual([status, deliveries], ['completed', event === 'shouted' ? 20 : 0]);
    await world.call('schedule', { event, chars: chars + 1 });
    const { status: ended, failure } = await world.world.command({ kind: 'advance', targetUs: 2000, maxEvents: 10 });
    assert.deepEqual([ended, failure?.code], ['failed', 'BOUND_EXCEEDED'], event);
    assert.deepEqual(await world.figures(), { rows: 0, pending: 0, deliveries });
  }
});

test('the entries of a turn', { timeout: 120_000 }, async () => {
  const world = await maker({ recordRandom: true });
  const most = limits.turnEntriesMax;
  assert.equal((await world.make('deletes', { count: most })).kind, 'ok');
  exceeded(await world.error('deletes', { count: most + 1 }), 'turnEntriesMax');
  exceeded(await world.error('draws', { count: most + 1 }), 'turnEntriesMax');
  assert.equal((await (await maker()).make('draws', { count: most + 1 })).kind, 'ok');
});

// TURN-BUDGET-2
test('the context calls of a turn, by all of its handlers, and whatever they catch', { timeout: 120_000 }, async () => {
  const world = await maker();
  const most = limits.contextCallsMax;
  assert.equal((await world.make('gets', { count: most })).kind, 'ok');
  exceeded(await world.error('gets', { count: most + 1 }), 'contextCallsMax');
  exceeded(await world.error('caught', { count: most }), 'contextCallsMax');
  assert.equal(await world.rowCount(), 0);
});
