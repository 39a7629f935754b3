// Retention by reference: what has ended long enough ago goes, what anything refers to stays, and so does what something begins to refer to
// meanwhile.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { authoringTable, proposalTable, turnTable } from '../../src/control/authoring/authoring-records.js';
import { buildAttemptTable, buildContentTable, buildTable, requireBuild } from '../../src/control/builds/build-records.js';
import { environmentTable } from '../../src/control/builds/environment-records.js';
import { Catalog } from '../../src/control/catalog/catalog.js';
import { bearerTable, credentialTable, grantTable } from '../../src/control/catalog/organization-records.js';
import { moveCount } from '../../src/control/catalog/quotas.js';
import { settingsDefaults } from '../../src/control/catalog/settings.js';
import { type Change, everyRecord, type Table } from '../../src/control/catalog/tables.js';
import { type PurgeCounts, purge } from '../../src/control/purge.js';
import { datasetRevisionTable, datasetTable } from '../../src/control/source/dataset-records.js';
import { dataChoicesTable, revisionKey, sourceDraftTable, sourceRevisionTable } from '../../src/control/source/source-records.js';
import fc from '../fast-check.js';

const root = mkdtempSync(join(tmpdir(), 'drillyard-purge-'));
after(() => rmSync(root, { recursive: true, force: true }));
const { retention } = settingsDefaults;
const place = { organizationId: 'org_1', projectId: 'prj_1' };
const dayMs = 86_400_000;
const startMs = 1_000 * dayMs;

interface Ground {
  catalog: Catalog;
  clock: { nowMs: number };
  purge(): Promise<PurgeCounts>;
  ids<Record>(table: Table<Record>): string[];
}
async function withCatalog(work: (ground: Ground) => Promise<void>): Promise<void> {
  const catalog = new Catalog({ directory: mkdtempSync(join(root, 'catalog-')) });
  const clock = { nowMs: startMs };
  const settings = { retention } as never;
  try {
    await work({
      catalog,
      clock,
      purge: () => purge({ catalog, settings, nowMs: () => clock.nowMs, keyring: undefined as never }),
      ids: (table) => [...everyRecord(catalog.view, table)].map((record) => table.idOf(record)),
    });
  } finally {
    await catalog.close();
  }
}

// Records as far as retention reads them.
const put = {
  build: (tx: Change, buildHash: string) => {
    tx.put(buildTable, { ...place, buildHash, createdAtMs: startMs } as never);
    tx.put(buildContentTable, { buildHash, build: `blob ${buildHash}`, view: `view ${buildHash}` });
  },
  environment: (tx: Change, environmentId: string, buildHash: string | undefined) =>
    tx.put(environmentTable, { ...place, environmentId, ...(buildHash === undefined ? {} : { buildHash }) } as never),
  draft: (tx: Change, sourceDraftId: string, deletedAtMs?: number) => {
    const state = deletedAtMs === undefined ? { state: 'available' } : { state: 'deleted', deletedAtMs };
    tx.put(sourceDraftTable, { ...place, sourceDraftId, currentRevision: 1, ...state } as never);
    tx.put(sourceRevisionTable, { ...place, sourceDraftId, revision: 1, sourceDigest: 'tree' } as never);
  },
  attempt: (tx: Change, attemptId: string, { sourceDraftId, buildHash }: { sourceDraftId: string; buildHash?: string }) => {
    const end = buildHash === undefined ? { state: 'failed' } : { state: 'succeeded', buildHash };
    const attempt = { attemptId, sourceDraftId, sourceRevision: 1, finishedAtMs: startMs, ...end };
    tx.put(buildAttemptTable, { ...place, attempt, withChoices: false } as never);
  },
  dataset: (tx: Change, datasetId: string) => {
    tx.put(datasetTable, { ...place, datasetId, currentRevision: 2, state: 'archived', archivedAtMs: startMs } as never);
    for (const revision of [1, 2]) tx.put(datasetRevisionTable, { datasetId, revision, digest: `rows ${datasetId}` } as never);
  },
  choices: (tx: Change, sourceDraftId: string, datasetId: string) =>
    tx.put(dataChoicesTable, { sourceDraftId, sourceRevision: 1, selections: [{ datasetId, revision: 2 }] } as never),
  conversation: (tx: Change, authoringSessionId: string, { closedAtMs, turns }: { closedAtMs?: number; turns: number }) => {
    const state = closedAtMs === undefined ? { state: 'active' } : { state: 'discarded', closedAtMs };
    tx.put(authoringTable, { author: 'manual', session: { ...place, authoringSessionId, ...state } } as never);
    for (let turn = 0; turn < turns; turn++) {
      tx.put(turnTable, {
        turnId: `${authoringSessionId}_t${turn}`,
        authoringSessionId,
        proposalId: `${authoringSessionId}_p${turn}`,
      } as never);
      tx.put(proposalTable, { proposalId: `${authoringSessionId}_p${turn}`, authoringSessionId } as never);
    }
  },
  credential: (tx: Change, credentialId: string, ended: { revokedAtMs?: number; expiresAtMs?: number }, counted = false) => {
    const credential = { credentialId, organizationId: place.organizationId, createdBy: 'usr_1', ...ended };
    tx.put(credentialTable, { credential, counted, secretHash: `hash-${credentialId}` } as never);
    tx.put(bearerTable, { hash: `hash-${credentialId}`, credentialId });
  },
  grant: (tx: Change, grantId: string, { subject, createdBy }: { subject: string; createdBy: string }) =>
    tx.put(grantTable, { ...place, grantId, subject: { kind: 'credential', id: subject }, createdBy } as never),
};

