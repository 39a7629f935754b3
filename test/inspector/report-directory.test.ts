// The list of saved runs: its order, its pages, what is unavailable; and reports that are not as they were sealed.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sha256Digest } from '../../src/contract/digest.js';
import type { RunsReply } from '../../src/contract/inspector/runs.js';
import { faultsOf } from '../../src/inspector/journal/archive.js';
import { byPlace, PageCursors } from '../../src/inspector/page-cursor.js';
import { projectionRevision } from '../../src/reports/projections.js';
import { writeRunReport } from '../../src/reports/write-run-report.js';
import fc from '../fast-check.js';
import { passingRun } from '../reports/fixtures.js';
import { assertRefused, onEachEngine, startTestInspector, type TestInspector } from './inspector-kit.js';

const runIdOf = (number: number): string => `run_01kjpf3q5d0c9h8r7s6t5v${String(number).padStart(4, '0')}`;

/** Reports of a run each; the folder of run k was last changed in second `seconds[k]`. */
async function shelve(inspector: TestInspector, seconds: readonly number[]): Promise<string[]> {
  mkdirSync(inspector.reports, { recursive: true });
  const ids = seconds.map((_, index) => runIdOf(index));
  for (const [index, runId] of ids.entries()) {
    const { report, lines, attachments } = passingRun(runId);
    await writeRunReport({ reportDirectory: inspector.reports, report, evidenceLines: lines, attachments });
    utimesSync(join(inspector.reports, runId), seconds[index]!, seconds[index]!);
  }
  return ids;
}

async function listAll(inspector: TestInspector, limit: number): Promise<RunsReply[]> {
  const pages: RunsReply[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const answer = await inspector.ask(`/api/v1/runs?limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`);
    assert.equal(answer.status, 200, answer.text);
    pages.push(answer.json);
    cursor = (answer.json as RunsReply).nextCursor;
  }
  return pages;
}

onEachEngine('ordered by modification time, then run id, whatever the size of the pages', async (t, engine) => {
  const inspector = await startTestInspector(t, { engine });
  assert.deepEqual((await inspector.ask('/api/v1/runs')).json, { schemaVersion: 1, runs: [], unavailable: [], active: [] });
  const ids = await shelve(inspector, [50, 10, 30, 30, 30, 70]);
  const expected = [5, 0, 4, 3, 2, 1].map((index) => ids[index]);
  for (const limit of [1, 2, 3, 5, 6, 500]) {
    const pages = await listAll(inspector, limit);
    assert.deepEqual(
      pages.flatMap(({ runs }) => runs.map(({ runId }) => runId)),
      expected,
      `pages of ${limit}`,
    );
    assert.equal(pages.length, Math.ceil(6 / limit));
  }
});

// PLAIN-FILE-1
onEachEngine('a pipe or a link in the place of a file of a report is refused at once', async (t, engine) => {
  const inspector = await startTestInspector(t, { engine });
  const ids = await shelve(inspector, [10, 20, 30, 40, 50]);
  const place = (index: number, file: string): string => join(inspector.reports, ids[index]!, file);
  for (const [index, file] of ['manifest.json', 'report.json', 'evidence.jsonl'].entries()) {
    rmSync(place(index, file));
    execFileSync('mkfifo', [place(index, file)]);
  }
  rmSync(place(3, 'manifest.json'));
  symlinkSync('/dev/zero', place(3, 'manifest.json'));
  const { runs, unavailable } = (await inspector.ask('/api/v1/runs')).json as RunsReply;
  const listed = [...runs, ...unavailable].map(({ runId }) => runId).sort();
  assert.deepEqual(listed, [...ids].sort());
  assert.ok(runs.some(({ runId }) => runId === ids[4]));
  for (const id of ids) {
    const { status } = await inspector.ask(`/api/v1/runs/${id}/report`);
    assert.equal(status === 200, id === ids[4], `${id}: ${status}`);
  }
});

