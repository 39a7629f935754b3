// The public functions beside runDrills, and the page that shows them: its snippets run as printed.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as everything from '../src/index.js';
import {
  checkReports,
  createLocalWorld,
  openStoredRun,
  planDrills,
  pushSource,
  readHistory,
  runDrills,
  runDrillsRemotely,
  SourceInvalidError,
  startAgentDesk,
  startControlServer,
  startLocalInspector,
  startLocalSimulationServer,
  validateRepository,
  verifyReport,
} from '../src/index.js';
import { drillyard } from './cli/cli.js';
import { checkTypes, outsideOfSource, typesOf } from './native-compiler.js';

const package_ = fileURLToPath(new URL('../..', import.meta.url));

/** What `drillyard init` makes, with this package installed. */
async function initialized(t: TestContext): Promise<string> {
  const root = mkdtempSync(join(tmpdir(), 'drillyard-api-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  assert.equal((await drillyard(['init', '--yes'], { cwd: root })).code, 0);
  mkdirSync(join(root, 'node_modules'));
  symlinkSync(package_, join(root, 'node_modules/drillyard'));
  return root;
}

test('the snippets of docs/api.md run', async (t) => {
  const root = await initialized(t);
  const page = readFileSync(join(package_, 'docs/api.md'), 'utf8');
  const blocks = (language: string): string[] =>
    [...page.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, text]) => text ?? '');
  writeFileSync(join(root, 'snippets.mjs'), blocks('js').join('\n'));
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['snippets.mjs'], { cwd: root });
  assert.equal(stderr, '');
  assert.match(
    stdout,
    /^first-ticket \[\n(?: {2}'\d+',?\n){3}\]\npassed\npassed 0 of 1 verdicts changed\nfirst-ticket 1 of 1\n\[\n {2}'ticket-desk\/agent.list'/,
  );
  const module = join(root, 'agent.ts');
  writeFileSync(module, blocks('ts').join('\n'));
  const compilerOptions = {
    ...{
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      target: 'es2022',
      module: 'nodenext',
      moduleResolution: 'nodenext',
      types: ['node'],
    },
    ...{ typeRoots: [join(package_, 'node_modules/@types')], paths: { drillyard: [typesOf('index')] } },
  };
  writeFileSync(join(root, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [module] }));
  const { files, errors } = await checkTypes(root);
  assert.ok(files.includes(realpathSync(module)));
  assert.deepEqual(outsideOfSource(errors), []);
});

