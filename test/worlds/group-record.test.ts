import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import {
  checkRecord,
  decodeRecord,
  encodeChanges,
  encodeRecord,
  encodeRecordNow,
  InvalidRecord,
} from '../../src/worlds/kv/group-record.js';
import { headKey, keyKinds, positionKey, rowKey, tailKey } from '../../src/worlds/kv/keys.js';
import { tuning } from '../../src/worlds/tuning.js';
import fc from '../fast-check.js';

const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map((array) => Buffer.from(array));
const kind = fc.constantFrom(...Object.values(keyKinds).filter((one) => one !== keyKinds.position && one !== keyKinds.tail));
const change = fc
  .tuple(kind, bytes(40), fc.option(bytes(300), { nil: null }))
  .map(([first, rest, value]) => ({ key: Buffer.concat([Buffer.from([first]), rest]), value }));
const parts = fc.array(fc.array(change, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 4 });
const follows = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((array) => Buffer.from(array));
const encoded = (changes: Parameters<typeof encodeChanges>[0]) => encodeRecordNow(Buffer.alloc(16), [encodeChanges(changes)]);

test('a record is read back as it was written, in one part or in several', async () => {
  await fc.assert(
    fc.asyncProperty(follows, parts, async (nonce, groups) => {
      const body = encodeRecordNow(
        nonce,
        groups.map((group) => encodeChanges(group)),
      );
      assert.deepEqual(decodeRecord(body), { follows: nonce, changes: groups.flat() });
      assert.deepEqual(checkRecord(body), nonce);
      assert.deepEqual(await encodeRecord(nonce, [encodeChanges(groups.flat())]), body);
    }),
  );
});

test('a record that is compressed beside the thread is the same', async () => {
  const large = { key: headKey('world_1'), value: Buffer.alloc(tuning.recordBytesInline + 1, 'state ') };
  const noise = { key: headKey('world_2'), value: randomBytes(tuning.recordBytesInline + 1) };
  for (const changes of [[large], [noise], [large, noise]]) {
    const body = await encodeRecord(Buffer.alloc(16), [encodeChanges(changes)]);
    assert.deepEqual(decodeRecord(body).changes, changes);
    assert.deepEqual(body, encoded(changes));
  }
});

// GROUP-RECORD-1, GROUP-RECORD-2
test('bytes that were changed, cut or invented are refused or are a record of keys of worlds', () => {
  const flips = fc.array(fc.record({ at: fc.nat(), to: fc.nat(255) }), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(parts, flips, fc.nat(), fc.boolean(), bytes(60), (groups, changed, cut, isCut, invented) => {
      const body = encoded(groups.flat());
      for (const { at, to } of changed) body[at % body.length] = to;
      readOrRefuse(isCut ? body.subarray(0, cut % body.length) : body);
      readOrRefuse(invented);
      readOrRefuse(Buffer.concat([Buffer.from([1, 0]), Buffer.alloc(16), lengthOf(invented), invented]));
      readOrRefuse(Buffer.concat([Buffer.from([1, 1]), Buffer.alloc(16), lengthOf(invented), brotliCompressSync(invented)]));
    }),
    { numRuns: 600 },
  );
});
function readOrRefuse(body: Buffer): void {
  assert.equal(isRefused(checkRecord, body), isRefused(decodeRecord, body));
  try {
    for (const { key } of decodeRecord(body).changes) assert.ok(Object.values<unknown>(keyKinds).includes(key[0]) && key[0] !== 9);
  } catch (error) {
    if (!(error instanceof InvalidRecord)) throw error;
  }
}
function isRefused(read: (body: Buffer) => unknown, body: Buffer): boolean {
  try {
    read(body);
    return false;
  } catch (error) {
    if (!(error instanceof InvalidRecord)) throw error;
    return true;
  }
}
function lengthOf(body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length, 0);
  return length;
}

// GROUP-RECORD-1, GROUP-RECORD-2
test('a record is refused for its keys, for its size and for what it unpacks to', () => {
  const value = Buffer.from('value');
  const wrong = [positionKey, tailKey(1, 0), Buffer.from([200, 1]), Buffer.alloc(0), rowKey(1, 1, 'x'.repeat(1000))];
  for (const read of [decodeRecord, checkRecord])
    for (const key of wrong) assert.throws(() => read(encoded([{ key, value }])), /not of worlds/);
  const head = (length: number, form: number) => {
    const start = Buffer.alloc(22);
    start[0] = 1;
    start[1] = form;
    start.writeUInt32BE(length, 18);
    return start;
  };
  const bomb = brotliCompressSync(Buffer.alloc(4 * 1024 * 1024));
  assert.throws(() => decodeRecord(Buffer.concat([head(1000, 1), bomb])), InvalidRecord);
  assert.throws(() => decodeRecord(head(tuning.recordBytesMax + 1, 1)), /too large/);
  assert.throws(() => decodeRecord(head(0, 2)), /form 2/);
  assert.throws(() => decodeRecord(Buffer.concat([Buffer.from([2]), head(0, 0)])), /version 2/);
});
