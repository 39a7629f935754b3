// Which build of uWebSockets.js is taken.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { uwsBinaries } from '../../src/http/uws-binary.js';

const scratch = mkdtempSync(join(tmpdir(), 'drillyard-uws-'));
after(() => rmSync(scratch, { recursive: true, force: true }));
const binary = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;

function folder(name: string, { packageName, file }: { packageName?: string; file: string }): string {
  const path = join(scratch, name);
  mkdirSync(join(path, 'binaries'), { recursive: true });
  if (packageName !== undefined) writeFileSync(join(path, 'package.json'), JSON.stringify({ name: packageName }));
  writeFileSync(join(path, file), '');
  return path;
}

test("its makers' package is taken before a repackaged one, wherever the two lie", () => {
  const repackaged = folder('near', { packageName: '@somebody/uws', file: join('binaries', binary) });
  const official = folder('far', { packageName: 'uWebSockets.js', file: binary });
  const nameless = folder('nameless', { file: binary });
  const foreign = folder('foreign', { packageName: 'uWebSockets.js', file: 'uws_for_another_1.node' });
  assert.deepEqual(uwsBinaries([repackaged, nameless, foreign, official, join(scratch, 'absent')]), [
    { file: join(official, binary), isOfficial: true },
    { file: join(repackaged, 'binaries', binary), isOfficial: false },
    { file: join(nameless, binary), isOfficial: false },
  ]);
});
