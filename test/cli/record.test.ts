// Runs of the examples, recorded: what is written compiles, and its drills pass.
import assert from 'node:assert/strict';
import { appendFileSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { recordRun, runDrills, validateRepository } from '../../src/index.js';
import { drill, moduleAgent, noteIs, temporaryRepositories } from '../drills/repository.js';
import { jsonLines } from './cli.js';
import { warmDrillyard } from './warm-cli.js';

const repository = temporaryRepositories();
const scratch = mkdtempSync(join(tmpdir(), 'drillyard-record-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

function example(name: string): string {
  const root = join(mkdtempSync(join(scratch, 'at-')), name);
  const from = fileURLToPath(new URL(`../../../examples/${name}`, import.meta.url));
  cpSync(from, root, { recursive: true, filter: (path) => !/\.service$|node_modules$/.test(path) });
  return root;
}
const record = (root: string, ...args: string[]) => warmDrillyard(['record', ...args, '--root', root]);

/** Each run of these drills, as a drill of its own; then all of them at once. */
async function recordEach(root: string, drills: string[]): Promise<void> {
  const { drills: played } = await runDrills({ root, drills, concurrency: 2 });
  const ids: string[] = [];
  for (const { drillId, trials } of played) {
    for (const { trial, attempts } of trials) {
      const id = `recorded-${drillId}-${trial}`;
      const { code, stderr, stdout } = await record(root, attempts.at(-1)!.runId, '--drill', id, '--write');
      assert.equal(code, 0, stderr + stdout);
      ids.push(id);
    }
  }
  assert.deepEqual((await validateRepository({ root })).diagnostics, []);
  const again = await runDrills({ root, drills: ids, concurrency: 2 });
  const failed = again.drills.filter(({ verdict }) => verdict !== 'passed');
  assert.deepEqual(
    failed.map(({ drillId, trials }) => [
      drillId,
      trials[0]?.attempts.at(-1)?.result.assertionResults.filter(({ status }) => status !== 'passed'),
    ]),
    [],
  );
}

// RECORDING-1, RECORDED-PINS-1, RECORDED-SCRIPT-1
test('every run of the support desk is a drill that compiles and passes, those that failed too', async () => {
  await recordEach(example('01-support-desk'), [
    ...['auditor-cannot-refund', 'careless-refund', 'refund-happy-path', 'refund-lost-answer', 'refund-over-limit'],
    ...['refund-policy-changed', 'refund-too-late', 'sla-escalation', 'triage-on-a-rough-day'],
  ]);
});

test('runs with callbacks, waits and agents in processes of their own, too', async () => {
  const root = example('05-webhook-receiver');
  await recordEach(root, ['settled-once']);
  // What came between two events of one moment, as their callbacks were delivered, only the agent itself can do again.
  await runDrills({ root, drills: ['rough-mail'] });
  const { code, stderr } = await record(root, 'latest', '--drill', 'by-calls');
  assert.deepEqual([code, /came before event \d+/.test(stderr)], [2, true], stderr);
  assert.equal((await record(root, 'latest', '--drill', 'by-agent', '--target', 'careful', '--write')).code, 0);
  assert.equal((await runDrills({ root, drills: ['by-agent'] })).verdict, 'passed');
});

// RECORDED-WORLD-1, RECORDED-FILES-1
test('a scenario begins where the world stood; nothing is written unasked, over other content, or through a link', async () => {
  const root = example('01-support-desk');
  const { drills } = await runDrills({ root, drills: ['sla-escalation', 'careless-refund'] });
  const attemptOf = (id: string) => drills.find(({ drillId }) => drillId === id)?.trials[0]?.attempts[0];
  const [sla, careless] = [attemptOf('sla-escalation'), attemptOf('careless-refund')];
  const file = join(root, 'drillyard/scenarios/afternoon.scenario.yaml');
  const shown = await record(root, sla!.runId, '--scenario', 'afternoon');
  assert.match(shown.stdout, /afternoon\.scenario\.yaml {2}\(new\)[\s\S]*virtualTimeUs: 17724\d+[\s\S]*Nothing was written/);
  assert.ok(!existsSync(file));
  assert.equal((await record(root, sla!.runId, '--scenario', 'afternoon', '--write')).code, 0);
  assert.deepEqual((await validateRepository({ root })).diagnostics, []);

  const kept = await record(
    root,
    careless!.runId,
    '--drill',
    'paid-twice',
    '--pin',
    'payments/refunds/re_000002',
    '--pin',
    '16',
    '--write',
  );
  assert.equal(kept.code, 0, kept.stdout + kept.stderr);
  assert.match(readFileSync(join(root, 'drillyard/drills/paid-twice.drill.yaml'), 'utf8'), /kind: state\.value[\s\S]*re_000002/);
  // The same start, and nothing happened: the rows are those that the run ended with.
  writeFileSync(
    join(root, 'drillyard/drills/then.drill.yaml'),
    'schemaVersion: 1\nid: then\nscenarioId: afternoon\ntargetId: recorded-calls\ntimeline: {}\nassertions: [{ id: same, kind: state.unchanged }]\n',
  );
  const then = await runDrills({ root, drills: ['then', 'paid-twice'] });
  assert.deepEqual(
    then.drills.map(({ verdict }) => verdict),
    ['passed', 'passed'],
  );
  assert.equal(then.drills.find(({ drillId }) => drillId === 'then')!.trials[0]!.attempts[0]!.result.stateHash, sla!.result.stateHash);

  rmSync(join(root, 'drillyard/drills/then.drill.yaml'));
  appendFileSync(file, '# mine\n');
  const other = await record(root, sla!.runId, '--scenario', 'afternoon', '--write');
  assert.deepEqual([other.code, /there with other content; nothing was written/.test(other.stderr)], [1, true], other.stderr);
  assert.match(readFileSync(file, 'utf8'), /# mine\n$/);
  rmSync(file);
  symlinkSync(join(scratch, 'elsewhere'), file);
  assert.equal((await record(root, sla!.runId, '--scenario', 'afternoon', '--write', '--replace')).code, 2);
  assert.ok(!existsSync(join(scratch, 'elsewhere')));
  rmSync(file);
  assert.equal((await record(root, sla!.runId, '--scenario', '../x', '--write')).code, 2);
  const [line] = jsonLines((await record(root, careless!.runId, '--drill', 'by-agent', '--target', 'careless-agent', '--json')).stdout);
  assert.match(JSON.stringify(line), /Refund what the requester of the ticket asks for/);
});

// RECORDED-WORLD-1
test('an initial event that has fired is not still to come, at any virtual time; a report is named as its result names it', async () => {
  for (const startUs of [-5000, 5000]) {
    const due = (id: string, atUs: number) => ({
      event: { packageId: 'notes', eventId: 'note.due' },
      payload: { id },
      atUs,
      actorId: 'writer',
    });
    const initialEvents = [due('before', startUs - 10), due('fired', startUs + 100), due('later', startUs + 2000)];
    const scenario = { schemaVersion: 1, id: 'early', virtualTimeUs: startUs, initialEvents };
    const { root } = repository(
      { 'drillyard/early.scenario.json': scenario },
      moduleAgent('agent', "await context.world.call('notes', 'note.write', { id: 'a', text: 'x' });"),
      drill('d', 'agent', [noteIs('due-fired', `at ${startUs + 100}`)], {
        scenarioId: 'early',
        timeline: { horizonUs: 1000, interactions: [{ id: 'one', actorId: 'writer', task: { instruction: 'x' } }] },
      }),
    );
    const { drills, verdict } = await runDrills({ root });
    assert.equal(verdict, 'passed');
    const { report } = drills[0]!.trials[0]!.attempts[0]!;
    const { files } = await recordRun({ root, report, as: 'scenario', id: 'recorded' });
    assert.deepEqual(
      files.map(({ text }) => [...text.matchAll(/atUs: (-?\d+)/g)].map(([, atUs]) => Number(atUs))),
      [[startUs + 2000]],
    );
    await assert.rejects(recordRun({ root, report: '', as: 'scenario', id: 'recorded' }), { code: 'control.NOT_FOUND' });
  }
});
