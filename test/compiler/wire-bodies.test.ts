// What the compiler says of bodies and streams in a manifest.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { compileProject } from '../../src/compiler/compile.js';
import { temporaryFolder } from '../worlds/storage-kit.js';

const fixture = fileURLToPath(new URL('../../../test/fixtures/bodies', import.meta.url));

const cases: [name: string, from: string, to: string, message: RegExp][] = [
  ['a kind twice', '[json, form, multipart]', '[json, form, json]', /"json" is listed already/],
  ['nothing beside something', '[json, form, multipart]', '[none, json]', /"none" stands alone/],
  ['any JSON beside something', '[json, form, multipart]', '[form, any_json]', /"any_json" stands alone/],
  ['an unknown kind', '[json, form, multipart]', '[jsonn]', /jsonn|expected/],
  ['an empty list', '[json, form, multipart]', '[]', /1 item|at least/],
  ['a fault of a stream without its place', ', stream: { afterEvents: 2 }', '', /"stream" is required/],
  [
    'a fault of a stream with an error',
    'timing: stream,',
    'timing: stream, error: { code: A, message: b, retryable: true },',
    /leave out "error"/,
  ],
  ['the place of a cut for another timing', 'timing: stream,', 'timing: latency, latencyUs: 1,', /only a fault with the timing "stream"/],
  ['a stream that no route has', 'operationId: chat,', 'operationId: echo,', /cuts replies of wire routes, and none calls 'chat'/],
];

test('bodies and streams of a manifest are checked where they stand', async (context) => {
  const root = join(temporaryFolder(context), 'project');
  cpSync(fixture, root, { recursive: true });
  const file = join(root, 'drillyard/depot.tool.yaml');
  const sound = readFileSync(file, 'utf8');
  assert.deepEqual((await compileProject({ root })).diagnostics, []);
  for (const [name, from, to, message] of cases) {
    assert.ok(sound.includes(from), name);
    writeFileSync(file, sound.replace(from, to));
    const { build, diagnostics } = await compileProject({ root });
    assert.equal(build, undefined, name);
    assert.ok(
      diagnostics.some((one) => message.test(one.message)),
      `${name}: ${JSON.stringify(diagnostics.map((one) => one.message))}`,
    );
  }
});
