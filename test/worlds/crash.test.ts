// A process that works on a world is killed at a random moment, again and again. What it acknowledged is there, nothing is there by
// half, the hashes agree with the exported lines, and a retry gets the first answer. DRILLYARD_CRASH_ROUNDS sets how often (default 10),
// DRILLYARD_CRASH_SEED draws the moments of an earlier run again.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { compileProject } from '../../src/compiler/compile.js';
import type { CompiledBuild } from '../../src/contract/run/build.js';
import type { EvidenceEntry, OperationEntry } from '../../src/contract/world/evidence.js';
import type { CallResult } from '../../src/contract/world/world-protocol.js';
import type { WorldRef } from '../../src/worlds/api.js';
import { openWorlds } from '../../src/worlds/worlds.js';
import { engineFlags } from '../cli/cli.js';
import fc from '../fast-check.js';
import { amountOf, crashWorldId, isAdd, openOrCreate, turnOf } from './crash-turns.js';

const rounds = Number(process.env.DRILLYARD_CRASH_ROUNDS ?? 10);
const seed = Number(process.env.DRILLYARD_CRASH_SEED ?? Date.now() % 2 ** 31);
const delayMsMax = 60;
/** A fresh world every so many rounds keeps the cost of reading the whole journal in hand. */
const roundsPerWorld = 10;
const child = fileURLToPath(new URL('./crash-child.js', import.meta.url));
let scratch = '';
let build: CompiledBuild;

before(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'drillyard-crash-'));
  const compiled = await compileProject({ root: fileURLToPath(new URL('../../../test/fixtures/counter', import.meta.url)) });
  assert.ok(compiled.build, JSON.stringify(compiled.diagnostics));
  build = compiled.build;
  writeFileSync(join(scratch, 'build.json'), JSON.stringify(build));
});
after(() => rmSync(scratch, { recursive: true, force: true }));

for (const layout of ['run', 'shared'] as const) {
  test(`${layout} layout: what was acknowledged survives a SIGKILL at any moment`, { timeout: 600_000 }, async (context) => {
    const share = Math.ceil(rounds / 2);
    const delaysMs = fc.sample(fc.double({ min: 0, max: delayMsMax, noNaN: true }), { seed, numRuns: share });
    context.diagnostic(`the moments of DRILLYARD_CRASH_SEED=${seed}`);
    let acknowledged = new Map<number, CallResult>();
    let next = 0;
    let directory = '';
    for (let round = 0; round < share; round++) {
      if (round % roundsPerWorld === 0) {
        directory = mkdtempSync(join(scratch, `${layout}-`));
        acknowledged = new Map();
        next = 0;
      }
      const delayMs = delaysMs[round] as number;
      const last = await killedChild({ directory, layout, first: next, delayMs, acknowledged });
      const checked = await verifyWorld({ directory, layout, acknowledged, next: Math.max(next, last + 1) });
      context.diagnostic(
        `round ${round}: killed ${delayMs.toFixed(1)} ms after the first answer, ${acknowledged.size} turns acknowledged, ${checked} entries`,
      );
      next = Math.ceil((Math.max(next, last + 1) + 4) / 4) * 4;
    }
  });
}

