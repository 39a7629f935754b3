// GROUP-STREAM-1
// A process whose file writes to a log is killed at a random moment, again and again: what it acknowledged is in the log, and its file is
// the log and the tail, no more and no less. DRILLYARD_CRASH_ROUNDS sets how often, DRILLYARD_CRASH_SEED draws the moments of an earlier
// run again.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { keyKinds, rangeOfKind, rowIdOfKey } from '../../src/worlds/kv/keys.js';
import { openingOf } from '../../src/worlds/kv/stream-position.js';
import { KvWriter } from '../../src/worlds/kv/writer.js';
import { engineFlags } from '../cli/cli.js';
import fc from '../fast-check.js';
import { temporaryFolder } from './storage-kit.js';
import { encodeLogged, readLogged } from './stream-crash-log.js';
import { digestOfStore, temporaryCopy } from './stream-kit.js';

const rounds = Math.ceil(Number(process.env.DRILLYARD_CRASH_ROUNDS ?? 8) / 2);
const seed = Number(process.env.DRILLYARD_CRASH_SEED ?? Date.now() % 2 ** 31);
const delayMsMax = 120;
const child = fileURLToPath(new URL('./stream-crash-child.js', import.meta.url));

test('what was acknowledged is in the log, and the file is the log and its tail', { timeout: 300_000 }, async (context) => {
  const folder = temporaryFolder(context);
  const [directory, logFile] = [join(folder, 'worlds'), join(folder, 'log')];
  writeFileSync(logFile, '');
  const delaysMs = fc.sample(fc.double({ min: 0, max: delayMsMax, noNaN: true }), { seed, numRuns: rounds });
  context.diagnostic(`the moments of DRILLYARD_CRASH_SEED=${seed}`);
  const acknowledged: string[] = [];
  const copy = temporaryCopy(context);
  for (let round = 0; round < rounds; round++) {
    acknowledged.push(...(await killedTurns([directory, logFile, String(round)], delaysMs[round] as number)));
    const logged = readLogged(logFile);
    copy.replay(logged.slice(copy.position.number));
    const rows = new Set([...copy.keys(rangeOfKind(keyKinds.row))].map(rowIdOfKey));
    for (const account of acknowledged) assert.ok(rows.has(account), `${account} was acknowledged and is not in the log`);
    const file = KvWriter.open({ directory: join(directory, 'host-0'), durability: 'committed' });
    const { position } = file;
    const tail = file.tail();
    const end = logged.length;
    const log = { end, nonce: logged[Math.min(position.number, end) - 1]?.nonce };
    const opening = openingOf({ position, tail, isSameBoot: true, log });
    context.diagnostic(`round ${round}: ${acknowledged.length} turns, ${end} records, position ${position.number}, ${opening}`);
    assert.ok(opening === 'continue' || opening === 'append_tail', opening);
    const missing = tail.filter(({ number }) => number > end);
    for (const record of missing) appendFileSync(logFile, encodeLogged(record));
    copy.replay(missing);
    assert.deepEqual(copy.position, position);
    assert.equal(digestOfStore(copy), digestOfStore(file));
    await file.close();
  }
  assert.ok(acknowledged.length > 0);
});

/** The turns that the process said were acknowledged, whole lines only; it is killed so long after the first. */
async function killedTurns(words: string[], delayMs: number): Promise<string[]> {
  const running = spawn(process.execPath, [...engineFlags, child, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [text, errors] = ['', ''];
  running.stderr.on('data', (chunk) => (errors += chunk));
  running.stdout.once('data', () => setTimeout(() => running.kill('SIGKILL'), delayMs));
  running.stdout.on('data', (chunk) => (text += chunk));
  const signal = await new Promise((resolve) => running.once('close', (_code, name) => resolve(name)));
  assert.equal(signal, 'SIGKILL', `the process ended by itself: ${errors}`);
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line.startsWith('turn-'));
}
