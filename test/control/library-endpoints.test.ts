import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { compiler, openSourceKit } from './source-kit.js';

after(() => compiler.close());

test('the library is listed in pages, and each package is there with its manifest', async (t) => {
  const kit = await openSourceKit(t);
  const { items, nextCursor } = await kit.call('listToolLibrary');
  assert.deepEqual(
    [items.map(({ libraryEntryId }) => libraryEntryId), nextCursor],
    [['github', 'mailbox', 'notion', 'payments', 'slack', 'stripe', 'ticket-desk'], undefined],
  );
  const first = await kit.call('listToolLibrary', { query: { limit: 4 } });
  const second = await kit.call('listToolLibrary', { query: { limit: 4, cursor: first.nextCursor! } });
  assert.deepEqual([...first.items, ...second.items], items);
  assert.equal(second.nextCursor, undefined);
  await assert.rejects(kit.call('listToolLibrary', { query: { cursor: 'ticket-desk' } }), { code: 'control.CURSOR_INVALID' });
  for (const item of items) {
    const { entry, manifest } = await kit.call('getToolLibraryEntry', { path: { libraryEntryId: item.libraryEntryId } });
    assert.deepEqual(entry, item);
    assert.deepEqual([manifest.id, manifest.version, manifest.operations.length], [item.packageId, item.version, item.operations.length]);
  }
  await assert.rejects(kit.call('getToolLibraryEntry', { path: { libraryEntryId: 'none' } }), { code: 'control.NOT_FOUND' });
});
