// What V8 compiled of a command is kept for the next, and never trusted further than it is the user's own and this program's.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { drillyard } from '../cli/cli.js';

const scratch = mkdtempSync(join(tmpdir(), 'drillyard-code-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

/** Of a command that loads little; all of its code is in one file. */
async function runWith(cache: string): Promise<{ inode: number; file: string }> {
  const { code, stdout } = await drillyard(['--version'], { env: { DRILLYARD_CACHE_DIR: cache } });
  assert.deepEqual([code, /^\d+\.\d+\.\d+\n$/.test(stdout)], [0, true]);
  const [file, ...others] = filesOf(cache);
  assert.deepEqual(others, []);
  return { inode: statSync(file as string).ino, file: file as string };
}

const filesOf = (cache: string): string[] => {
  const builds = join(cache, 'builds');
  if (!existsSync(builds)) return [];
  return readdirSync(builds).flatMap((build) => {
    const folder = join(builds, build, 'code');
    return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  });
};

// COMPILED-CODE-1
test('code is kept once, for the user alone', async () => {
  const cache = join(scratch, 'once');
  const first = await runWith(cache);
  assert.equal(statSync(first.file).mode & 0o777, 0o600);
  for (const folder of [join(first.file, '..'), cache]) assert.equal(statSync(folder).mode & 0o777, 0o700);
  assert.deepEqual(await runWith(cache), first);
});

// COMPILED-CODE-2
test('code that is damaged, cut short or of another version is compiled again, and kept again', async () => {
  const cache = join(scratch, 'damaged');
  const { file } = await runWith(cache);
  const whole = readFileSync(file);
  const changed = (change: (bytes: Buffer) => void): Buffer => {
    const bytes = Buffer.from(whole);
    change(bytes);
    return bytes;
  };
  const digestBytes = 20;
  /** As another version of V8 would have written it: its digest is right, and what V8 reads first is not. */
  const foreign = changed((bytes) => {
    const first = bytes.indexOf('\n', digestBytes) + 1;
    bytes[first] = (bytes[first] as number) ^ 1;
    createHash('sha1').update(bytes.subarray(digestBytes)).digest().copy(bytes);
  });
  const damaged = changed((bytes) => {
    bytes[bytes.length - 100] = (bytes[bytes.length - 100] as number) ^ 0xff;
  });
  for (const bytes of [foreign, damaged, Buffer.alloc(0), Buffer.from('no code at all\n')]) {
    writeFileSync(file, bytes);
    await runWith(cache);
    assert.ok(!readFileSync(file).equals(bytes));
    assert.ok(readFileSync(file).length > whole.length / 2);
  }
  truncateSync(file, 1000);
  await runWith(cache);
  assert.ok(readFileSync(file).length > whole.length / 2);
});

// COMPILED-CODE-1
test('a folder into which others may write is neither written nor read', { skip: process.getuid === undefined }, async () => {
  const cache = join(scratch, 'shared');
  const { file, inode } = await runWith(cache);
  truncateSync(file, 1000);
  chmodSync(cache, 0o777);
  const { code } = await drillyard(['--version'], { env: { DRILLYARD_CACHE_DIR: cache } });
  assert.deepEqual([code, statSync(file).ino, statSync(file).size], [0, inode, 1000]);
});

test('nothing is kept where nothing is to be', async () => {
  const { code } = await drillyard(['--version'], { env: { DRILLYARD_CACHE_DIR: 'off' } });
  assert.deepEqual([code, filesOf('off')], [0, []]);
});

/** The program alone, in a folder of its own. */
function installAt(folder: string): string {
  const program = fileURLToPath(new URL('../../../', import.meta.url));
  mkdirSync(join(folder, 'dist', 'src'), { recursive: true });
  for (const name of ['bin', 'package.json', join('dist', 'src', 'build-id.txt')])
    cpSync(join(program, name), join(folder, name), { recursive: true });
  const filter = (name: string): boolean => !name.endsWith('.map');
  cpSync(join(program, 'dist', 'bundle'), join(folder, 'dist', 'bundle'), { recursive: true, filter });
  symlinkSync(join(program, 'node_modules'), join(folder, 'node_modules'));
  return join(folder, 'bin', 'drillyard.js');
}

// COMPILED-CODE-1
test('two installations of one build keep code of their own, as it carries the names of their files', () => {
  const cache = join(scratch, 'two');
  const [one, other] = [installAt(join(scratch, 'one')), installAt(join(scratch, 'other'))];
  const env = { ...process.env, DRILLYARD_CACHE_DIR: cache };
  const run = (bin: string): string[] => {
    const { status, stderr } = spawnSync(process.execPath, [bin, '--version'], { env, encoding: 'utf8' });
    assert.deepEqual([status, stderr], [0, '']);
    return filesOf(cache).sort();
  };
  const [first, both] = [run(one), run(other)];
  assert.deepEqual([first.length, both.length], [1, 2]);
  const inodes = both.map((file) => statSync(file).ino);
  assert.deepEqual([run(one), run(other), both.map((file) => statSync(file).ino)], [both, both, inodes]);
});

test('a cache where the file system allows no folder ends no command, and keeps none from ending', {
  skip: process.platform !== 'linux',
}, async () => {
  const { code, stderr } = await drillyard(['--version'], { env: { DRILLYARD_CACHE_DIR: '/proc/drillyard/cache' } });
  assert.deepEqual([code, stderr], [0, '']);
});
