import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/contract/json.js';
import type { EvidenceEntry } from '../../src/contract/world/evidence.js';
import type { StatePatch } from '../../src/contract/world/scenario.js';
import { RebuiltRows } from '../../src/drills/stored/rebuilt-rows.js';
import { decodeBase, prepareBase } from '../../src/worlds/state/base.js';

const space = { packageId: 'notes', instanceId: 'notes', namespace: 'notes' };
const start: StatePatch[] = [{ action: 'upsert', ...space, rowId: 'a', value: { text: 'first' } }];
const hashOf = (state: StatePatch[]): string => decodeBase(prepareBase(state), (text) => JSON.parse(text) as JsonObject).stateHash;
const created = (stateHash: string) => ({ kind: 'lifecycle', phase: 'world_created', details: { stateHash } }) as unknown as EvidenceEntry;
const changed = (before: JsonObject, after: JsonObject) =>
  ({ kind: 'state_change', ...space, rowId: 'a', change: 'update', before, after }) as unknown as EvidenceEntry;

function rowsAfter(...entries: EvidenceEntry[]) {
  const rows = new RebuiltRows(start);
  for (const entry of entries) rows.apply(entry);
  return { rows, row: async () => rows.view().row(space, 'a') };
}

// REBUILT-ROWS-1
test('rows are rebuilt from the start and the changes, and not given out where one of them is another', async () => {
  const [first, second] = [{ text: 'first' }, { text: 'second' }];
  const sound = rowsAfter(created(hashOf(start)), changed(first, second));
  assert.deepEqual(await sound.row(), second);
  sound.rows.confirm(hashOf([{ action: 'upsert', ...space, rowId: 'a', value: second }]));
  assert.deepEqual(await sound.row(), second);
  sound.rows.confirm(hashOf(start));
  await assert.rejects(sound.row(), /not those that the run ended with/);
  await assert.rejects(rowsAfter().row(), /does not say what the world started from/);
  await assert.rejects(rowsAfter(created(hashOf([]))).row(), /not what the world started from/);
  await assert.rejects(rowsAfter(created(hashOf(start)), changed(second, first)).row(), /found another row than the journal has/);
});
