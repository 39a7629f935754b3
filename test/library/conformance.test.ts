// Each library package's conformance suite passes, and its evidence shows everything that the package's manifest declares.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { compileProject } from '../../src/compiler/compile.js';
import type { EvidenceEntry } from '../../src/contract/evidence.js';
import type { ToolManifest } from '../../src/contract/tool-manifest.js';
import { runDrills } from '../../src/index.js';
import { library } from './package-world.js';

for (const packageId of ['payments', 'ticket-desk']) {
  test(`${packageId}: the conformance suite passes and leaves nothing undone that the manifest declares`, async () => {
    const root = join(library, packageId, 'conformance');
    const folder = await mkdtemp(join(tmpdir(), 'drillyard-conformance-'));
    try {
      const { build } = await compileProject({ root });
      const manifest = build?.tools.find((tool) => tool.packageId === packageId)?.manifest;
      assert.ok(manifest);
      const result = await runDrills({ root, suite: 'conformance', reportDirectory: join(folder, 'reports'), runDirectory: join(folder, 'runs') });
      const failed = result.drills.filter(({ verdict }) => verdict !== 'passed').map(({ drillId }) => drillId);
      assert.deepEqual(failed, []);
      const shown = whatHappened(packageId, await evidenceBelow(join(folder, 'reports')));
      assert.deepEqual(
        declared(manifest).filter((fact) => !shown.has(fact)),
        [],
        'declared, and in no evidence',
      );
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
}

/** Everything a manifest declares, as lines that evidence can show. */
function declared({ operations, events, subscriptions, faults }: ToolManifest): string[] {
  return [
    ...operations.map(({ id }) => `${id} succeeds`),
    ...operations.flatMap(({ id, declaredErrors = [] }) => declaredErrors.map(({ code }) => `${id} fails with ${code}`)),
    ...events.map(({ id }) => `${id} happens`),
    ...subscriptions.map(({ id }) => `${id} handles`),
    ...faults.map(({ id }) => `${id} fires`),
  ];
}

function whatHappened(packageId: string, evidence: readonly EvidenceEntry[]): Set<string> {
  return new Set(evidence.flatMap((entry) => factsOf(packageId, entry)));
}

function factsOf(packageId: string, entry: EvidenceEntry): string[] {
  if (entry.kind === 'fault') return [`${entry.faultId} fires`];
  if (entry.kind === 'operation' && entry.invocation.packageId === packageId) {
    const { outcome, invocation } = entry;
    return outcome.kind === 'ok'
      ? [`${invocation.operationId} succeeds`]
      : outcome.kind === 'tool_error'
        ? [`${invocation.operationId} fails with ${outcome.error.code}`]
        : [];
  }
  if (entry.kind !== 'event' || (entry.phase !== 'emitted' && entry.phase !== 'handled')) return [];
  return [`${entry.event.eventId} happens`, ...(entry.subscriptionId === undefined ? [] : [`${entry.subscriptionId} handles`])];
}

async function evidenceBelow(reports: string): Promise<EvidenceEntry[]> {
  const texts = await Promise.all((await readdir(reports)).map((run) => readFile(join(reports, run, 'evidence.jsonl'), 'utf8')));
  return texts.flatMap((text) => text.trimEnd().split('\n')).map((line) => JSON.parse(line) as EvidenceEntry);
}