// PAGE-CURSOR-1
onEachEngine('the list by verdict, drill and text, without case, says what decided each run', async (t, engine) => {
  const inspector = await startTestInspector(t, { engine, played: ['passes', 'fails'] });
  const [passes, fails] = inspector.played;
  const list = async (query: string): Promise<[string, string][]> =>
    ((await inspector.ask(`/api/v1/runs?${query}`)).json as RunsReply).runs.map(({ runId, headline }) => [runId, headline]);
  const [passed, failed] = [
    [passes, 'The one assertion holds'],
    [fails, 'note-a does not hold'],
  ] as const;
  assert.deepEqual(await list('verdict=failed'), [failed]);
  assert.deepEqual(await list('drillId=passes'), [passed]);
  assert.deepEqual(await list('q=it%20WRITES'), [passed]);
  assert.deepEqual(await list('q=QUICK'), [passed]);
  assert.deepEqual(await list('q=does%20not%20hold&drillId=fails'), [failed]);
  assert.deepEqual(await list('verdict=failed&drillId=passes'), []);
});

onEachEngine('a cursor survives refresh and its anchor, and is good for its directory only', async (t, engine) => {
  const inspector = await startTestInspector(t, { engine });
  const ids = await shelve(inspector, [1, 2, 3, 4]);
  const { nextCursor } = (await inspector.ask('/api/v1/runs?limit=2')).json as RunsReply;
  await inspector.post('/api/v1/refresh');
  rmSync(join(inspector.reports, ids[2]!), { recursive: true });
  const rest = (await inspector.ask(`/api/v1/runs?limit=2&cursor=${nextCursor}`)).json as RunsReply;
  assert.deepEqual(
    rest.runs.map(({ runId }) => runId),
    [ids[1], ids[0]],
  );
  const other = await startTestInspector(t, { engine });
  await shelve(other, [1, 2, 3]);
  assertRefused(await other.ask(`/api/v1/runs?cursor=${nextCursor}`), 400, 'control.CURSOR_INVALID');
  for (const cursor of ['x', `${nextCursor}A`, nextCursor!.slice(0, -2), Buffer.from('5:run_x').toString('base64url')])
    assertRefused(await inspector.ask(`/api/v1/runs?cursor=${cursor}`), 400, 'control.CURSOR_INVALID');
  assertRefused(await inspector.ask(`/api/v1/runs?cursor=${'a'.repeat(2049)}`), 400, 'control.INVALID_REQUEST');
});

// PAGE-CURSOR-1
test('any cursor given is the place it was made of, and no other text is one', () => {
  const places = fc.record({
    modifiedNs: fc.bigInt({ min: 0n, max: 10n ** 19n }),
    name: fc.string({ minLength: 1, maxLength: 64, unit: 'grapheme' }),
  });
  const cursors = new PageCursors('/one');
  fc.assert(
    fc.property(places, places, fc.nat(), (place, another, at) => {
      const cursor = cursors.cursorOf(place);
      assert.deepEqual(cursors.placeOf(cursor), { ...place });
      assert.ok(Math.sign(byPlace(place, another)) === -Math.sign(byPlace(another, place)));
      const index = at % cursor.length;
      const forged = cursor.slice(0, index) + (cursor[index] === 'A' ? 'B' : 'A') + cursor.slice(index + 1);
      assert.throws(() => cursors.placeOf(forged), { code: 'control.CURSOR_INVALID' });
      assert.throws(() => new PageCursors('/other').placeOf(cursor), { code: 'control.CURSOR_INVALID' });
    }),
  );
});

