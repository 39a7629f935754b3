// Which test files share a process. A process of its own costs each file the start of node and the loading of what it tests, a quarter of a
// second of a processor for a small module and more than a whole one for the service; threads and pools that a kit keeps for a file are
// kept for all. In a shared process the hooks of a file hold for all: `before` runs at the start and `after` at the end, and a test file
// has no `beforeEach` or `afterEach` outside of a suite (test/tidy.test.ts). No test begins before every file is loaded: node runs the
// hooks of the end as soon as no test is left, and a file that awaits something at its top has none until then.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** Files, or folders of test/, whose files share processes, and with whom; the longest path is asked first. */
const sharing = new Map([
  // Each process of these has a browser.
  ...['bindings/cross-origin', 'inspector/app', 'viewer/report-page'].map((path) => [path, 'browser']),
  ...['bindings', 'cli', 'control', 'e2e', 'http', 'compiler', 'contract'].map((name) => [name, name]),
  ['control-server', 'control'],
  ...['drills', 'inspector', 'library', 'reports', 'tools', 'worlds'].map((name) => [name, name]),
  ...['actors', 'async', 'callbacks', 'client', 'cluster', 'collections', 'compat-kit', 'desk', 'files'].map((name) => [name, 'modules']),
  ...['processes', 'scheduler', 'text', 'viewer', 'workers'].map((name) => [name, 'modules']),
]);
/**
 * Files that measure their process or the machine, or need more of it than a share; and those of clusters, whose nodes would run from the
 * first file of a shared process to its last.
 */
const apart = new Set([
  'actors/host-supervisor',
  'compat-kit/type-checker',
  'compat-kit/verify',
  'e2e/cluster',
  'e2e/cluster-admin',
  'e2e/cluster-backup',
  'e2e/cluster-mounts',
  'e2e/cluster-spread',
  'e2e/cluster-standby',
  'e2e/hostile-builds',
  'http/server',
  'inspector/start-inspector',
  'library/verify',
  'worlds/boxes',
  'worlds/crash',
  'worlds/disk-full',
  'worlds/hostile',
  'worlds/stream-crash',
]);
/** So that processes at once end at about the same time. */
const filesMax = 24;
/**
 * What has a time to keep, by the clock: 20 faults of leaders within a minute. They take 40 s with nothing beside them, about as long
 * beside one busy process, and 55 to 80 s beside two, so they run before the others.
 */
const timed = new Set(['e2e/cluster']);
/**
 * What begins first, by its name without its number: what takes long alone would otherwise end long after everything else. Clusters and
 * browsers wait for half of their time, so those that wait stand beside those that are busy.
 */
const first = [
  ...['library/verify', 'browser', 'e2e', 'examples/repeated-runs', 'drills', 'compat/projects', 'inspector', 'library'],
  ...['e2e/hostile-builds', 'e2e/cluster-backup', 'cli', 'e2e/cluster-admin', 'control', 'modules', 'e2e/cluster-standby', 'docs/snippets'],
  ...['worlds', 'compiler', 'e2e/cluster-spread', 'bindings', 'compat-kit/verify', 'actors/host-supervisor', 'package/package', 'contract'],
];

/**
 * Files to give to node, each for one process and importing the test files of it: those that have a time to keep, and the others, what
 * takes longest first. They lie in `folder` until they have run, and node takes them by name.
 */
export function processesOf(files, out) {
  const root = join(out, 'test');
  const folder = mkdtempSync(join(root, '.processes-'));
  const groups = new Map();
  for (const file of files) {
    const path = relative(root, file)
      .replaceAll('\\', '/')
      .replace(/\.test\.js$/, '');
    const name = apart.has(path) ? path : (sharedWith(path) ?? path);
    groups.set(name, [...(groups.get(name) ?? []), file]);
  }
  const parts = [...groups].flatMap(([group, all]) => {
    const each = Math.ceil(all.length / Math.ceil(all.length / filesMax));
    // Neighbors by name stand on the same kit: what it compiles and starts once for all serves most of them.
    return Array.from({ length: Math.ceil(all.length / each) }, (_, at) => ({ group, at, members: all.slice(at * each, (at + 1) * each) }));
  });
  const rank = ({ group }) => (first.includes(group) ? first.indexOf(group) : first.length);
  const processes = parts
    .sort((one, other) => rank(one) - rank(other))
    .map(({ group, at, members }, index) => {
      const file = join(folder, `${String(index).padStart(3, '0')}-${group.replaceAll('/', '-')}-${at + 1}.js`);
      const imports = members.map((member) => `  import(${JSON.stringify(`./${relative(folder, member).replaceAll('\\', '/')}`)}),\n`);
      const program = [
        "import { before } from 'node:test';\n",
        `const loaded = Promise.all([\n${imports.join('')}]);\n`,
        'before(() => loaded);\nawait loaded;\n',
      ];
      writeFileSync(file, program.join(''));
      return { file, isTimed: timed.has(group) };
    });
  const filesOf = (wanted) => processes.filter(({ isTimed }) => isTimed === wanted).map(({ file }) => file);
  return { timed: filesOf(true), together: filesOf(false), folder };
}

/** The name of those that the file shares processes with. */
function sharedWith(path) {
  for (let at = path; at !== '.'; at = dirname(at)) if (sharing.has(at)) return sharing.get(at);
  return undefined;
}
