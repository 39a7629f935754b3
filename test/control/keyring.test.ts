// The server's key: made once, kept private, in generations, and what is derived from it.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import { limits } from '../../src/contract/limits.js';
import { Keyring, tokenHash } from '../../src/control/catalog/keyring.js';
import fc from '../fast-check.js';

const root = mkdtempSync(join(tmpdir(), 'drillyard-keyring-'));
after(() => rmSync(root, { recursive: true, force: true }));
const clock = { nowMs: 1000 };
const nowMs = (): number => clock.nowMs;
const fresh = (): string => mkdtempSync(join(root, 'data-'));
const open = (dataDirectory: string, keyFile?: string): Keyring =>
  Keyring.open({ dataDirectory, nowMs, ...(keyFile === undefined ? {} : { keyFile }) });
const refusal = (pattern: RegExp) => (error: unknown) =>
  error instanceof ServiceError && ['control.INVALID_REQUEST', 'control.DATA_DAMAGED'].includes(error.code) && pattern.test(error.message);

test('the key is made once, for its owner alone, also after a start that was cut short', () => {
  const directory = fresh();
  writeFileSync(join(directory, 'server.key.new'), 'half');
  const first = open(directory);
  const again = open(directory);
  assert.equal(first.token('world', 'access_1'), again.token('world', 'access_1'));
  assert.deepEqual(readdirSync(directory), ['server.key']);
  assert.equal(statSync(join(directory, 'server.key')).mode & 0o777, 0o600);
});

// KEYRING-1
test('the key of an early version is the first generation, and derives as it did', () => {
  const directory = fresh();
  const key = Buffer.alloc(32, 7);
  writeFileSync(join(directory, 'server.key'), key.toString('hex'), { mode: 0o600 });
  const keyring = open(directory);
  assert.equal(keyring.generation, 1);
  assert.equal(keyring.token('callback', 'cbr_1'), `dys_${createHmac('sha256', key).update('token callback cbr_1').digest('base64url')}`);
  const seal = createHmac('sha256', key).update('seal cursor place').digest().subarray(0, 16).toString('base64url');
  assert.ok(keyring.isSealed('cursor', 'place', seal));
});

test('a damaged key ends the start with the file and what to do', () => {
  const directory = fresh();
  const file = join(directory, 'server.key');
  const good = { generation: 1, key: '07'.repeat(32), createdAtMs: 1 };
  const damaged = [
    '',
    'abcd',
    'zz'.repeat(32),
    '07'.repeat(31),
    '{',
    '{"schemaVersion":1,"generations":[]}',
    JSON.stringify({ schemaVersion: 2, generations: [good] }),
    JSON.stringify({ schemaVersion: 1, generations: [{ ...good, key: '07' }] }),
    JSON.stringify({ schemaVersion: 1, generations: [good, { ...good, generation: 2 }] }),
    JSON.stringify({ schemaVersion: 1, generations: [{ ...good, generation: 0 }] }),
    JSON.stringify({ schemaVersion: 1, generations: [{ ...good, acceptedUntilMs: 'never' }] }),
    JSON.stringify({ schemaVersion: 1, generations: [null] }),
  ];
  for (const text of damaged) {
    writeFileSync(file, text, { mode: 0o600 });
    assert.throws(() => open(directory), refusal(/is damaged.*backup/), text);
    assert.throws(
      () => open(directory),
      (error: Error) => error.message.includes(file),
    );
    assert.equal(readFileSync(file, 'utf8'), text, 'it stays as it is');
  }
});

test('a key that others can read is refused; of one outside, a group may be among the readers', {
  skip: process.platform === 'win32',
}, () => {
  const directory = fresh();
  open(directory);
  const file = join(directory, 'server.key');
  for (const mode of [0o640, 0o644, 0o604, 0o620, 0o666]) {
    chmodSync(file, mode);
    assert.throws(() => open(directory), refusal(/chmod 600/), mode.toString(8));
    const elsewhere = (): Keyring => open(fresh(), file);
    if (mode === 0o640) assert.equal(elsewhere().generation, 1);
    else assert.throws(elsewhere, refusal(/chmod 600/), mode.toString(8));
  }
});

test('a key outside the data directory must be there, and is all that is used', () => {
  const [directory, outside] = [fresh(), join(fresh(), 'the.key')];
  assert.throws(() => open(directory, outside), refusal(/There is no key file.*openssl rand -hex 32/));
  writeFileSync(outside, `${'0a'.repeat(32)}\n`, { mode: 0o600 });
  const keyring = open(directory, outside);
  assert.deepEqual(readdirSync(directory), []);
  keyring.rotate({ graceMs: 0 });
  assert.deepEqual([open(directory, outside).generation, readdirSync(directory)], [2, []]);
});