// PURGE-2, REFERENCES-2
test('each goes after its own time, with its parts, and not a millisecond sooner', async () => {
  const cases: [string, number, (tx: Change) => void, Table<never>[]][] = [
    [
      'conversation',
      retention.closedAuthoringMs,
      (tx) => put.conversation(tx, 'auth_1', { closedAtMs: startMs, turns: 3 }),
      [authoringTable, turnTable, proposalTable] as never,
    ],
    [
      'attempt',
      retention.buildAttemptMs,
      (tx) => put.attempt(tx, 'attempt_1', { sourceDraftId: 'draft_gone' }),
      [buildAttemptTable] as never,
    ],
    ['draft', retention.deletedDraftMs, (tx) => put.draft(tx, 'draft_1', startMs), [sourceDraftTable, sourceRevisionTable] as never],
    ['build', retention.buildMs, (tx) => put.build(tx, 'sha256:1'), [buildTable, buildContentTable] as never],
    ['dataset', retention.archivedDatasetMs, (tx) => put.dataset(tx, 'dataset_1'), [datasetTable, datasetRevisionTable] as never],
    [
      'revoked credential',
      retention.endedCredentialMs,
      (tx) => put.credential(tx, 'cred_1', { revokedAtMs: startMs }),
      [credentialTable, bearerTable] as never,
    ],
    [
      'expired credential',
      retention.endedCredentialMs,
      (tx) => put.credential(tx, 'cred_1', { expiresAtMs: startMs }),
      [credentialTable, bearerTable] as never,
    ],
  ];
  for (const [name, keptMs, make, tables] of cases) {
    await withCatalog(async ({ catalog, clock, purge, ids }) => {
      await catalog.change(make);
      const there = tables.map((table) => ids(table).length);
      clock.nowMs = startMs + keptMs;
      assert.deepEqual(await purge(), {}, name);
      assert.deepEqual(
        tables.map((table) => ids(table).length),
        there,
        name,
      );
      clock.nowMs += 1;
      await purge();
      assert.deepEqual(
        tables.flatMap((table) => ids(table)),
        [],
        name,
      );
    });
  }
});

