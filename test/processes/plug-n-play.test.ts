import { deepEqual } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';

/** A stand-in for the table that yarn writes: it says what each package is, and resolves none, as ours are in node_modules. */
const table = `
const { join } = require('node:path');
const at = (path) => join(__dirname, path);
const packages = {
  drillyard: { packageLocation: at('.yarn/unplugged/drillyard/'), linkType: 'HARD', packagePeers: new Set(['peer', 'absent']),
    packageDependencies: new Map([['drillyard', '1'], ['zipped', '1'], ['other-name', ['unplugged', '1']], ['peer', '1'], ['absent', null],
      ['of-another-system', '1'], ['workspace', '1']]) },
  zipped: { packageLocation: at('virtual/zipped.zip/node_modules/zipped/'), linkType: 'HARD', packagePeers: new Set(),
    packageDependencies: new Map([['deeper', '1'], ['zipped', '1']]) },
  unplugged: { packageLocation: at('.yarn/unplugged/unplugged/'), linkType: 'HARD', packageDependencies: new Map() },
  deeper: { packageLocation: at('cache/deeper.zip/node_modules/deeper/'), linkType: 'HARD', packageDependencies: new Map([['unplugged', '1']]) },
  peer: { packageLocation: at('cache/peer.zip/node_modules/peer/'), linkType: 'HARD', packageDependencies: new Map() },
  'of-another-system': { packageLocation: at('.yarn/unplugged/missing/'), linkType: 'HARD', packageDependencies: new Map() },
  workspace: { packageLocation: at('workspace/'), linkType: 'SOFT', packageDependencies: new Map() },
};
globalThis.plugNPlay = true;
require('node:module').findPnpApi = () => ({
  resolveRequest: (request) => (request === 'pnpapi' ? __filename : undefined),
  findPackageLocator: () => ({ name: 'drillyard', reference: '1' }),
  getPackageInformation: ({ name }) => packages[name] ?? null,
  resolveVirtual: (path) => (path.startsWith(at('virtual/')) ? path.replace(at('virtual/'), at('cache/')) : null),
});
`;

/** What the text of a module prints, as JSON, where a table of packages is loaded and the user has a flag of their own. */
function underPlugNPlay(t: TestContext, script: (href: (path: string) => string, own: (name: string) => string) => string) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'drillyard pnp-')));
  t.after(() => rmSync(root, { recursive: true }));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const href = (path: string): string => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);
  const seen = 'const seen = { plugNPlay: globalThis.plugNPlay === true, ofUser: globalThis.ofUser === true };';
  write('.pnp.cjs', table);
  write('of-user.cjs', 'globalThis.ofUser = true;');
  write('thread.mjs', `${seen}\nexport const run = () => seen;`);
  write(
    'child.mjs',
    `import { openParentChannel } from ${href('processes/parent-channel.js')};\n${seen}\nopenParentChannel(() => {}).send(seen);`,
  );
  for (const archive of ['zipped', 'deeper', 'peer', 'unrelated']) write(`cache/${archive}.zip`, '');
  for (const folder of ['.yarn/unplugged/unplugged', '.yarn/unplugged/unrelated', 'workspace']) write(`${folder}/index.js`, '');
  const own = (name: string): string => JSON.stringify(pathToFileURL(join(root, name)).href);
  const quoted = (path: string): string => JSON.stringify(join(root, path));
  const said = execFileSync(process.execPath, ['--input-type=module', '--eval', script(href, own)], {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: `--require ${quoted('.pnp.cjs')} --require ${quoted('of-user.cjs')}` },
  });
  return { root, said: JSON.parse(said) as unknown };
}

// PLUG-N-PLAY-1
test("under Plug'n'Play a child process has its table of packages, and no other flag of its user", { timeout: 60_000 }, (t) => {
  const { said } = underPlugNPlay(
    t,
    (href, own) => `
import { spawnChild } from ${href('processes/spawn-child.js')};
const child = spawnChild({
  entry: new URL(${own('child.mjs')}),
  onMessage: (seen) => { console.log(JSON.stringify(seen)); child.kill(); },
});
await child.ended;`,
  );
  deepEqual(said, { plugNPlay: true, ofUser: false });
});

test("under Plug'n'Play a thread without environment has its table of packages", { timeout: 60_000 }, (t) => {
  const { said } = underPlugNPlay(
    t,
    (href, own) => `
import { startThread } from ${href('workers/thread.js')};
const thread = startThread({ entry: new URL(${own('thread.mjs')}), run: 'run', env: {} });
console.log(JSON.stringify(await thread.run({})));
await thread.end();`,
  );
  deepEqual(said, { plugNPlay: true, ofUser: false });
});

// PLUG-N-PLAY-2
test("under Plug'n'Play a box sees the table and the packages of this one, and nothing else of the user's", { timeout: 60_000 }, (t) => {
  const { root, said } = underPlugNPlay(
    t,
    (href) => `
import { runtimeFolders } from ${href('processes/bubblewrap.js')};
console.log(JSON.stringify(runtimeFolders()));`,
  );
  const folders = said as { outside: string; inside: string; writable: boolean }[];
  const ofUser = folders.filter(({ outside }) => outside.startsWith(root));
  const places = ['.pnp.cjs', '.yarn/unplugged/unplugged', 'cache/deeper.zip', 'cache/zipped.zip'].map((path) => join(root, path));
  deepEqual(
    ofUser.sort((a, b) => (a.outside < b.outside ? -1 : 1)),
    places.map((place) => ({ outside: place, inside: place, writable: false })),
  );
  deepEqual(
    folders.filter(({ outside }) => outside.endsWith('node_modules')),
    [],
  );
});
