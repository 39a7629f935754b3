// A repository that is watched: what a change concerns, and what is said when it does not compile any more.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { InspectorEvent } from '../../src/contract/inspector/inspector.js';
import { drills, startTestInspector, type TestInspector, type TestStream } from './inspector-kit.js';

const isSource = (event: InspectorEvent) => event.type === 'source';

/** Writes until it is heard: the watch opens in its own time. */
async function heard(
  stream: TestStream,
  write: (round: number) => void,
  fits: (event: InspectorEvent) => boolean,
): Promise<InspectorEvent> {
  const before = stream.seen.length;
  const found = stream.until((event) => stream.seen.indexOf(event) >= before && fits(event));
  let isFound = false;
  void found.finally(() => {
    isFound = true;
  });
  for (let round = 1; !isFound; round++) {
    write(round);
    await Promise.race([found, setTimeout(500)]);
  }
  return found;
}

const agentOf = ({ repository }: TestInspector, name: string): string =>
  Object.keys(drills)
    .filter((path) => path.includes(name) && path.endsWith('.mjs'))
    .map((path) => join(repository.root, path))[0]!;

// SOURCE-CHANGES-1
test('a change of an agent concerns the drills of that agent alone, and the project is compiled before it is said', async (t) => {
  const inspector = await startTestInspector(t, { options: { watch: true } });
  const stream = await inspector.events();
  const agent = agentOf(inspector, 'hanging-agent');
  const text = readFileSync(agent, 'utf8');
  const event = await heard(stream, (round) => writeFileSync(agent, `${text}export const changed = ${round};\n`), isSource);
  assert.deepEqual(event, { type: 'source', files: [agent.slice(inspector.repository.root.length + 1)], drills: ['hangs'] });
  assert.ok(stream.seen.findIndex(({ type }) => type === 'project') < stream.seen.indexOf(event));
  await stream.end();
});

test('source that does not compile is said with the line it is about, and mended source concerns nothing', async (t) => {
  const inspector = await startTestInspector(t, { options: { watch: true } });
  const stream = await inspector.events();
  const file = join(inspector.repository.root, 'drillyard/all.suite.json');
  const text = readFileSync(file, 'utf8');
  const isBroken = (event: InspectorEvent) => event.type === 'project' && event.errors > 0;
  await heard(stream, (round) => writeFileSync(file, `{\n  "schemaVersion": 1,\n  "id": ${round}\n}\n`), isBroken);
  const { project, excerpts } = (await inspector.ask('/api/v1/project')).json;
  assert.equal(excerpts.length, project.diagnostics.length);
  assert.match(excerpts[project.diagnostics.findIndex(({ line }: { line: number }) => line === 3)], /"id": \d+/);
  const isMended = (event: InspectorEvent) => event.type === 'source' && event.drills.length === 0;
  await heard(stream, (round) => writeFileSync(file, `${text}${'\n'.repeat(round)}`), isMended);
  assert.equal((await inspector.ask('/api/v1/project')).json.project.diagnostics.length, 0);
  await stream.end();
});

// SOURCE-CHANGES-2
test('while a drill runs nothing is compiled; the change is taken up when it has ended', async (t) => {
  const inspector = await startTestInspector(t, { options: { watch: true } });
  const stream = await inspector.events();
  const agent = agentOf(inspector, 'writer-agent');
  const text = readFileSync(agent, 'utf8');
  // Watched from here on.
  await heard(stream, (round) => writeFileSync(agent, `${text}export const changed = ${round};\n`), isSource);
  const { request } = (await inspector.post('/api/v1/run-requests', { drillId: 'hangs' })).json;
  await stream.until((event) => event.type === 'run' && event.phase === 'started');
  const projects = () => stream.seen.filter(({ type }) => type === 'project').length;
  const before = projects();
  writeFileSync(agent, `${text}export const changed = 'while it runs';\n`);
  await inspector.post(`/api/v1/run-requests/${request.requestId}/cancel`);
  const sources = stream.seen.filter(isSource).length;
  await stream.until((event) => isSource(event) && stream.seen.filter(isSource).length > sources);
  const ended = stream.seen.findIndex((event) => event.type === 'run-request' && event.request.finishedAtMs !== undefined);
  const after = stream.seen.findIndex(
    ({ type }, index) => type === 'project' && stream.seen.slice(0, index + 1).filter((one) => one.type === 'project').length > before,
  );
  assert.ok(ended >= 0 && after > ended, `${ended} ${after}`);
  await stream.end();
});
