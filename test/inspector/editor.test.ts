// Opening a place of the source in an editor: the program comes from the environment, the file from what was compiled.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { editorOf } from '../../src/inspector/editor.js';
import { assertRefused, startTestInspector } from './inspector-kit.js';

test('the words of the variable are a program and its arguments, with a place for the file and the line', () => {
  assert.equal(editorOf({}), undefined);
  assert.equal(editorOf({ DRILLYARD_EDITOR: '  ' }), undefined);
  assert.deepEqual(editorOf({ DRILLYARD_EDITOR: 'code -g' }), ['code', '-g', '{file}:{line}']);
  assert.deepEqual(editorOf({ DRILLYARD_EDITOR: 'vim +{line} {file}' }), ['vim', '+{line}', '{file}']);
});

// EDITOR-1
test('the place of a drill is opened by the named program; a path is nothing that can be asked for', async (t) => {
  const before = process.env.DRILLYARD_EDITOR;
  t.after(() => {
    if (before === undefined) delete process.env.DRILLYARD_EDITOR;
    else process.env.DRILLYARD_EDITOR = before;
  });
  const desk = mkdtempSync(join(tmpdir(), 'drillyard-editor-'));
  t.after(() => rmSync(desk, { recursive: true, force: true }));
  const double = join(desk, 'double.mjs');
  writeFileSync(
    double,
    `import { renameSync, writeFileSync } from 'node:fs'; process.chdir(${JSON.stringify(desk)}); writeFileSync('part', process.argv.slice(2).join(' ')); renameSync('part', 'opened');`,
  );
  process.env.DRILLYARD_EDITOR = `${process.execPath} ${double} {file} {line}`;
  const inspector = await startTestInspector(t);
  assert.equal((await inspector.ask('/api/v1/project')).json.editor, true);
  const opened = new Promise<void>((resolve) => {
    const watcher = watch(desk, (_, name) => {
      if (name !== 'opened') return;
      watcher.close();
      resolve();
    });
  });
  const answer = await inspector.post('/api/v1/editor', { drillId: 'passes' });
  assert.equal(answer.status, 200, answer.text);
  const { file, line } = answer.json;
  await opened;
  assert.equal(readFileSync(join(desk, 'opened'), 'utf8'), `${join(inspector.repository.root, file)} ${line}`);
  assertRefused(await inspector.post('/api/v1/editor', { file: '/etc/passwd' }), 400, 'control.INVALID_REQUEST');
  assertRefused(await inspector.post('/api/v1/editor', {}), 400, 'control.INVALID_REQUEST');
  assertRefused(await inspector.post('/api/v1/editor', { drillId: 'nobody' }), 404, 'control.NOT_FOUND');
});

test('without an editor there is none to open, and the page is not offered one', async (t) => {
  const inspector = await startTestInspector(t);
  assert.equal((await inspector.ask('/api/v1/project')).json.editor, false);
  assertRefused(await inspector.post('/api/v1/editor', { drillId: 'passes' }), 409, 'control.STATE_CONFLICT');
});
