// The settings of a node of a cluster, as `drillyard serve` reads them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readServeSettings } from '../../src/cli/read-serve-settings.js';
import { shownSettings } from '../../src/cli/shown-settings.js';

const all = {
  cluster: 'postgres://drillyard:secret@db:5432/drillyard',
  node: 'node-1',
  'node-address': 'http://10.0.0.1:8080',
  'key-file': '/etc/drillyard/key',
};
const problemsOf = (flags: { [flag: string]: string }, rotateKey = false): string[] => {
  const read = readServeSettings({ flags, environment: {}, rotateKey });
  return 'problems' in read ? read.problems : [];
};

test('a node has a name, an address and the key that all nodes have', () => {
  const read = readServeSettings({ flags: all, environment: {} });
  assert.ok(!('problems' in read));
  assert.deepEqual(read.options.cluster, { url: all.cluster, node: 'node-1', address: 'http://10.0.0.1:8080' });
  const { node, 'key-file': keyFile, ...rest } = all;
  assert.deepEqual(problemsOf({ ...rest }), ['A node of a cluster needs --node and --key-file too.']);
  assert.deepEqual(problemsOf({ node, 'key-file': keyFile }), [
    '--node, --node-address, --homes and --cluster-store say nothing without --cluster; name the database.',
  ]);
  assert.match(problemsOf(all, true)[0] as string, /leave --rotate-key out/);
  assert.match(problemsOf({ ...all, cluster: 'mysql://db' })[0] as string, /postgres:\/\//);
  for (const name of ['', '-a', 'a_b', 'x'.repeat(41)]) assert.equal(problemsOf({ ...all, node: name }).length > 0, true, name);
});

test('the password of the database is not shown', () => {
  const read = readServeSettings({ flags: all, environment: {} });
  assert.ok(!('problems' in read));
  const shown = shownSettings(read).find(({ name }) => name === 'cluster');
  assert.deepEqual([shown?.isRedacted, String(shown?.value).includes('secret')], [true, false]);
});
