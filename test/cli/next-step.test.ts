// Mistakes of somebody who is new here: each is reported with the next step.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createRepository, drill, moduleAgent, noteIs } from '../drills/repository.js';
import { drillyard } from './cli.js';
import { warmDrillyard } from './warm-cli.js';

const empty = mkdtempSync(join(tmpdir(), 'drillyard-next-'));
const { root, remove } = createRepository({
  ...moduleAgent('agent', `await context.world.call('notes', 'note.write', { id: 'a', text: 'x' });`),
  ...drill('refund-once', 'agent', [noteIs('a', 'x')], { tags: ['money'] }),
});
mkdirSync(join(root, 'many/run_000000000001'), { recursive: true });
after(() => {
  remove();
  rmSync(empty, { recursive: true, force: true });
});

const mistakes: { args: string[]; cwd: string; reported: RegExp[] }[] = [
  { args: ['run'], cwd: empty, reported: [/Run 'drillyard init'/, new RegExp(`looked in ${empty}\n`)] },
  {
    args: ['inpsect', '--no-open'],
    cwd: root,
    reported: [/^error "inpsect" is no command\. Did you mean "drillyard inspect"\?\n\(drillyard --help/],
  },
  { args: ['valdate'], cwd: empty, reported: [/"valdate" is no command\. Did you mean "drillyard validate"\?/] },
  { args: ['refund-onec'], cwd: root, reported: [/There is no drill "refund-onec"\. Did you mean "refund-once"\?/] },
  { args: ['run', '--tag', 'mony'], cwd: root, reported: [/There is no tag "mony"\. Did you mean "money"\?/] },
  { args: ['run', '--suite', 'x'], cwd: root, reported: [/There is no suite "x"\. This repository has no suites\./] },
  { args: ['run', '--filter', 'zzz'], cwd: root, reported: [/No drill is selected\. There are: refund-once\. 'drillyard plan' shows/] },
  {
    args: ['run', '--concurency', '2'],
    cwd: root,
    reported: [/unknown option '--concurency'/, /Did you mean --concurrency\?/, /\(drillyard run --help lists/],
  },
  { args: ['run', '--shard', '3/2'], cwd: root, reported: [/It must be i\/n with i from 1 to n, such as 1\/3/] },
  { args: ['report', 'verfy'], cwd: root, reported: [/unknown command 'verfy'/, /Did you mean verify\?/, /\(drillyard report --help/] },
  { args: ['report', 'verify', 'x'], cwd: empty, reported: [/has no reports yet: 'drillyard run' writes them/] },
  {
    args: ['history', '--report-dir', 'drillyard.json'],
    cwd: root,
    reported: [/drillyard\.json is no folder\. Name the folder that holds the reports/],
  },
  {
    args: ['report', 'verify', 'many'],
    cwd: root,
    reported: [/many is a folder of reports\. Name one of them; the newest: run_000000000001\./],
  },
  { args: ['tool', 'test', 'library:payment'], cwd: empty, reported: [/Did you mean 'library:payments'\?/] },
  { args: ['inspect', '--no-open', '--port', '99999'], cwd: root, reported: [/an integer from 0 to 65535; 0 takes any port that is free/] },
  { args: ['world', 'tools'], cwd: empty, reported: [/works inside a drill whose target lists the binding cli/] },
];
for (const { args, cwd, reported } of mistakes) {
  test(`drillyard ${args.join(' ')}`, async () => {
    const { code, stderr } = await warmDrillyard(args, { cwd });
    assert.equal(code, 2, stderr);
    for (const pattern of reported) assert.match(stderr, pattern);
    assert.doesNotMatch(stderr, /^ +at /m);
  });
}

test('a folder below a repository: where the repository is', async () => {
  const below = join(root, 'some/where');
  mkdirSync(below, { recursive: true });
  const { code, stderr } = await warmDrillyard(['plan'], { cwd: below });
  assert.equal(code, 2);
  assert.match(stderr, new RegExp(`looked in ${below}; there is one in ${root}: go there, or name it with --root`));
});

test('a folder above projects: where they are, and what is wrong with naming their root file alone', async () => {
  const above = mkdtempSync(join(tmpdir(), 'drillyard-above-'));
  after(() => rmSync(above, { recursive: true, force: true }));
  for (const folder of ['apps/one shop', 'tools', 'node_modules/other']) {
    mkdirSync(join(above, folder, 'drillyard'), { recursive: true });
    writeFileSync(join(above, folder, 'drillyard.json'), '{ "schemaVersion": 1 }');
  }
  const looked = await warmDrillyard(['plan'], { cwd: above });
  assert.match(looked.stderr, /or name the repository with --root/);
  const found = `looked in ${above}; there is one in ${join(above, 'tools')}, ${join(above, 'apps/one shop')}: go there, or name it with --root`;
  assert.ok(looked.stderr.includes(found), looked.stderr);
  const named = await warmDrillyard(['plan', '--config', 'apps/one shop/drillyard.json'], { cwd: above });
  assert.equal(named.code, 2);
  assert.match(named.stderr, /DY1010 [\s\S]*If the repository is 'apps\/one shop', name that with --root\./);
});

test('report verify of an unknown run names the newest', async () => {
  const { stdout } = await warmDrillyard(['run', '--json'], { cwd: root });
  const runId = /"runId":"(run_\w+)"/.exec(stdout)?.[1];
  const { code, stderr } = await warmDrillyard(['report', 'verify', 'run_01m7yp6eh1kj236j4srmnsg2dz'], { cwd: root });
  assert.equal(code, 2);
  assert.match(stderr, new RegExp(`The newest there: ${runId}\\. Name one of them`));
});

test('a port that is taken: 1, and what to do', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as { port: number };
  const { code, stderr } = await drillyard(['inspect', '--no-open', '--port', String(port)], { cwd: root });
  other.close();
  assert.equal(code, 1);
  assert.match(
    stderr,
    new RegExp(`^error Cannot listen on 127\\.0\\.0\\.1:${port}: another program has that port\\. Stop it, or choose another port`),
  );
  assert.doesNotMatch(stderr, /^ +at /m);
});

test('an empty shard passes and says that nothing ran', async () => {
  const runs = await Promise.all(
    ['1/2', '2/2'].map((shard) =>
      warmDrillyard(['run', '--shard', shard, '--report-dir', `r${shard[0]}`, '--reporter', 'html'], { cwd: root }),
    ),
  );
  assert.deepEqual(
    runs.map(({ code }) => code),
    [0, 0],
  );
  const empty = runs.map(({ stdout }) => /NOTHING RAN {2}0 drills: none falls to this shard/.test(stdout)).indexOf(true) + 1;
  assert.deepEqual(
    [1, 2].map((index) =>
      readFileSync(join(root, `r${index}`, 'index.html'), 'utf8').includes(`<h1>Nothing ran: no drill falls to shard ${index}/2</h1>`),
    ),
    [empty === 1, empty === 2],
  );
  const plan = await warmDrillyard(['plan', '--shard', '1/2', '--json'], { cwd: root });
  assert.match(plan.stdout, /"shard":\{"index":1,"count":2\}/);
});
