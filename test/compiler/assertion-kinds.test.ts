// The registry of assertion kinds and the page that explains them say the same.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { assertionDefinitions } from '../../src/compiler/assertions/kinds.js';

const page = readFileSync(new URL('../../../docs/assertions.md', import.meta.url), 'utf8');
/** The place of each kind: that of the heading which names it. */
const places = new Map(
  [...page.matchAll(/^### (.+)$/gm)].flatMap(([, heading]) => {
    const anchor = (heading as string).replaceAll(/[^\w -]/g, '').replaceAll(' ', '-');
    return (heading as string).split(', ').map((kind) => [kind, anchor] as const);
  }),
);

test('the table of kinds is that of the registry, and each kind has its rule under a heading', () => {
  const definitions = Object.entries(assertionDefinitions);
  assert.deepEqual([...places.keys()].sort(), definitions.map(([kind]) => kind).sort());
  const table = page.slice(page.indexOf('\n## Kinds\n'), page.indexOf('\n## Status and verdict\n'));
  assert.deepEqual(
    table.split('\n').filter((line) => line.startsWith('| [')),
    definitions.map(([kind, { summary }]) => `| [\`${kind}\`](#${places.get(kind)}) | ${summary} |`),
  );
});

test('pages that say how many kinds there are count them all', () => {
  const words = ['fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen', 'twenty'];
  const count = words[Object.keys(assertionDefinitions).length - 14];
  for (const name of ['index', 'drills']) {
    const text = readFileSync(new URL(`../../../docs/${name}.md`, import.meta.url), 'utf8');
    assert.equal(/(\w+) kinds\b/.exec(text.slice(text.search(/\w+teen kinds\b/i)))?.[1]?.toLowerCase(), count, name);
  }
});