// REPORT-DIRECTORY-2
onEachEngine('what is no report is unavailable, takes a place, and tells no path', async (t, engine) => {
  const inspector = await startTestInspector(t, { engine });
  const ids = await shelve(inspector, [1, 2, 3, 4, 5, 6, 7]);
  const at = (index: number, file = '') => join(inspector.reports, ids[index]!, file);
  const breakReport: (() => void)[] = [
    () => rmSync(at(0, 'manifest.json')),
    () => appendFileSync(at(1, 'report.json'), ' '),
    () => appendFileSync(at(2, 'evidence.jsonl'), '{}\n'),
    () => writeFileSync(at(3, 'manifest.json'), 'no JSON'),
    () => {
      // A folder under a foreign run's name.
      rmSync(at(4), { recursive: true });
      cpSync(at(6), at(4), { recursive: true });
    },
    () => {
      renameSync(at(5), join(inspector.repository.root, 'elsewhere'));
      symlinkSync(join(inspector.repository.root, 'elsewhere'), at(5));
    },
  ];
  for (const one of breakReport) one();
  mkdirSync(join(inspector.reports, 'not-a-run'));
  mkdirSync(join(inspector.reports, '.draft'));
  writeFileSync(join(inspector.reports, 'notes.txt'), 'a loose file');
  const answer = await inspector.ask('/api/v1/runs');
  const page = answer.json as RunsReply;
  assert.deepEqual(
    page.runs.map(({ runId }) => runId),
    [ids[6]],
  );
  assert.deepEqual(page.unavailable.map(({ name }) => name).sort(), [...ids.slice(0, 6), 'not-a-run'].sort());
  assert.ok(page.unavailable.every(({ problems }) => problems.length > 0));
  assert.ok(!answer.text.includes(inspector.repository.root));
  const small = await listAll(inspector, 2);
  assert.ok(small.slice(0, -1).every(({ runs, unavailable }) => runs.length + unavailable.length === 2));
  // None of them is served either.
  for (const runId of ids.slice(0, 6)) {
    for (const path of ['', '/evidence', '/state-namespaces', '/assertions', '/report', '/report/attachments']) {
      const refused = await inspector.ask(`/api/v1/runs/${runId}${path}`);
      assertRefused(refused, 409, 'control.STATE_CONFLICT');
      assert.ok(!refused.text.includes(inspector.repository.root), refused.text);
    }
    const availability = await inspector.ask(`/api/v1/runs/${runId}/report/availability`);
    if (availability.status === 200) assert.deepEqual([availability.json.available, availability.json.formats], [false, []]);
    else assertRefused(availability, 409, 'control.STATE_CONFLICT');
  }
});

onEachEngine('a page is not served because its manifest says that another writer made it', async (t, engine) => {
  const inspector = await startTestInspector(t, { engine, played: ['passes', 'fails'] });
  for (const [index, runId] of inspector.played.entries()) {
    const folder = join(inspector.reports, runId);
    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
    const html = '<h1>PASSED</h1>';
    writeFileSync(join(folder, 'index.html'), html);
    Object.assign(
      manifest.files.find(({ path }: { path: string }) => path === 'index.html'),
      { bytes: html.length, sha256: sha256Digest(html) },
    );
    manifest.projectionRevision = [0, projectionRevision + 1][index];
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
    const { available, problems } = (await inspector.ask(`/api/v1/runs/${runId}/report/availability`)).json;
    assert.deepEqual([available, problems[0]?.code], [false, 'MANIFEST_INVALID']);
    for (const path of ['report', 'report/zip'])
      assertRefused(await inspector.ask(`/api/v1/runs/${runId}/${path}`), 409, 'control.STATE_CONFLICT');
  }
});

test('what could not be compared is a reason not to serve a report', () => {
  const verified = { ok: true, runId: runIdOf(1), problems: [], notCompared: [] };
  assert.deepEqual(faultsOf(verified, runIdOf(1)), []);
  assert.deepEqual(
    faultsOf({ ...verified, notCompared: ['index.html'] }, runIdOf(1)).map(({ file, code }) => [file, code]),
    [['index.html', 'NOT_COMPARED']],
  );
});

onEachEngine('the report and its attachments leave verified and inert', async (t, engine) => {
  const inspector = await startTestInspector(t, { engine, played: ['passes'] });
  const runId = inspector.played[0]!;
  const folder = join(inspector.reports, runId);
  const base = `/api/v1/runs/${runId}/report`;
  assert.deepEqual((await inspector.ask(`${base}/availability`)).json, {
    schemaVersion: 1,
    runId,
    available: true,
    formats: ['html', 'json', 'junit', 'text'],
    problems: [],
    world: true,
  });
  const html = await inspector.ask(base);
  assert.equal(html.text, readFileSync(join(folder, 'index.html'), 'utf8'));
  assert.match(String(html.headers['content-type']), /^text\/html/);
  assert.match(String(html.headers['content-security-policy']), /^sandbox/);
  const zip = await inspector.ask(`${base}/zip`);
  assert.equal(zip.headers['content-type'], 'application/zip');
  // The names in the directory at its end: the manifest, and every file that it names.
  const { files } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as { files: { path: string }[] };
  for (const { path } of [{ path: 'manifest.json' }, ...files]) assert.ok(zip.bytes.includes(`${runId}/${path}`), path);
  const { attachments } = (await inspector.ask(`${base}/attachments`)).json;
  const page = attachments.find(({ name }: { name: string }) => name === 'notes.html');
  assert.deepEqual([page.mediaType, page.bytes, page.available], ['text/html', 25, true]);
  assert.match(page.path, /^attachments\/[A-Za-z0-9_-]+\.bin$/);
  const bytes = await inspector.ask(`${base}/attachments/${page.id}`);
  assert.equal(bytes.text, '<script>alert(1)</script>');
  assert.equal(sha256Digest(bytes.bytes), page.hash);
  assert.deepEqual(
    ['content-type', 'content-disposition', 'x-content-type-options'].map((name) => bytes.headers[name]),
    ['application/octet-stream', 'attachment', 'nosniff'],
  );
  assertRefused(await inspector.ask(`${base}/attachments/unknown-id`), 404, 'control.NOT_FOUND');
  assertRefused(await inspector.ask(`${base}/attachments/manifest`), 404, 'control.NOT_FOUND');
});

