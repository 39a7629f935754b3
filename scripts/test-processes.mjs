// Which test files share a process. A process of its own costs each file the start of node and the loading of what it tests, a quarter of a
// second of a processor for a small module and more than a whole one for the service; threads and pools that a kit keeps for a file are
// kept for all. In a shared process the hooks of a file hold for all: `before` runs at the start and `after` at the end, and a test file
// has no `beforeEach` or `afterEach` outside of a suite (test/tidy.test.ts).
import { mkdtempSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** Folders of test/ whose files share processes, and with whom. */
const sharing = new Map([
  ...['bindings', 'control', 'e2e', 'http', 'compiler', 'contract', 'drills', 'inspector', 'library', 'reports', 'tools', 'worlds'].map(
    (name) => [name, name],
  ),
  ...['actors', 'async', 'callbacks', 'client', 'cluster', 'collections', 'files', 'processes', 'scheduler', 'workers'].map((name) => [
    name,
    'modules',
  ]),
]);
/**
 * Files that measure their process or the machine, start a browser, or need more of it than a share; and those of clusters, whose nodes
 * would run from the first file of a shared process to its last.
 */
const apart = new Set([
  'actors/host-supervisor',
  'bindings/cross-origin',
  'e2e/cluster',
  'e2e/cluster-admin',
  'e2e/cluster-backup',
  'e2e/cluster-mounts',
  'e2e/cluster-spread',
  'e2e/cluster-standby',
  'e2e/crash',
  'e2e/disk-full',
  'e2e/fuzz',
  'e2e/hostile-builds',
  'e2e/pipelining',
  'http/server',
  'inspector/app/browser',
  'inspector/start-inspector',
  'worlds/boxes',
  'worlds/crash',
  'worlds/disk-full',
  'worlds/hostile',
  'worlds/stream-crash',
]);
/** So that two processes at once end at about the same time. */
const filesMax = 12;

/**
 * Files to give to node, each for one process: test files, and files that import several of them, which lie in `folder` until they have
 * run.
 */
export function processesOf(files, out) {
  const root = join(out, 'test');
  const folder = mkdtempSync(join(root, '.processes-'));
  const single = [];
  const modules = new Map();
  for (const file of files) {
    const path = relative(root, file)
      .replaceAll('\\', '/')
      .replace(/\.test\.js$/, '');
    const module = dirname(path).split('/')[0];
    const name = sharing.get(module);
    if (name === undefined || apart.has(path)) single.push(file);
    else modules.set(name, [...(modules.get(name) ?? []), file]);
  }
  const shared = [...modules].flatMap(([module, all]) => {
    const each = Math.ceil(all.length / Math.ceil(all.length / filesMax));
    // Neighbors by name stand on the same kit: what it compiles and starts once for all serves most of them.
    return Array.from({ length: Math.ceil(all.length / each) }, (_, at) => [`${module}-${at + 1}`, all.slice(at * each, (at + 1) * each)]);
  });
  const processes = [
    ...shared.map(([name, members]) => {
      if (members.length === 1) return members[0];
      const file = join(folder, `${name}.js`);
      const imports = members.map((member) => `import ${JSON.stringify(`./${relative(folder, member).replaceAll('\\', '/')}`)};\n`);
      writeFileSync(file, imports.join(''));
      return file;
    }),
    ...single,
  ];
  return { processes: spread(processes), folder };
}

/** Those of clusters wait for most of their time: one at a time runs beside others, which have the processors meanwhile. */
function spread(processes) {
  const waits = (file) => /[\\/](?:e2e[\\/]cluster[a-z-]*|examples[\\/]06-cluster)\.test\.js$/.test(file);
  const [waiting, busy] = [processes.filter(waits), processes.filter((file) => !waits(file))];
  const each = Math.ceil(busy.length / (waiting.length + 1));
  return [...waiting.flatMap((file, at) => [file, ...busy.slice(at * each, (at + 1) * each)]), ...busy.slice(waiting.length * each)];
}
