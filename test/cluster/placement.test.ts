import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Placement } from '../../src/cluster/placement.js';

const placement = new Placement();

// PLACEMENT-2
test('the node that is wanted is first where it is there, and moves no other', () => {
  for (let home = 0; home <= 64; home++) {
    const ranked = placement.rank(['a', 'b', 'c'], home);
    assert.deepEqual(placement.rank(['a', 'b', 'c'], home, 'b'), ['b', ...ranked.filter((node) => node !== 'b')]);
    assert.deepEqual(placement.rank(['a', 'b', 'c'], home, 'd'), ranked);
  }
});

// PLACEMENT-1
test('without a node the homes of the others stay, and each node has a fair part', () => {
  const nodes = ['a', 'b', 'c'];
  const owned = new Map(nodes.map((node) => [node, 0]));
  for (let home = 0; home <= 64; home++) {
    const [first, second] = placement.rank(nodes, home) as [string, string];
    owned.set(first, (owned.get(first) as number) + 1);
    assert.deepEqual(placement.rank([...nodes].reverse(), home), placement.rank(nodes, home));
    for (const gone of nodes) {
      const [after] = placement.rank(
        nodes.filter((node) => node !== gone),
        home,
      );
      assert.equal(after, gone === first ? second : first);
    }
  }
  for (const [node, homes] of owned) assert.ok(homes > 8, `${node} has ${homes} of 65`);
});
