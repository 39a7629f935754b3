import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LoadedCache } from '../../src/control/memory/loaded-cache.js';

test('what is used stays, within a number and a size, and what failed is loaded again', async () => {
  const cache = new LoadedCache<string>({ items: 3, bytes: 100 });
  const loads: string[] = [];
  const get = (hash: string, bytes = 10) =>
    cache.get(hash, async () => {
      loads.push(hash);
      if (hash === 'broken') throw new Error('unreadable');
      return { value: hash, bytes };
    });
  assert.deepEqual(await Promise.all([get('a'), get('a'), get('b'), get('c')]), ['a', 'a', 'b', 'c']);
  assert.deepEqual(loads, ['a', 'b', 'c']);
  await get('a');
  await get('d');
  await get('a');
  await get('b');
  assert.deepEqual(loads, ['a', 'b', 'c', 'd', 'b']);
  // One that is larger than all may be together is given and not kept, and what it drove out comes back.
  assert.equal(await get('large', 1_000), 'large');
  await get('large', 1_000);
  await get('a');
  assert.deepEqual(loads.slice(5), ['large', 'large', 'a']);
  await assert.rejects(get('broken'));
  await assert.rejects(get('broken'));
  assert.deepEqual(loads.slice(8), ['broken', 'broken']);
});

test('what is there is found without waiting, and is used by that', async () => {
  const cache = new LoadedCache<string>({ items: 2, bytes: 100 });
  const get = (hash: string) => cache.get(hash, async () => ({ value: hash, bytes: 10 }));
  const loading = get('a');
  assert.equal(cache.find('a'), undefined);
  await loading;
  await get('b');
  assert.deepEqual([cache.find('a'), cache.find('b'), cache.find('a'), cache.find('c')], ['a', 'b', 'a', undefined]);
  await get('c');
  assert.deepEqual([cache.find('a'), cache.find('b'), cache.find('c')], ['a', undefined, 'c']);
});