/** Starts the child, waits for its first answer and then `delayMs` more, kills it; gives the largest index acknowledged. */
async function killedChild(options: {
  directory: string;
  layout: 'run' | 'shared';
  first: number;
  delayMs: number;
  acknowledged: Map<number, CallResult>;
}): Promise<number> {
  const { directory, layout, first, delayMs, acknowledged } = options;
  const running = spawn(process.execPath, [...engineFlags, child, directory, join(scratch, 'build.json'), layout, String(first)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  let errors = '';
  let armed = false;
  running.stderr.on('data', (chunk) => (errors += chunk));
  running.stdout.on('data', (chunk) => {
    text += chunk;
    if (armed) return;
    armed = true;
    setTimeout(() => running.kill('SIGKILL'), delayMs);
  });
  const signal = await new Promise((resolve) => running.once('close', (_code, name) => resolve(name)));
  assert.equal(signal, 'SIGKILL', `the child ended by itself: ${errors}`);
  let last = first - 1;
  for (const line of text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter(Boolean)) {
    const { index, answer } = JSON.parse(line) as { index: number; answer: CallResult };
    acknowledged.set(index, answer);
    last = Math.max(last, index);
  }
  return last;
}

async function verifyWorld(options: {
  directory: string;
  layout: 'run' | 'shared';
  acknowledged: Map<number, CallResult>;
  next: number;
}): Promise<number> {
  const { directory, layout, acknowledged, next } = options;
  const worlds = await openWorlds({ directory, layout, durability: 'committed', hosts: 1, isolation: 'thread' });
  try {
    const world = await openOrCreate(worlds, build, crashWorldId);
    const lines = await exportLines(world);
    const entries = lines.map((line) => JSON.parse(line) as EvidenceEntry);
    assertWholeTransactions(entries);
    const position = await world.query({ kind: 'position' });
    assert.equal(position.evidenceSequence, entries.length);
    assert.equal(position.evidenceHash, evidenceHashOf(lines));
    assertAcknowledged(entries, acknowledged);
    await assertExactlyOnce(world, acknowledged, next);
    return entries.length;
  } finally {
    await worlds.close();
  }
}

async function exportLines(world: WorldRef): Promise<string[]> {
  let text = '';
  let fromSequence: number | undefined = 1;
  while (fromSequence !== undefined) {
    const page: { lines: string; nextSequence?: number } = await world.query({ kind: 'evidenceLines', fromSequence, limit: 500 });
    text += page.lines;
    fromSequence = page.nextSequence;
  }
  return text.split('\n').slice(0, -1);
}

function assertWholeTransactions(entries: EvidenceEntry[]): void {
  entries.forEach((entry, index) => {
    assert.equal(entry.sequence, index + 1);
    const start = index - entry.transactionIndex;
    assert.equal(entries[start]?.transactionIndex, 0);
    assert.equal(entries[start]?.transactionId, entry.transactionId);
    assert.ok(start + entry.transactionSize <= entries.length, `half a transaction at ${entry.sequence}`);
  });
}

function assertAcknowledged(entries: EvidenceEntry[], acknowledged: Map<number, CallResult>): void {
  for (const [index, answer] of acknowledged) {
    if (turnOf(index).kind !== 'call') continue;
    const entry = entries[answer.sequence - 1] as OperationEntry | undefined;
    assert.equal(entry?.kind, 'operation', `turn ${index} was acknowledged and is not there`);
    assert.equal(entry.invocation.callId, answer.callId);
    assert.deepEqual(entry.outcome, answer.outcome);
  }
}

/** Retries every turn that may or may not have happened, then compares the books with what the turns say. */
async function assertExactlyOnce(world: WorldRef, acknowledged: Map<number, CallResult>, next: number): Promise<void> {
  for (let index = Math.max(0, next - 8); index < next + 4; index++) {
    if (!isAdd(index)) continue;
    const first = acknowledged.get(index);
    const again = await world.command(turnOf(index) as Extract<ReturnType<typeof turnOf>, { kind: 'call' }>);
    if (first) assert.deepEqual(again.outcome, first.outcome, `a retry of turn ${index} got another answer`);
    acknowledged.set(index, first ?? again);
  }
  const keys = new Set([...acknowledged.keys()].filter(isAdd));
  const entries = (await exportLines(world)).map((line) => JSON.parse(line) as EvidenceEntry);
  const effects = entries.filter(
    (entry) => entry.kind === 'operation' && entry.invocation.idempotencyKey !== undefined && entry.idempotency === 'recorded',
  );
  const done = new Set(effects.map((entry) => (entry as OperationEntry).invocation.idempotencyKey));
  assert.equal(effects.length, done.size, 'an effect happened twice');
  for (const index of keys) assert.ok(done.has(`add-${index}`), `add ${index} is not there`);
  let total = 0;
  for (const key of done) total += amountOf(Number(key?.slice('add-'.length)));
  for (const entry of entries)
    if (entry.kind === 'event' && entry.phase === 'handled' && entry.event.eventId === 'tick') total += Number(entry.payload.amount);
  const { value } = await world.query({ kind: 'row', packageId: 'counter', namespace: 'counters', rowId: 'main' });
  assert.equal(value?.total, total);
}

/** docs/evidence.md, written again from its text: leaves of 1,024 lines, the digest of their digests. */
function evidenceHashOf(lines: string[]): string {
  const tree = createHash('sha256');
  for (let from = 0; from < lines.length; from += 1024) {
    const leaf = lines
      .slice(from, from + 1024)
      .map((line) => `${line}\n`)
      .join('');
    tree.update(createHash('sha256').update(leaf).digest());
  }
  return `sha256:${tree.digest('hex')}`;
}
