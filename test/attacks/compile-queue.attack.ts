// Patterns that a backtracking engine never ends, in builds and in rows of datasets: bounded each, and others' builds come in between.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ControlError } from '../../src/client/control-error.js';
import { attempt, endWell, modes, newParty, publish, startGround } from './kit.js';
import { attackerFiles, hostilePattern, hostileText, patternFiles } from './sources.js';

/** By its row, or as one too many. */
const refused = ['control.INVALID_REQUEST pattern', 'control.RATE_LIMITED undefined', 'control.QUOTA_EXCEEDED undefined'];

/** So many of the attackers' builds a build of somebody else may have to wait for. */
const buildsWaitedForMax = 3;

for (const mode of modes) {
  test(`${mode}: hostile patterns of other projects delay a build by few tasks at most`, { timeout: 240_000 }, async (t) => {
    const ground = await startGround(mode, {});
    const [first, second, victim] = [await newParty(ground, 'first'), await newParty(ground, 'second'), await newParty(ground, 'victim')];
    const quiet = await timed(() => attempt(victim, attackerFiles('quiet')));
    const place = await publish(first, patternFiles({ row: false }));
    const records = [{ rowId: 'bad', value: { text: hostileText } }];
    const dataset = (): Promise<string> =>
      first.client
        .createDataset({
          path: { projectId: first.projectId },
          body: { name: 'rows', buildHash: place.buildHash, packageId: 'attacker', collections: [{ namespace: 'rows', records }] },
        })
        .then(
          () => 'made',
          (error: unknown) => (error instanceof ControlError ? `${error.code} ${error.envelope.issues?.[0]?.code}` : String(error)),
        );
    const [builds, datasets, beside] = await Promise.all([
      Promise.all([first, second].map((party) => timed(() => attempt(party, patternFiles({ row: true, nonce: 'hostile' }))))),
      Promise.all(Array.from({ length: 16 }, () => timed(dataset))),
      timed(() => attempt(victim, attackerFiles('beside'))),
    ]);
    const longest = (all: { ms: number }[]): number => Math.round(Math.max(...all.map(({ ms }) => ms)));
    t.diagnostic(`pattern ${hostilePattern}: builds ${longest(builds)} ms at most, datasets ${longest(datasets)} ms at most`);
    t.diagnostic(`victim's build: ${Math.round(quiet.ms)} ms quiet, ${Math.round(beside.ms)} ms under attack`);
    assert.equal(quiet.result.attempt?.state, 'succeeded');
    assert.equal(beside.result.attempt?.state, 'succeeded', JSON.stringify(beside.result.operation.error));
    const allowedMs = quiet.ms + buildsWaitedForMax * longest(builds);
    assert.ok(beside.ms <= allowedMs, `it took ${Math.round(beside.ms)} ms, and ${Math.round(allowedMs)} are allowed`);
    for (const { result } of builds) {
      const { state, error } = result.operation;
      t.diagnostic(`a build: ${error?.code} ${error?.issues?.map(({ code, path }) => `${code} ${path}`)}`);
      assert.equal(state, 'failed', 'a row that does not match was taken');
      assert.ok(
        error?.issues?.every(({ path }) => !path.includes('tool.yaml')) ?? true,
        'the tool itself is refused: nothing was attacked',
      );
    }
    t.diagnostic(`datasets: ${[...new Set(datasets.map(({ result }) => result))]}`);
    for (const { result } of datasets) assert.ok(refused.includes(result), result);
    await endWell(ground, t);
  });
}

async function timed<T>(work: () => Promise<T>): Promise<{ result: T; ms: number }> {
  const began = performance.now();
  const result = await work();
  return { result, ms: performance.now() - began };
}