test('tokens differ by kind, id and generation, and say which kind they are', () => {
  const keyring = open(fresh());
  fc.assert(
    fc.property(fc.string(), fc.string(), (left, right) => {
      const [world, callback] = [keyring.token('world', left), keyring.token('callback', left)];
      assert.match(world, /^dyw_[\w-]{43}$/);
      assert.match(callback, /^dys_[\w-]{43}$/);
      assert.notEqual(world.slice(4), callback.slice(4));
      assert.equal(keyring.token('world', right) === world, left === right);
      assert.equal(tokenHash(world) === tokenHash(keyring.token('world', right)), left === right);
    }),
  );
});

// KEYRING-2
test('a rotation makes another key; the earlier one works until its grace is over', () => {
  const directory = fresh();
  const keyring = open(directory);
  const [token, seal, fingerprint] = [keyring.token('world', 'a'), keyring.seal('cursor', 'place'), keyring.fingerprint];
  const node = keyring.token('node', 'cluster');
  assert.match(node, /^dyn_[\w-]{43}$/);
  for (const wrong of ['', node.slice(1), `${node}x`, keyring.token('node', 'other'), keyring.token('world', 'cluster')])
    assert.ok(!keyring.isToken('node', 'cluster', wrong), wrong);
  keyring.rotate({ graceMs: 500, rotationId: 'ask-1' });
  keyring.rotate({ graceMs: 500, rotationId: 'ask-1' });
  for (const incarnation of [keyring, open(directory)]) {
    assert.equal(incarnation.generation, 2);
    assert.notEqual(incarnation.token('world', 'a'), token);
    assert.equal(incarnation.token('world', 'a', 1), token);
    assert.ok(incarnation.isToken('node', 'cluster', node) && incarnation.isToken('node', 'cluster', incarnation.token('node', 'cluster')));
    assert.ok(incarnation.isSealed('cursor', 'place', seal) && incarnation.accepts(1) && incarnation.acceptsFingerprint(fingerprint));
    assert.deepEqual(incarnation.generations, [
      { generation: 2, createdAtMs: 1000 },
      { generation: 1, createdAtMs: 1000, acceptedUntilMs: 1500 },
    ]);
  }
  clock.nowMs = 1500;
  for (const incarnation of [keyring, open(directory)]) {
    assert.equal(incarnation.token('world', 'a', 1), incarnation.token('world', 'a'));
    assert.ok(!incarnation.isToken('node', 'cluster', node));
    assert.ok(!incarnation.isSealed('cursor', 'place', seal) && !incarnation.accepts(1) && !incarnation.acceptsFingerprint(fingerprint));
  }
  const before = keyring.token('world', 'a');
  keyring.rotate({ graceMs: 0 });
  assert.deepEqual([keyring.generation, keyring.accepts(2)], [3, false]);
  assert.equal(keyring.token('world', 'a', 2), keyring.token('world', 'a'));
  assert.notEqual(keyring.token('world', 'a'), before);
  assert.doesNotMatch(readFileSync(join(directory, 'server.key'), 'utf8'), /"generation":[12],/, 'keys that are over are forgotten');
});

// KEYRING-3
test('a rotation without a grace ends every earlier key, also one whose own grace is still open', () => {
  const directory = fresh();
  const keyring = open(directory);
  const [token, seal, fingerprint] = [keyring.token('world', 'a'), keyring.seal('cursor', 'place'), keyring.fingerprint];
  keyring.rotate({ graceMs: 1_000_000 });
  assert.ok(keyring.isToken('world', 'a', token));
  keyring.rotate({ graceMs: 0 });
  for (const incarnation of [keyring, open(directory)]) {
    assert.deepEqual(incarnation.generations, [{ generation: 3, createdAtMs: clock.nowMs }]);
    assert.ok(!incarnation.isToken('world', 'a', token) && !incarnation.isSealed('cursor', 'place', seal));
    assert.ok(!incarnation.accepts(1) && !incarnation.accepts(2) && !incarnation.acceptsFingerprint(fingerprint));
    assert.ok(incarnation.descendsFrom(fingerprint));
  }
});

test('so many earlier keys are accepted at once', () => {
  const keyring = open(fresh());
  for (let n = 0; n < limits.keyGenerationsMax; n++) keyring.rotate({ graceMs: 1_000_000 });
  assert.throws(
    () => keyring.rotate({ graceMs: 1_000_000 }),
    (error: unknown) => error instanceof ServiceError && error.code === 'control.STATE_CONFLICT',
  );
  assert.equal(keyring.generation, limits.keyGenerationsMax + 1);
  clock.nowMs += 1_000_000;
  keyring.rotate({ graceMs: 1 });
});

test('a seal holds for its purpose and text only', () => {
  const keyring = open(fresh());
  const seal = keyring.seal('cursor', 'place');
  assert.ok(keyring.isSealed('cursor', 'place', seal));
  for (const [purpose, text, given] of [
    ['other', 'place', seal],
    ['cursor', 'other', seal],
    ['cursor', 'place', `${seal}x`],
    ['cursor', 'place', ''],
    ['cursor', 'place', seal.slice(1)],
  ] as const) {
    assert.equal(keyring.isSealed(purpose, text, given), false);
  }
});
