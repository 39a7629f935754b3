// The webhook example, as a user runs it.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { CallbackEntry, EvidenceEntry } from '../../src/contract/world/evidence.js';
import { drillyard, jsonLines } from '../cli/cli.js';
import { warmDrillyard } from '../cli/warm-cli.js';

const example = fileURLToPath(new URL('../../../examples/05-webhook-receiver', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'drillyard-webhooks-'));
before(() => cpSync(example, root, { recursive: true, filter: (from) => !from.includes('.service') }));
after(() => rmSync(root, { recursive: true, force: true }));

interface Attempt {
  event?: string;
  drillId?: string;
  verdict?: string;
  report?: string;
  evidenceHash?: string;
}
async function run(command: typeof drillyard, ...flags: string[]): Promise<{ code: number | null; attempts: Attempt[] }> {
  const { code, stdout, stderr } = await command(['run', '--json', ...flags], { cwd: root });
  assert.equal(stderr, '');
  return { code, attempts: (jsonLines(stdout) as Attempt[]).filter(({ event }) => event === 'attempt') };
}
function evidenceOf({ report }: Attempt): EvidenceEntry[] {
  const text = readFileSync(join(root, report!, 'evidence.jsonl'), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as EvidenceEntry);
}
const callbacksOf = (attempt: Attempt): CallbackEntry[] =>
  evidenceOf(attempt).flatMap((entry) => (entry.kind === 'callback' ? [entry] : []));

test('the careful agent passes, and twice it leaves the same evidence', async () => {
  const [first, second] = [await run(drillyard), await run(warmDrillyard)];
  assert.equal(first.code, 0);
  assert.deepEqual(
    first.attempts.map(({ drillId, verdict }) => [drillId, verdict]),
    [
      ['rough-mail', 'passed'],
      ['settled-once', 'passed'],
    ],
  );
  assert.deepEqual(
    first.attempts.map(({ evidenceHash }) => evidenceHash),
    second.attempts.map(({ evidenceHash }) => evidenceHash),
  );
  const [notReady, retry] = callbacksOf(first.attempts[1]!).filter(({ phase }) => phase === 'attempt_started');
  assert.equal(retry!.virtualTimeUs - notReady!.virtualTimeUs, 60_000_000);
  assert.equal(retry!.deliveryId, notReady!.deliveryId);
  const settled = evidenceOf(first.attempts[1]!);
  const payout = settled.find((entry) => entry.kind === 'operation' && entry.invocation.operationId === 'payout.create');
  assert.equal(payout?.virtualTimeUs, retry!.virtualTimeUs, 'the agent acts at the time of the event');
});

test('the careless agent pays out three times, and the drill fails', async () => {
  const { code, attempts } = await run(warmDrillyard, 'rough-mail-careless');
  assert.deepEqual([code, attempts[0]?.verdict], [1, 'failed']);
  const payouts = evidenceOf(attempts[0]!).filter(
    (entry) => entry.kind === 'operation' && entry.invocation.operationId === 'payout.create',
  );
  assert.equal(payouts.length, 3);
  assert.deepEqual(callbacksOf(attempts[0]!).filter(({ phase }) => phase === 'delivered').length, 2);
});

test('it compiles without a warning', async () => {
  const { code, stdout, stderr } = await warmDrillyard(['validate'], { cwd: root });
  assert.equal(code, 0, stdout + stderr);
  assert.equal(stderr, '');
});