// ARCHIVE-1, ARCHIVE-2
onEachEngine('a bundle that changes is not served any more, and is again when it is as it was', async (t, engine) => {
  const inspector = await startTestInspector(t, { engine, played: ['passes'] });
  const runId = inspector.played[0]!;
  const folder = join(inspector.reports, runId);
  const base = `/api/v1/runs/${runId}/report`;
  const { attachments } = (await inspector.ask(`${base}/attachments`)).json;
  const attachment = attachments.find(({ name }: { name: string }) => name === 'notes.html');
  const paths = [base, `${base}/attachments`, `${base}/attachments/${attachment.id}`];
  const secret = join(tmpdir(), `drillyard-secret-${process.pid}-${engine.length}`);
  writeFileSync(secret, '<script>alert(1)</script>');
  t.after(() => rmSync(secret, { force: true }));
  const attacks: { [what: string]: (file: string) => void } = {
    'another content of the same length': (file) =>
      writeFileSync(
        file,
        readFileSync(file, 'utf8').replace(/[a-z]/, (letter) => (letter === 'a' ? 'b' : 'a')),
      ),
    'a link to a file of the same content': (file) => {
      rmSync(file);
      symlinkSync(secret, file);
    },
    'no file': (file) => rmSync(file),
  };
  for (const [what, attack] of Object.entries(attacks)) {
    for (const name of [attachment.path, 'index.html', 'evidence.jsonl']) {
      const file = join(folder, name);
      const before = readFileSync(file);
      attack(file);
      for (const path of paths) assertRefused(await inspector.ask(path), 409, 'control.STATE_CONFLICT');
      assert.equal((await inspector.ask(`${base}/availability`)).json.available, false, `${name}: ${what}`);
      if (name === 'evidence.jsonl') assertRefused(await inspector.ask(`/api/v1/runs/${runId}/evidence`), 409, 'control.STATE_CONFLICT');
      rmSync(file, { force: true });
      writeFileSync(file, before);
      for (const path of paths) assert.equal((await inspector.ask(path)).status, 200, `${name}: ${what}, put right`);
    }
  }
  writeFileSync(join(folder, 'more.txt'), 'nobody named it');
  assertRefused(await inspector.ask(base), 409, 'control.STATE_CONFLICT');
  rmSync(join(folder, 'more.txt'));
  // The whole folder swapped for a link to another place.
  renameSync(folder, `${folder}-moved`.replace('/reports/', '/'));
  symlinkSync(`${folder}-moved`.replace('/reports/', '/'), folder);
  for (const path of [...paths, `/api/v1/runs/${runId}`, `/api/v1/runs/${runId}/evidence`])
    assertRefused(await inspector.ask(path), 409, 'control.STATE_CONFLICT');
});

onEachEngine('directories are those of the launch options', async (t, engine) => {
  const inspector = await startTestInspector(t, { engine, options: { reportDirectory: 'kept/reports', runDirectory: 'kept/worlds' } });
  const { runs } = await inspector.run({ drillId: 'passes' });
  assert.deepEqual(await inspector.runIds(), [runs[0]!.runId]);
  assert.ok(readFileSync(join(inspector.repository.root, 'kept/reports', runs[0]!.runId, 'run.json')).length > 0);
  assert.ok(readFileSync(join(inspector.repository.root, 'kept/worlds', runs[0]!.runId, 'data.mdb')).length > 0);
});
