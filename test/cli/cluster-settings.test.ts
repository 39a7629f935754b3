// The settings of a node of a cluster, as `drillyard serve` reads them.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readServeSettings } from '../../src/cli/read-serve-settings.js';
import { shownSettings } from '../../src/cli/shown-settings.js';
import { databaseAddress } from '../../src/contract/cluster-database.js';

const all = {
  cluster: 'postgres://drillyard:secret@db:5432/drillyard',
  node: 'node-1',
  'node-address': 'http://10.0.0.1:8080',
  'key-file': '/etc/drillyard/key',
};
const folder = mkdtempSync(join(tmpdir(), 'drillyard-settings-'));
after(() => rmSync(folder, { recursive: true }));
function configOf(members: object): string {
  const file = join(folder, 'drillyard.json');
  writeFileSync(file, JSON.stringify({ schemaVersion: 1, ...members }));
  return file;
}
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

test('nothing is shown of a value with a password in it, also where it is not taken', () => {
  const wrong: { [flag: string]: string }[] = [
    { ...all, cluster: 'postgres://drillyard:p#SECRET@db:5432/drillyard' },
    { ...all, cluster: 'postgres://drillyard:SECRET@db/drillyard?application_name=mine' },
    { ...all, cluster: 'SECRET' },
    { ...all, 'cluster-store': 's3://KEY:SECRET@bucket/prefix' },
    { ...all, 'public-url': 'ftp://me:SECRET@drills.example.com' },
    { ...all, 'config-file': configOf({ cluster: 'postgres://drillyard:p/SECRET@db:x/' }) },
  ];
  for (const flags of wrong) {
    const problems = problemsOf(flags);
    assert.ok(problems.length > 0 && !problems.join(' ').includes('SECRET'), problems.join(' '));
  }
  assert.match(problemsOf(wrong[0] as typeof all)[0] as string, /^--cluster must be .* %23/);
});

test('the database is named without what the sessions of a node rest on', () => {
  for (const parameter of ['application_name=x', 'statement_timeout=1', 'keepalives=0', 'synchronous_commit=off', 'query_timeout=1'])
    assert.match(problemsOf({ ...all, cluster: `postgres://db/drillyard?${parameter}` })[0] as string, /no other parameter/);
  assert.deepEqual(databaseAddress('postgres://me:p%23@db/x?options=-c%20search_path%3Dd&sslmode=require&sslrootcert=/ca.pem'), {
    url: 'postgres://me:p%23@db/x?sslmode=verify-full&sslrootcert=%2Fca.pem',
    options: '-c search_path=d',
  });
  assert.equal(databaseAddress('postgres://db/x?sslmode=require&uselibpqcompat=true')?.url.includes('sslmode=require'), true);
});

// Requests between nodes are plain HTTP.
test('the address of a node is plain HTTP', () => {
  assert.match(problemsOf({ ...all, 'node-address': 'https://10.0.0.1:8080' })[0] as string, /plain HTTP/);
});

test('the password of the database is not shown', () => {
  const read = readServeSettings({ flags: all, environment: {} });
  assert.ok(!('problems' in read));
  const shown = shownSettings(read).find(({ name }) => name === 'cluster');
  assert.deepEqual([shown?.isRedacted, String(shown?.value).includes('secret')], [true, false]);
});