test('what is in use never goes: active conversations, available drafts and their newest builds, live credentials', async () => {
  await withCatalog(async ({ catalog, clock, purge, ids }) => {
    await catalog.change((tx) => {
      put.conversation(tx, 'auth_1', { turns: 1 });
      put.draft(tx, 'draft_1');
      for (const hash of ['old', 'new']) put.build(tx, hash);
      put.attempt(tx, 'attempt_1', { sourceDraftId: 'draft_1', buildHash: 'old' });
      put.attempt(tx, 'attempt_2', { sourceDraftId: 'draft_1', buildHash: 'new' });
      put.attempt(tx, 'attempt_3', { sourceDraftId: 'draft_1' });
      put.credential(tx, 'cred_1', {});
      put.credential(tx, 'cred_2', { expiresAtMs: startMs }, true);
      moveCount(tx, 'quota org_1 credentialsMax', 2);
    });
    clock.nowMs += 1_000 * dayMs;
    assert.deepEqual(await purge(), { 'build-attempt': 1, build: 1, 'build-content': 1, credential: 1 });
    assert.deepEqual(ids(buildAttemptTable), ['attempt_2', 'attempt_3'], 'the newest that succeeded, and the newest');
    assert.deepEqual(
      [ids(buildTable), ids(authoringTable), ids(turnTable), ids(credentialTable)],
      [['prj_1 new'], ['auth_1'], ['auth_1_t0'], ['cred_1']],
    );
    // A draft that is deleted takes all of it along, in its own time.
    await catalog.change((tx) => put.draft(tx, 'draft_1', clock.nowMs));
    clock.nowMs += 1_000 * dayMs;
    await purge();
    assert.deepEqual([ids(buildAttemptTable), ids(sourceDraftTable), ids(buildTable), ids(buildContentTable)], [[], [], [], []]);
  });
});

// PURGE-2
test('a conversation of very many turns goes in pieces', async () => {
  await withCatalog(async ({ catalog, clock, purge, ids }) => {
    await catalog.change((tx) => put.conversation(tx, 'auth_1', { closedAtMs: startMs, turns: 1_201 }));
    clock.nowMs += retention.closedAuthoringMs + 1;
    assert.deepEqual(await purge(), { 'authoring-session': 1 });
    assert.deepEqual([ids(authoringTable), ids(turnTable), ids(proposalTable)], [[], [], []]);
  });
});

// REFERENCES-1
test('a revoked credential stays while a grant needs to know who gave it, or names it', async () => {
  await withCatalog(async ({ catalog, clock, purge, ids }) => {
    await catalog.change((tx) => {
      for (const id of ['cred_1', 'cred_2', 'cred_3']) put.credential(tx, id, { revokedAtMs: startMs });
      put.grant(tx, 'grant_1', { subject: 'cred_2', createdBy: 'cred_1' });
    });
    clock.nowMs += 1_000 * dayMs;
    await purge();
    assert.deepEqual(ids(credentialTable), ['cred_1', 'cred_2']);
    await catalog.change((tx) => tx.remove(grantTable, 'grant_1'));
    await purge();
    assert.deepEqual([ids(credentialTable), ids(bearerTable)], [[], []]);
  });
});