test('a repository that does not compile is reported with its diagnostics, and an unknown option with the one that was meant', async (t) => {
  const root = await initialized(t);
  const world = join(root, 'drillyard/world.yaml');
  writeFileSync(world, readFileSync(world, 'utf8').replace('schemaVersion: 1', 'schemaVersion: 1\nsed: 1'));
  const validated = await validateRepository({ root });
  assert.equal(validated.valid, false);
  const asked = [() => planDrills({ root }), () => runDrills({ root }), () => checkReports({ root }), () => createLocalWorld({ root })];
  for (const ask of asked) {
    await assert.rejects(ask, (error: unknown) => {
      assert.ok(error instanceof SourceInvalidError);
      assert.deepEqual(error.diagnostics, validated.diagnostics);
      assert.equal(error.code, 'control.SOURCE_INVALID');
      assert.match(error.message, /^The repository has 1 error: drillyard\/world.yaml:\d+:1 DY2001 "sed" is not a member of World$/);
      return true;
    });
  }
  const misspelled: [() => Promise<unknown>, RegExp][] = [
    [() => validateRepository({ rot: root } as never), /^validateRepository has no option "rot"\. Did you mean "root"\?$/],
    [() => planDrills({ root, sed: '1' } as never), /"sed"\. Did you mean "seed"/],
    [() => checkReports({ root, lst: 1 } as never), /"lst"\. Did you mean "last"/],
    [() => readHistory({ root, flakey: true } as never), /"flakey"\. Did you mean "flaky"/],
    [() => createLocalWorld({ root, scenario: 'x' } as never), /has no option "scenario"/],
    [
      () => planDrills({ root, shard: { indx: 1, count: 2 } } as never),
      /^planDrills has no option "shard\.indx"\. Did you mean "index"\?$/,
    ],
    [() => planDrills({ root, shard: { count: 2 } } as never), /^planDrills needs the option "shard\.index"\.$/],
    [() => planDrills({ root, tags: 'fast' } as never), /^planDrills: the option "tags" must be a list; it is text\.$/],
    [() => planDrills({ root, only: [{ drillId: 'a', trials: ['1'] }] } as never), /"only\.0\.trials\.0" must be a number; it is text\.$/],
    [() => planDrills({} as never), /^planDrills needs the option "root"\.$/],
    [() => validateRepository({ root, types: 'off' } as never), /^validateRepository: the option "types" must be a boolean; it is text\.$/],
    [() => validateRepository(null as never), /^validateRepository takes an object of options\.$/],
    [() => runDrills({ root, retention: { days: 3 } } as never), /^runDrills has no option "retention\.days"\./],
    [() => openStoredRun({ root, run: 'latest', conf: 'x' } as never), /^openStoredRun has no option "conf"\./],
    [
      () => startLocalInspector({ root, hostnam: 'x' } as never),
      /^startLocalInspector has no option "hostnam"\. Did you mean "hostname"\?$/,
    ],
    [() => startLocalSimulationServer({ root, hostnam: 'x' } as never), /"hostnam"\. Did you mean "hostname"/],
    [() => startAgentDesk({ onPendin: () => {} } as never), /^startAgentDesk has no option "onPendin"\. Did you mean "onPending"\?$/],
    [() => startControlServer({ dataDir: root } as never), /^startControlServer has no option "dataDir"\./],
    [() => startControlServer({ dataDirectory: root, rate: { perSec: 5 } } as never), /^startControlServer has no option "rate\.perSec"\./],
    [() => runDrills({ root, isolate: 'boxes' } as never), /^runDrills: the option "isolate" must be one of thread, process, box\.$/],
  ];
  for (const [ask, message] of misspelled) await assert.rejects(ask, { code: 'control.INVALID_REQUEST', message });
});

/** Another name of a function. */
const calledAs: { [name: string]: string } = { startLocalSimulationServer: 'startLocalInspector' };
/** Each takes something else than one object of options. */
const withoutOptions = [
  'HandedIn',
  'ServiceError',
  'SourceInvalidError',
  'ToolFailure',
  'compareRuns',
  'defineTool',
  'defineToolBehavior',
  'verifyReport',
];
test('every function of the package that takes options refuses one that it does not have', async () => {
  const functions = Object.entries(everything).filter(([name, value]) => typeof value === 'function' && !withoutOptions.includes(name));
  assert.ok(functions.length > 12);
  for (const [name, value] of functions) {
    const ask = async (): Promise<unknown> => await (value as (options: object) => unknown)({ noSuchOption: 1 });
    await assert.rejects(ask, {
      code: 'control.INVALID_REQUEST',
      message: new RegExp(`^${calledAs[name] ?? name} has no option "noSuchOption"\\.`),
    });
  }
  const inner: [Promise<unknown>, RegExp][] = [
    [verifyReport('x', { onProgres: 1 } as never), /^verifyReport has no option "onProgres"\. Did you mean "onProgress"\?$/],
    [runDrillsRemotely({ root: 'x', remote: { credental: 'x' } } as never), /^runDrillsRemotely has no option "remote\.credental"\./],
    [pushSource({ root: 'x', remote: { credental: 'x' } } as never), /^pushSource has no option "remote\.credental"\./],
  ];
  for (const [asked, message] of inner) await assert.rejects(asked, { code: 'control.INVALID_REQUEST', message });
});
