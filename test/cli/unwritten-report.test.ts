// A run in which one attempt has no report: what each format says, and the exit code.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createRepository, drill, moduleAgent, noteIs } from '../drills/repository.js';
import { readXml } from '../reports/xml-reader.js';
import { warmDrillyard } from './warm-cli.js';

/** Its first attempt leaves a file where the folder of the reports should be, its second takes it away again. */
const blocking = `
  const { existsSync, rmSync, writeFileSync } = await import('node:fs');
  const out = invocation.task.input;
  const isFirst = !existsSync(out + '-tried');
  rmSync(out, { recursive: true, force: true });
  writeFileSync(out + '-tried', '');
  if (isFirst) writeFileSync(out, '');
  await context.world.call('notes', 'note.write', { id: 'a', text: 'x' });`;

test('an attempt without its report has not passed; where the next one has, every format and the exit code say so', async (t) => {
  const { root, write, remove } = createRepository(moduleAgent('blocking', blocking));
  t.after(remove);
  const task = { instruction: 'Write.', input: join(root, 'out') };
  for (const [path, content] of Object.entries(drill('one', 'blocking', [noteIs('a', 'x')], { task }))) write(path, content);
  const reporters = 'terminal,junit=junit.xml,ctrf=ctrf.json';
  const { code, stdout, stderr } = await warmDrillyard(['run', '--report-dir', 'out', '--retries', '1', '--reporter', reporters], {
    cwd: root,
  });
  assert.match(stderr, /run_\w+: The folder \S+ cannot be made: a file is in its place/);
  assert.match(stdout, /PASSED {2}1 drill: 1 passed/);
  const { failures, errors } = readXml(readFileSync(join(root, 'junit.xml'), 'utf8')).attributes;
  const { summary } = JSON.parse(readFileSync(join(root, 'ctrf.json'), 'utf8')).results;
  assert.deepEqual([failures, errors, summary.passed, summary.failed, summary.flaky], ['0', '0', 1, 0, 1]);
  assert.equal(code, 0, stderr);
});