// The law as a model: who names what is known here by itself, and compared with what is left after every sweep.
const number = fc.integer({ min: 0, max: 3 });
const step = fc.oneof(
  fc.record({ kind: fc.constant('promote' as const), environment: number, build: fc.option(number) }),
  fc.record({ kind: fc.constant('build' as const), build: number, draft: number, attempt: fc.integer({ min: 0, max: 9 }) }),
  fc.record({ kind: fc.constant('draft' as const), draft: number }),
  fc.record({ kind: fc.constant('delete' as const), draft: number }),
  fc.record({ kind: fc.constant('dataset' as const), dataset: number }),
  fc.record({ kind: fc.constant('choose' as const), draft: number, dataset: number }),
  fc.record({ kind: fc.constant('wait' as const), days: fc.constantFrom(1, 40, 100) }),
  fc.record({
    kind: fc.constant('sweep' as const),
    meanwhile: fc.option(fc.record({ environment: number, build: number, turns: fc.integer({ min: 0, max: 30 }) })),
  }),
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

/** As the endpoints do: what is named has to be there. */
async function play({ catalog, clock, purge, ids }: Ground, one: Step): Promise<void> {
  const draftOf = (tx: Change, draft: number) => tx.get(sourceDraftTable, `draft_${draft}`);
  const promote = (tx: Change, environment: number, build: number): void => {
    try {
      requireBuild(tx, { ...place, buildHash: `b${build}` });
    } catch {
      return;
    }
    put.environment(tx, `env_${environment}`, `b${build}`);
  };
  if (one.kind === 'wait') clock.nowMs += one.days * dayMs;
  if (one.kind === 'sweep') {
    const { meanwhile } = one;
    const sweeping = purge();
    if (meanwhile !== null) {
      for (let turn = 0; turn < meanwhile.turns; turn++) await new Promise(setImmediate);
      await catalog.change((tx) => promote(tx, meanwhile.environment, meanwhile.build));
    }
    await sweeping;
  }
  await catalog.change((tx) => {
    if (one.kind === 'promote' && one.build !== null) promote(tx, one.environment, one.build);
    if (one.kind === 'promote' && one.build === null) put.environment(tx, `env_${one.environment}`, undefined);
    if (one.kind === 'draft' && draftOf(tx, one.draft) === undefined) put.draft(tx, `draft_${one.draft}`);
    if (one.kind === 'delete' && draftOf(tx, one.draft)?.state === 'available') put.draft(tx, `draft_${one.draft}`, clock.nowMs);
    if (one.kind === 'build' && draftOf(tx, one.draft)?.state === 'available') {
      if (tx.get(buildTable, `prj_1 b${one.build}`) === undefined) put.build(tx, `b${one.build}`);
      put.attempt(tx, `attempt_${one.attempt}`, { sourceDraftId: `draft_${one.draft}`, buildHash: `b${one.build}` });
    }
    if (one.kind === 'dataset' && tx.get(datasetTable, `d${one.dataset}`) === undefined) put.dataset(tx, `d${one.dataset}`);
    if (one.kind === 'choose' && draftOf(tx, one.draft)?.state === 'available' && tx.get(datasetTable, `d${one.dataset}`) !== undefined) {
      put.choices(tx, `draft_${one.draft}`, `d${one.dataset}`);
    }
  });
  requireWhole({ catalog, ids });
}

/** Nothing that is left names what is gone. */
function requireWhole({ catalog: { view }, ids }: Pick<Ground, 'catalog' | 'ids'>): void {
  const [builds, drafts, contents] = [ids(buildTable), ids(sourceDraftTable), ids(buildContentTable)];
  for (const { buildHash, environmentId } of everyRecord(view, environmentTable)) {
    if (buildHash !== undefined) assert.ok(builds.includes(`prj_1 ${buildHash}`), `${environmentId} has lost its build ${buildHash}`);
  }
  for (const { buildHash } of everyRecord(view, buildTable)) assert.ok(contents.includes(buildHash), `${buildHash} has lost its content`);
  for (const { attempt } of everyRecord(view, buildAttemptTable)) {
    assert.ok(builds.includes(`prj_1 ${attempt.buildHash}`), `${attempt.attemptId} has lost its build`);
    assert.ok(drafts.includes(attempt.sourceDraftId), `${attempt.attemptId} has lost its draft`);
  }
  for (const { sourceDraftId } of everyRecord(view, sourceRevisionTable))
    assert.ok(drafts.includes(sourceDraftId), `${sourceDraftId} left a revision`);
  for (const { sourceDraftId } of everyRecord(view, sourceDraftTable))
    assert.ok(view.get(sourceRevisionTable, revisionKey(sourceDraftId, 1)));
  for (const { datasetId } of everyRecord(view, datasetTable))
    assert.ok(view.get(datasetRevisionTable, `${datasetId}.2`), `${datasetId} has lost its rows`);
  for (const { selections } of everyRecord(view, dataChoicesTable)) {
    for (const { datasetId } of selections) assert.ok(ids(datasetTable).includes(datasetId), `a choice has lost ${datasetId}`);
  }
}

// PURGE-1, REFERENCES-1
test('whatever is made, named, ended and swept in whatever order: nothing that is referred to goes, and the rest does', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      await withCatalog(async (ground) => {
        for (const one of steps) await play(ground, one);
        // Everything is given up: nothing is left but what names nothing.
        await ground.catalog.change((tx) => {
          for (let n = 0; n < 4; n++) {
            put.environment(tx, `env_${n}`, undefined);
            if (tx.get(sourceDraftTable, `draft_${n}`)?.state === 'available') put.draft(tx, `draft_${n}`, ground.clock.nowMs);
          }
        });
        ground.clock.nowMs += 1_000 * dayMs;
        await ground.purge();
        const left = [
          buildTable,
          buildContentTable,
          buildAttemptTable,
          sourceDraftTable,
          sourceRevisionTable,
          dataChoicesTable,
          datasetTable,
          datasetRevisionTable,
        ];
        assert.deepEqual(
          (left as Table<never>[]).flatMap((table) => ground.ids(table)),
          [],
        );
      });
    }),
    { numRuns: 60 },
  );
});
