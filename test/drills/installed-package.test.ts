// A repository that uses an installed tool package: its tool code runs in a box where one is available, and the evidence is the same.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runDrills } from '../../src/index.js';
import { canBox } from '../../src/processes/bubblewrap.js';

const example = fileURLToPath(new URL('../../../examples/01-support-desk', import.meta.url));
const library = fileURLToPath(new URL('../../../library', import.meta.url));

/** The first example, with the tools of the library as packages that somebody installed. */
function repository(t: TestContext): string {
  const root = mkdtempSync(join(tmpdir(), 'drillyard-installed-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  // Without what earlier runs of the example left in its folder.
  cpSync(example, root, { recursive: true, filter: (path) => basename(path) !== '.service' });
  for (const name of ['payments', 'ticket-desk']) {
    const folder = join(root, 'node_modules', `@somebody/${name}`);
    mkdirSync(folder, { recursive: true });
    cpSync(join(library, name), folder, { recursive: true });
  }
  // A busy machine takes longer than the example allows, and what is asked here is no question of time.
  const target = join(root, 'drillyard/targets/refund-agent.target.yaml');
  writeFileSync(target, readFileSync(target, 'utf8').replace(/^( *timeoutMs:) .*$/m, '$1 110000'));
  const file = join(root, 'drillyard.json');
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('library:', '@somebody/'));
  return root;
}

type Result = Awaited<ReturnType<typeof runDrills>>;
const attemptsOf = ({ drills }: Result) => drills.flatMap(({ trials }) => trials.flatMap(({ attempts }) => attempts));

test('an installed package runs in a box where one is available, and in threads with a notice where not', {
  timeout: 120_000,
}, async (t) => {
  const root = repository(t);
  const notices: string[] = [];
  const options = { root, drills: ['refund-happy-path'], reportDirectory: false as const, onNotice: (text: string) => notices.push(text) };
  const chosen = await runDrills(options);
  assert.equal(chosen.verdict, 'passed');
  assert.equal(notices.length, canBox().works ? 0 : 1);
  const inThreads = await runDrills({ ...options, isolate: 'thread' });
  const hashes = (result: Result) => attemptsOf(result).map(({ result: { stateHash, evidenceHash } }) => [stateHash, evidenceHash]);
  assert.deepEqual(hashes(chosen), hashes(inThreads));
  // The worlds are kept where those of every run are, and no box is left.
  const kept = readdirSync(join(root, '.service/runs')).sort();
  assert.deepEqual(kept, [...attemptsOf(chosen), ...attemptsOf(inThreads)].map(({ runId }) => runId).sort());
});

test('boxes that are not available are refused by name', { skip: canBox().works && 'boxes are available here' }, async (t) => {
  await assert.rejects(runDrills({ root: repository(t), isolate: 'box' }), { code: 'control.UNAVAILABLE' });
});
