import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { isOfThisBoot, markBoot } from '../../src/files/boot-mark.js';

// BOOT-MARK-1
test('a folder is of this boot where it was marked in it, and on a system without an id of its boot never', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'drillyard-boot-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const bootId = join(folder, 'boot_id');
  writeFileSync(bootId, '6f1c\n');
  assert.equal(isOfThisBoot(folder, bootId), false);
  markBoot(folder, bootId);
  assert.equal(isOfThisBoot(folder, bootId), true);
  writeFileSync(bootId, '7a2d\n');
  assert.equal(isOfThisBoot(folder, bootId), false);
  const none = join(folder, 'none');
  markBoot(folder, none);
  assert.equal(isOfThisBoot(folder, none), false);
  writeFileSync(bootId, '');
  assert.equal(isOfThisBoot(folder, bootId), false);
  assert.throws(() => markBoot(join(folder, 'gone'), join(folder, 'boot')), { code: 'control.INVALID_REQUEST' });
});
