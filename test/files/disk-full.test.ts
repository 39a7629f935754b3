import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { isDiskFull } from '../../src/files/disk-full.js';

test('a full disk is known from other faults, wherever it shows', () => {
  const error = (code: unknown): Error => Object.assign(new Error('no'), { code });
  for (const code of ['ENOSPC', 'EDQUOT', 28, 122, -30792]) assert.equal(isDiskFull(error(code), tmpdir()), true, String(code));
  // EIO says it only where there is hardly any space; here there is.
  for (const code of ['EACCES', 'EROFS', 5, undefined]) assert.equal(isDiskFull(error(code), tmpdir()), false, String(code));
  assert.equal(isDiskFull(undefined, tmpdir()), false);
});
