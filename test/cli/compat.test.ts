// A package written for another runner with the same contract: its own SDK name, package.json field, variable prefix and engine. Not a byte
// of it is changed; a root file of ours says what differs.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadConformance } from '../../src/compiler/conformance.js';
import { jsonLines } from './cli.js';
import { warmDrillyard } from './warm-cli.js';

const fixture = fileURLToPath(new URL('../../../test/fixtures/othertool', import.meta.url));
const folder = join(fixture, 'package');
const config = join(fixture, 'drillyard.compat.json');
const compat = JSON.parse(readFileSync(config, 'utf8')) as { compat: { [name: string]: unknown } };
const directory = mkdtempSync(join(tmpdir(), 'drillyard-compat-'));
after(() => rmSync(directory, { recursive: true, force: true }));

/** A root file of its own; what is undefined is left out. */
function rootFile(name: string, changes: { [name: string]: unknown }): string {
  const path = join(directory, name);
  writeFileSync(path, JSON.stringify({ ...compat, compat: { ...compat.compat, ...changes } }));
  return path;
}
/** A copy of the package whose package.json says something else. */
function changed(name: string, changes: object): string {
  const copy = join(directory, name);
  cpSync(folder, copy, { recursive: true });
  const path = join(copy, 'package.json');
  const written = JSON.parse(readFileSync(path, 'utf8')) as { othertool: object };
  writeFileSync(path, JSON.stringify({ ...written, othertool: { ...written.othertool, ...changes } }));
  return copy;
}
const diagnosticsOf = async (root: string, file: string) => {
  const { code, stdout } = await warmDrillyard(['validate', '--json', '--root', root, '--config', file]);
  return {
    code,
    found: jsonLines(stdout).flatMap(({ event, ...line }) =>
      event === 'diagnostic' ? [`${line.code} ${line.file}: ${line.message}`] : [],
    ),
  };
};

test('its conformance suite passes unchanged, the official client of its vendor included', async () => {
  const { code, stdout, stderr } = await warmDrillyard(['tool', 'test', folder, '--config', config, '--json']);
  assert.equal(code, 0, stdout + stderr);
  const lines = jsonLines(stdout);
  const outputs = lines.flatMap(({ event, drillId, verdict }) => (event === 'attempt' ? [`${drillId} ${verdict}`] : []));
  const once = ['generic-calls passed', 'outage passed', 'vendor-client passed'];
  assert.deepEqual(outputs.sort(), [...once, ...once].sort(), 'as it is, and with a fresh module each turn');
  assert.deepEqual(lines.at(-1), {
    event: 'summary',
    verdict: 'passed',
    suiteId: 'tracker-conformance',
    passed: 3,
    failed: 0,
    inconclusive: 0,
    differences: 0,
  });
});

test('run, plan and validate take the same root file, from wherever it lies', async () => {
  const root = join(folder, 'conformance');
  const places = ['--report-dir', join(directory, 'reports'), '--run-dir', join(directory, 'runs')];
  const { code, stdout, stderr } = await warmDrillyard([
    'run',
    'vendor-client',
    '--root',
    root,
    '--config',
    '../../drillyard.compat.json',
    '--json',
    ...places,
  ]);
  assert.equal(code, 0, stdout + stderr);
  assert.equal(jsonLines(stdout).at(-1)?.verdict, 'passed');
  const planned = await warmDrillyard(['plan', '--json', '--root', root, '--config', config]);
  assert.equal(jsonLines(planned.stdout).filter(({ event }) => event === 'planned').length, 3);
  assert.deepEqual(await diagnosticsOf(root, config), { code: 0, found: [] });
});

test('without what the root file says of the other runner, each difference is reported where it stands', async () => {
  const root = join(folder, 'conformance');
  const none = await diagnosticsOf(root, 'drillyard.json');
  assert.equal(none.code, 2);
  assert.match(none.found[0] ?? '', /^DY1001 drillyard.json/);
  const noSdk = await diagnosticsOf(root, rootFile('no-sdk.json', { toolSdk: undefined }));
  assert.match(noSdk.found.join('\n'), /DY6002 .*behavior\.ts: '@othertool\/tool-sdk' is not declared/);
  const noPrefix = await diagnosticsOf(root, rootFile('no-prefix.json', { environmentPrefixes: [] }));
  assert.match(noPrefix.found.join('\n'), /DY2003 simulation\/octokit.target.yaml/);
});

test('an engine of another runner is not ours to judge; one of our own packages is', async () => {
  const copy = changed('own', {});
  writeFileSync(
    join(copy, 'package.json'),
    readFileSync(join(copy, 'package.json'), 'utf8').replace('"othertool":', '"drillyard":').replace('"schemaVersion":1,', ''),
  );
  const { found } = await diagnosticsOf(join(copy, 'conformance'), config);
  assert.equal(found.length, 1);
  assert.match(found[0] ?? '', /DY5007 .*wants an engine \^4\.0\.0/);
});

test('a deprecated package is a warning, a revoked one an error, under whatever field', async () => {
  const deprecated = await diagnosticsOf(join(changed('deprecated', { lifecycle: 'deprecated' }), 'conformance'), config);
  assert.deepEqual([deprecated.code, deprecated.found], [0, ['DY5004 ../package.json: the package is deprecated by its author']]);
  const revoked = await diagnosticsOf(join(changed('revoked', { lifecycle: 'revoked' }), 'conformance'), config);
  assert.deepEqual([revoked.code, revoked.found], [2, ['DY5003 ../package.json: the package is revoked by its author']]);
  const unsaid = await diagnosticsOf(join(changed('unsaid', { lifecycle: undefined }), 'conformance'), config);
  assert.deepEqual(unsaid.found, []);
});

test('the field may have any name: the layer tells it, unless two say the same', () => {
  assert.deepEqual(loadConformance(folder).conformance, {
    root: join(folder, 'conformance'),
    suite: 'tracker-conformance',
    packageRoot: folder,
  });
  const copy = changed('twice', {});
  const written = JSON.parse(readFileSync(join(copy, 'package.json'), 'utf8')) as { othertool: object };
  writeFileSync(join(copy, 'package.json'), JSON.stringify({ ...written, anothertool: written.othertool }));
  assert.match(loadConformance(copy).diagnostics[0]?.message ?? '', /names no conformance project/);
  assert.equal(loadConformance(copy, { config }).conformance?.suite, 'tracker-conformance');
  const broken = join(directory, 'broken.json');
  writeFileSync(broken, '{ "schemaVersion": 2 }');
  assert.match(loadConformance(copy, { config: broken }).diagnostics[0]?.code ?? '', /DY2004/);
});
