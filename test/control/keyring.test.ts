// The server's key: made once, kept private, and what is derived from it.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Keyring, tokenHash } from '../../src/control/keyring.js';
import fc from '../fast-check.js';

const directory = mkdtempSync(join(tmpdir(), 'drillyard-keyring-'));
after(() => rmSync(directory, { recursive: true, force: true }));

test('the key is made once, for its owner alone, also after a start that was cut short', () => {
  writeFileSync(join(directory, 'server.key.new'), 'half');
  const first = Keyring.open(directory);
  const again = Keyring.open(directory);
  assert.equal(first.token('control', 'cred_1'), again.token('control', 'cred_1'));
  assert.deepEqual(readdirSync(directory), ['server.key']);
  assert.equal(statSync(join(directory, 'server.key')).mode & 0o777, 0o600);
});

test('a key that is too short is refused', () => {
  const torn = mkdtempSync(join(directory, 'torn-'));
  for (const text of ['', 'abcd', 'zz'.repeat(32)]) {
    writeFileSync(join(torn, 'server.key'), text);
    assert.throws(() => Keyring.open(torn), /32 bytes/);
  }
});

test('tokens differ by kind and id, and say which kind they are', () => {
  const keyring = Keyring.open(directory);
  fc.assert(
    fc.property(fc.string(), fc.string(), (left, right) => {
      const [control, world] = [keyring.token('control', left), keyring.token('world', left)];
      assert.match(control, /^dyc_[\w-]{43}$/);
      assert.match(world, /^dyw_[\w-]{43}$/);
      assert.notEqual(control.slice(4), world.slice(4));
      assert.equal(keyring.token('control', right) === control, left === right);
      assert.equal(tokenHash(control) === tokenHash(keyring.token('control', right)), left === right);
    }),
  );
});

test('a seal holds for its purpose and text only', () => {
  const keyring = Keyring.open(directory);
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
