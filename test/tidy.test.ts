// The house rules as data: reading the first table is reading the architecture. ARCHITECTURE.md says why.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What each module may import, besides itself. Files directly under src/ compose modules and may import any. */
const modules: { [module: string]: string[] } = {
  text: [],
  contract: ['text'],
  async: ['text', 'contract'],
  collections: [],
  files: ['text', 'contract'],
  loading: ['text', 'contract', 'files'],
  scheduler: ['text', 'contract'],
  expressions: ['text', 'contract'],
  processes: ['text', 'contract'],
  workers: ['text', 'contract', 'collections', 'processes/processor-wait.ts', 'processes/plug-n-play.ts'],
  actors: ['text', 'contract', 'async', 'files/memory-folder.ts', 'loading/own-code.ts', 'processes', 'workers'],
  tools: ['text', 'contract', 'collections', 'loading/own-code.ts'],
  tracing: ['text', 'contract', 'async'],
  callbacks: ['text', 'contract', 'async', 'worlds'],
  worlds: ['text', 'contract', 'async', 'collections', 'files', 'scheduler', 'processes', 'actors', 'tools'],
  compat: ['text', 'contract'],
  compiler: ['text', 'contract', 'compat/dialects.ts', 'files', 'tools', 'expressions'],
  reports: ['text', 'contract', 'files'],
  viewer: ['text', 'contract', 'collections', 'reports'],
  drills: [
    'text',
    'contract',
    'compat/dialects.ts',
    'async',
    'collections',
    'files',
    'loading/own-code.ts',
    'processes',
    'workers',
    'compiler',
    'worlds',
    'callbacks',
    'reports',
    'tools',
    'expressions',
  ],
  http: ['text', 'contract', 'tracing', 'control'],
  cluster: ['text', 'contract', 'async', 'collections', 'files'],
  client: ['text', 'contract', 'async'],
  control: [
    'text',
    'contract',
    'async',
    'collections',
    'tracing',
    'files',
    'processes',
    'workers',
    'compiler',
    'worlds',
    'callbacks',
    'drills',
  ],
  bindings: ['text', 'contract', 'files', 'worlds', 'http', 'drills/ports/bindings-port.ts'],
  nodes: [
    'text',
    'contract',
    'async',
    'collections',
    'files',
    'actors',
    'worlds',
    'control',
    'http',
    'cluster',
    'bindings',
    'service-incarnation.ts',
  ],
  desk: ['text', 'contract', 'collections', 'http'],
  remote: ['text', 'contract', 'async', 'files', 'callbacks', 'compiler', 'reports', 'drills', 'client', 'bindings/remote-world.ts'],
  testing: ['text', 'contract', 'workers/kept-threads.ts', 'compiler', 'tools', 'worlds', 'drills', 'bindings', 'local-world.ts'],
  'compat-kit': [
    'text',
    'contract',
    'loading/own-code.ts',
    'compiler',
    'drills',
    'bindings',
    'testing',
    'tools/ajv.ts',
    'http/path-table.ts',
    'http/envelope.ts',
  ],
  inspector: [
    'text',
    'contract',
    'async',
    'collections',
    'files',
    'workers',
    'compiler',
    'worlds',
    'callbacks',
    'reports',
    'viewer',
    'drills',
    'bindings',
    'http',
  ],
  cli: [
    'text',
    'compat-kit',
    'contract',
    'files',
    'compiler',
    'worlds',
    'callbacks',
    'reports',
    'drills',
    'bindings',
    'http',
    'tools',
    'inspector',
    'control',
    'client',
    'remote',
    'tracing',
    'workers',
    'index.ts',
    'nodes',
    'control-server-options.ts',
    'control-server.ts',
    'data-verification.ts',
  ],
};

/**
 * The modules inside of a module, from the lowest: what lies in one imports from it and from those before it. `.` stands for the files that
 * lie in the module itself.
 */
const submodules: { [module: string]: string[] } = {
  contract: ['.', 'world', 'run', 'hosted', 'inspector', 'validate'],
  drills: ['judge', 'ports', 'targets', 'plan', 'attempt', 'stored', '.'],
  control: ['catalog', 'guard', 'memory', 'core', 'organizations', 'source', 'tasks', 'builds', 'authoring', 'sessions', 'runs', '.'],
  worlds: ['kv', 'journal', 'state', 'turn', 'commands', '.'],
  cluster: ['.', 'objects', 'postgres'],
  viewer: ['kit', '.', 'report'],
  'inspector/app': ['kit', 'state', 'views', '.'],
};

/** Packages that only the named files may import. */
const importSites: { [specifier: string]: string[] } = {
  piscina: ['src/workers/thread.ts'],
  comlink: ['src/workers/called-thread.ts', 'src/actors/pool.ts', 'src/actors/host-entry.ts'],
  typia: [
    'src/contract/validate/validators.ts',
    'src/contract/validate/endpoint-validators.ts',
    'src/contract/validate/inspector-validators.ts',
    'src/contract/validate/agent-validators.ts',
    'src/contract/validate/answer-validators.ts',
    'src/contract/tags.ts',
  ],
  '@bufbuild/cel': ['src/expressions/syntax.ts', 'src/expressions/values.ts', 'src/expressions/evaluate.ts'],
  '@bufbuild/re2': ['src/expressions/patterns.ts', 'src/tools/patterns/re2-pattern.ts'],
  lmdb: ['src/files/database.ts'],
  'uWebSockets.js': ['src/http/uws-server.ts'],
  'node:http': [
    'src/http/node-server.ts',
    'src/http/owner-connections.ts',
    'src/callbacks/send.ts',
    'src/compat-kit/recording-proxy.ts',
    'src/drills/targets/http-exchange.ts',
    'src/cli/world-command.ts',
  ],
  pino: ['src/http/service-log.ts'],
  'prom-client': [
    'src/http/metrics/metrics.ts',
    'src/http/metrics/control-metrics.ts',
    'src/http/metrics/figure-gauges.ts',
    'src/http/metrics/forward-metrics.ts',
    'src/http/metrics/cluster-metrics.ts',
  ],
  '@opentelemetry': ['src/tracing/open-telemetry.ts', 'src/tracing/otlp.ts'],
  pg: ['src/cluster/postgres/connection.ts', 'src/cluster/postgres/rowless-statement.ts'],
  '@aws-sdk': ['src/cluster/objects/s3-objects.ts'],
  chokidar: ['src/files/source-watch.ts'],
  typescript: [
    'src/compiler/typescript.ts',
    'src/compiler/shared-libraries.ts',
    'src/compiler/type-options.ts',
    'src/compiler/type-check.ts',
    'src/compat-kit/type-checker.ts',
    'src/compat-kit/typed-value.ts',
  ],
};

/** Files that are started or imported from outside src, each with who does it. */
const entries: { [file: string]: string } = {
  'src/index.ts': 'the public list',
  'src/tools/sdk.ts': 'drillyard/tool-sdk',
  'src/tools/graphql-kit.ts': 'bundled into behaviors by compiler/behavior-kits.ts',
  'src/compat/behavior.ts': 'bundled into behaviors by compiler/behavior-kits.ts',
  'src/client/client.ts': 'drillyard/client',
  'src/testing.ts': 'drillyard/testing',
  'src/compat.ts': 'drillyard/compat',
  'src/cli/main.ts': 'bin/drillyard.js',
  'src/loading/bundle-loader.ts': 'bin/drillyard.js and the entries of scripts/bundle.mjs',
  'src/actors/host-entry.ts': 'started as a thread by actors/pool.ts',
  'src/actors/child-entry.ts': 'started as a child process by actors',
  'src/worlds/host.ts': 'loaded by URL in a host',
  'src/nodes/cluster-start.ts': 'loaded where a service is of several machines',
  'src/data-verification-entry.ts': 'started as a process by data-verification.ts',
  'src/control/tasks/task-entry.ts': 'started as a thread by control/tasks/compile-port.ts and control/tasks/judge-port.ts',
  'src/control/tasks/task-process-entry.ts': 'started as a process by control/tasks/task-process.ts',
  'src/inspector/app/main.tsx': 'bundled into app.js by scripts/build.mjs',
  'src/viewer/report/report-page.tsx': 'bundled into the page of a report by scripts/build.mjs',
  'src/inspector/journal/archive-entry.ts': 'started as a thread by inspector/journal/archive-port.ts',
  'src/drills/stored/comparison-entry.ts': 'started as a thread by drills/stored/compare-sealed.ts',
  'src/bindings/openapi.ts': 'loaded by scripts/openapi.mjs',
  'src/contract/validate/shape-rules.ts': 'loaded by scripts/reference.mjs',
  'src/drills/targets/module-entry.ts': 'started as a thread or process for a module target',
};

const fileLinesMax = 400;
const functionLinesMax = 70;

interface SourceFile {
  name: string;
  text: string;
  syntax: ts.SourceFile;
  /** Specifiers as written; `project`: those that name a file of ours, resolved. */
  imports: string[];
  project: string[];
}

const files = listSources('src').map(readSource);
const byName = new Map(files.map((file) => [file.name, file]));

function listSources(folder: string): string[] {
  return (readdirSync(join(root, folder), { recursive: true }) as string[])
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts'))
    .map((name) => join(folder, name))
    .sort();
}

function readSource(name: string): SourceFile {
  const text = readFileSync(join(root, name), 'utf8');
  const imports = ts.preProcessFile(text, true, true).importedFiles.map((entry) => entry.fileName);
  const project = imports
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => relative(root, normalize(join(root, dirname(name), specifier))).replace(/\.js$/, '.ts'));
  return { name, text, syntax: ts.createSourceFile(name, text, ts.ScriptTarget.ES2022, true), imports, project };
}

/** `worlds` for src/worlds/kv/writer.ts; undefined for a file directly under src. */
const moduleOf = (name: string): string | undefined => name.match(/^src\/([^/]+)\//)?.[1];

test('every module is in the table, and imports only what the table allows', () => {
  const broken: string[] = [];
  for (const file of files) {
    const module = moduleOf(file.name);
    if (module === undefined) continue;
    const allowed = modules[module];
    if (allowed === undefined) {
      broken.push(`${file.name}: the module ${module} is not in the table`);
      continue;
    }
    for (const imported of file.project) {
      // What the build makes of packages is a package still.
      if (!imported.startsWith('src/') || imported.startsWith('src/vendor/')) continue;
      const other = moduleOf(imported);
      const fine = other === module || allowed.includes(other ?? '') || allowed.includes(imported.slice('src/'.length));
      if (!fine) broken.push(`${file.name} imports ${imported}`);
    }
  }
  assert.deepEqual(broken, []);
});

test('every module inside of a module is in the table, and imports only from those before it', () => {
  const broken: string[] = [];
  for (const [module, order] of Object.entries(submodules)) {
    const within = `src/${module}/`;
    // The table of figures lies in the module and below all of it: it imports nothing.
    const rank = (name: string): number =>
      name === `${within}tuning.ts` ? 0 : order.indexOf(/^([^/]+)\//.exec(name.slice(within.length))?.[1] ?? '.');
    for (const file of files.filter(({ name }) => name.startsWith(within))) {
      if (rank(file.name) < 0) broken.push(`${file.name}: its folder is not in the table`);
      for (const imported of file.project.filter((name) => name.startsWith(within)))
        if (rank(imported) > rank(file.name)) broken.push(`${file.name} imports ${imported}`);
    }
  }
  assert.deepEqual(broken, []);
});

test('no file imports itself through others, types included', () => {
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (name: string, path: string[]): void => {
    if (path.includes(name)) {
      cycles.push([...path.slice(path.indexOf(name)), name].join(' -> '));
      return;
    }
    if (done.has(name)) return;
    for (const next of byName.get(name)?.project ?? []) visit(next, [...path, name]);
    done.add(name);
  };
  for (const file of files) visit(file.name, []);
  assert.deepEqual(cycles, []);
});

test('a package with a place is imported nowhere else', () => {
  const strays = files.flatMap((file) =>
    file.imports
      .map((specifier) => Object.keys(importSites).find((name) => specifier === name || specifier.startsWith(`${name}/`)))
      .filter((name) => name !== undefined && !importSites[name]?.includes(file.name))
      .map((name) => `${file.name} imports ${name}`),
  );
  assert.deepEqual(strays, []);
});

test('only the compiler keeps what it made between commands: a build is named after the code that it loads', () => {
  const keepers = files.filter(({ name, project }) => name.startsWith('src/') && project.includes('src/files/content-cache.ts'));
  assert.ok(keepers.length > 0);
  assert.deepEqual(
    keepers.map(({ name }) => name).filter((name) => moduleOf(name) !== 'compiler'),
    [],
  );
});

test('files and functions stay within their sizes', () => {
  const large: string[] = [];
  for (const file of files) {
    const lines = file.text.split('\n').length - 1;
    if (lines > fileLinesMax) large.push(`${file.name}: ${lines} lines`);
    const visit = (node: ts.Node): void => {
      if (ts.isFunctionLike(node) && 'body' in node && node.body) {
        const from = file.syntax.getLineAndCharacterOfPosition(node.getStart()).line;
        const to = file.syntax.getLineAndCharacterOfPosition(node.end).line;
        if (to - from + 1 > functionLinesMax) large.push(`${file.name}:${from + 1}: a function of ${to - from + 1} lines`);
      }
      ts.forEachChild(node, visit);
    };
    visit(file.syntax);
  }
  assert.deepEqual(large, []);
});

test('every file is imported by another or is a known entry', () => {
  const imported = new Set(files.flatMap((file) => file.project));
  const orphans = files.map((file) => file.name).filter((name) => !imported.has(name) && !(name in entries));
  assert.deepEqual(orphans, []);
  const gone = Object.keys(entries).filter((name) => !existsSync(join(root, name)));
  assert.deepEqual(gone, [], 'entries that do not exist');
});

test('no default exports, no re-exports inside src, no names that say nothing', () => {
  const broken: string[] = [];
  for (const file of files) {
    if (/^export default /m.test(file.text)) broken.push(`${file.name}: export default`);
    const composes = moduleOf(file.name) === undefined || file.name === 'src/contract/tags.ts' || file.name === 'src/tools/sdk.ts';
    if (!composes && /^export (\*|(type )?\{[^}]*\}) from /m.test(file.text)) broken.push(`${file.name}: re-export`);
    if (/(^|[/-])(utils?|helpers?|manager|misc|common)([.-]|$)/.test(file.name.slice(4)))
      broken.push(`${file.name}: a name that says nothing`);
  }
  assert.deepEqual(broken, []);
});

test('no export changes once its module has run: the parts of a bundle are handed on as they are then', () => {
  // Its own class sets them while the module runs.
  const setAtOnce = ['src/tools/globals/search-params.ts'];
  const changing = files.filter(({ text }) => /^export (let|var) /m.test(text)).map(({ name }) => name);
  assert.deepEqual(changing, setAtOnce);
});

test('comments have at most 140 columns', () => {
  const long = ['src', 'test', 'bench', 'scripts'].flatMap((folder) =>
    (readdirSync(join(root, folder), { recursive: true }) as string[])
      .filter((name) => /\.(?:tsx?|mjs)$/.test(name))
      .flatMap((name) =>
        readFileSync(join(root, folder, name), 'utf8')
          .split('\n')
          .flatMap((line, index) => (line.length > 140 && /^ *(?:\/\/(?! biome-ignore)|\/?\*)/.test(line) ? [`${name}:${index + 1}`] : [])),
      ),
  );
  assert.deepEqual(long, []);
});

/** Where figures stand: bounds that a user can meet, what tunes a module, and what an operator does not set. */
const figureTables =
  /^src\/(?:contract\/(?:inspector-|recording-|report-|service-|wire-)?limits|contract\/units|[\w-]+\/tuning|control\/catalog\/settings)\.ts$/;
/** Documents with example values. */
const examples = /^src\/(?:http\/openapi\/|bindings\/openapi\.ts$)/;
const figureName = /(?:Max|Min|Ms|Us|Px|Shown|Listed|Kept|AtOnce)$/;
const waits = new Set(['setTimeout', 'setInterval', 'delay', 'timeout']);
const cuts = new Set(['slice', 'substring', 'subarray', 'shortText']);
/** A longer piece is a bound of what somebody sees; a shorter one is a part of a digest or of a date. */
const pieceMax = 40;

/** The numbers of an arithmetic, or one number; undefined where it is anything else. What a format prescribes is in hexadecimal. */
function numbersOf(node: ts.Node): string[] | undefined {
  if (ts.isNumericLiteral(node)) return /^0x/i.test(node.getText()) ? undefined : [node.getText()];
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) return numbersOf(node.expression);
  if (!ts.isBinaryExpression(node)) return undefined;
  const [left, right] = [numbersOf(node.left), numbersOf(node.right)];
  return left && right && [...left, ...right];
}

const isLarge = (numbers: readonly string[]): boolean =>
  numbers.length > 1 || numbers.some((text) => text.includes('_') || Number(text) >= 100);

/** What is wrong with a number at this place, if it is a figure. */
function strayFigure(node: ts.Node): boolean {
  if (ts.isVariableDeclaration(node) && node.initializer && ts.isSourceFile(node.parent.parent.parent)) {
    const numbers = numbersOf(node.initializer);
    return (
      numbers !== undefined && (node.parent.flags & ts.NodeFlags.Const) !== 0 && (isLarge(numbers) || figureName.test(node.name.getText()))
    );
  }
  if (
    (ts.isPropertyAssignment(node) || ts.isPropertyDeclaration(node) || ts.isBindingElement(node) || ts.isParameter(node)) &&
    node.initializer
  ) {
    const numbers = numbersOf(node.initializer);
    return (
      numbers !== undefined && isLarge(numbers) && (figureName.test(node.name.getText()) || /^(?:limit|timeout)$/.test(node.name.getText()))
    );
  }
  if (!ts.isCallExpression(node)) return false;
  const called = ts.isPropertyAccessExpression(node.expression) ? node.expression.name.text : node.expression.getText();
  const given = node.arguments.flatMap((argument) => numbersOf(argument) ?? []).map((text) => Number(text.replaceAll('_', '')));
  return (waits.has(called) && given.some((number) => number > 0)) || (cuts.has(called) && given.some((number) => number >= pieceMax));
}

test('a figure stands in limits.ts, or in the tuning.ts of its module', () => {
  const strays: string[] = [];
  for (const { name, syntax } of files) {
    if (figureTables.test(name) || examples.test(name)) continue;
    const visit = (node: ts.Node): void => {
      if (strayFigure(node)) strays.push(`${name}:${syntax.getLineAndCharacterOfPosition(node.getStart()).line + 1}: ${node.getText()}`);
      ts.forEachChild(node, visit);
    };
    visit(syntax);
  }
  assert.deepEqual(strays, []);
});

test('a table of figures says why each is there', () => {
  const silent: string[] = [];
  for (const { name, text } of files.filter((file) => /^src\/[\w-]+\/tuning\.ts$/.test(file.name))) {
    let isExplained = false;
    for (const line of text.split('\n')) {
      if (/^ {2}\/[/*]/.test(line)) isExplained = true;
      else if (/^ {2}\w+:/.test(line) && !isExplained) silent.push(`${name}: ${line.trim()}`);
      else if (line === '') isExplained = false;
    }
  }
  assert.deepEqual(silent, []);
});

/** Words of no use to a reader: what stands for them is in docs/glossary.md. A look-ahead excepts what means something else. */
const bannedWords = [
  /\b(?:is|are|was|were|be|being|been) told\b(?! apart)|\btold (?:once|as|of|by|with|at|in)\b/i,
  /\bblotted out\b|\blaid out\b|\bhad its way\b|\basks the disk\b|\bfaltered\b|\bdoomed\b|\bwhyever\b/i,
  /\bamnesia\b|\bforgetful\b|\bcontrol rooms?\b|\b(?:next|earlier|later|last|new|another|other) (?:life|lives)\b/i,
  /\b(?:he|him|his|himself|she|her)\b/i,
  /\banew\b|\bwhoever\b|\bwhomever\b|\bnobody's\b|\bseats?\b|\brooms?\b(?! for the names of interactions)/i,
  /\bunless told\b|\bbe had\b|\bcomes of it\b|\bsees to it\b|\b(?:give|gives|gave|given) back\b/i,
  /\b(?:goes|go|went|going|gone) on\b(?! the wire| with this turn)/i,
  // At the start of a sentence: its subject is missing.
  /(?:^\s*|[.:`'] |\/\/ |\* |')Whatever\b(?! names an entry)/,
];
const proseFolders = ['src', 'test', 'bench', 'scripts', 'docs', 'deploy', 'examples', 'library'];

test('the words of the ban list are nowhere', () => {
  const pages = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md'];
  const written = proseFolders.flatMap((folder) =>
    (readdirSync(join(root, folder), { recursive: true }) as string[])
      .filter(
        (name) =>
          /\.(?:tsx?|mjs|md|css)$/.test(name) &&
          !name.includes('node_modules') &&
          !name.includes('.service') &&
          !name.endsWith('COMPAT.md'),
      )
      .map((name) => join(folder, name)),
  );
  const found = [...pages, ...written]
    .filter((name) => name !== 'test/tidy.test.ts')
    .flatMap((name) =>
      readFileSync(join(root, name), 'utf8')
        .split('\n')
        .flatMap((line, index) => (bannedWords.some((word) => word.test(line)) ? [`${name}:${index + 1}: ${line.trim()}`] : [])),
    );
  assert.deepEqual(found, []);
});

test('no blank line parts the head comment of a file from its first import', () => {
  const parted = ['src', 'test', 'bench', 'scripts'].flatMap((folder) =>
    (readdirSync(join(root, folder), { recursive: true }) as string[])
      .filter((name) => /\.(?:tsx?|mjs)$/.test(name))
      .map((name) => join(folder, name))
      .filter((name) => /^(?:#!.*\n)?(?:\/\/.*\n)+\n+import\b/.test(readFileSync(join(root, name), 'utf8'))),
  );
  assert.deepEqual(parted, []);
});

test('the name of an exported class or interface is given once', () => {
  const places = new Map<string, string[]>();
  for (const { name, text } of files)
    for (const [, exported] of text.matchAll(/^export (?:abstract )?(?:class|interface) (\w+)/gm))
      places.set(exported as string, [...(places.get(exported as string) ?? []), name]);
  assert.deepEqual(
    [...places].filter(([, names]) => names.length > 1),
    [],
  );
});

test('no wall clock and no host randomness inside worlds and the scheduler', () => {
  const broken = files
    .filter((file) => ['worlds', 'scheduler'].includes(moduleOf(file.name) ?? ''))
    // It marks the records of a data file, which no world reads.
    .filter(({ name }) => name !== 'src/worlds/host-stream-log.ts')
    .filter((file) => /\b(Date\.now|new Date\(|performance\.|Math\.random|randomBytes|randomUUID|process\.hrtime)/.test(file.text))
    .map((file) => file.name);
  assert.deepEqual(broken, []);
});

/** What a module may remember of objects that are not its own: what follows from the object alone, computed once. */
const memos: { [file: string]: string } = {
  'src/contract/shape.ts': 'the alternatives of a schema',
  'src/compiler/setups.ts': 'the setup of a start, the text of a patch',
  'src/compiler/shared-libraries.ts': 'the parsed declarations of a TypeScript',
  'src/drills/attempt/run-setup.ts': 'the setup of a drill, as its attempts show it',
  'src/drills/judge/run-facts.ts': 'the text of a row',
  'src/bindings/mcp-server.ts': 'the tools of an access, which do not change',
  'src/actors/abort-listeners.ts': 'the one listener of a signal',
};

test("no open file is asked for what Yarn's Plug'n'Play, which stands in for fs, does not have", () => {
  const broken = files.flatMap(({ name, text }) => (/\.(?:sync|datasync)\(\)|\.readv\(/.test(text) ? [name] : []));
  assert.deepEqual(broken, [], 'src/files/flush.ts flushes');
});

test('state lies on what owns it, and no module keeps any by object', () => {
  const keeping = files
    .filter((file) => /^(?:export )?(?:const|let) [^=\n]+ = new Weak(?:Map|Set)\b/m.test(file.text))
    .map(({ name }) => name);
  assert.deepEqual(keeping.sort(), Object.keys(memos).sort());
});

test('ARCHITECTURE.md names only places that exist', () => {
  const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  const tables = page.slice(page.indexOf('## Where is ...'), page.indexOf('## What is not here yet'));
  const lines = [...tables.matchAll(/^\| (?!where \.\.\. |---).+$/gm)].map(([line]) => line);
  const broken = lines.filter((line) => {
    const [, path, name] = /^\| .+ \| `([^`]+\.tsx?)` \| `(\w+)` \|$/.exec(line) ?? [];
    const text = byName.get(`src/${path}`)?.text ?? '';
    return !new RegExp(`^export (?:async )?(?:const|class|function\\*?|interface|type) ${name}\\b`, 'm').test(text);
  });
  const named = [...page.matchAll(/`([\w./-]+\.(?:tsx?|mjs))`/g)].map(([, path]) => path as string);
  const strangers = named.filter((path) => !byName.has(`src/${path}`) && !existsSync(join(root, path)));
  assert.deepEqual([broken, strangers], [[], []]);
  assert.ok(lines.length >= 30, `${lines.length} rows`);
});

test('ARCHITECTURE.md shows each module with what it may import', () => {
  const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  const shown = [...page.matchAll(/^\| `([\w-]+)` \| .+ \| ([^|]+) \| [^|]+ \|$/gm)].map(([, name, may]) => `${name}: ${may}`);
  const expected = Object.entries(modules).map(([name, may]) => {
    const others = may.filter((other) => other !== 'text').map((other) => other.replace(/\.ts$/, ''));
    return `${name}: ${others.join(', ') || 'nothing of ours'}`;
  });
  // It is the top, and imports the public doors of all.
  const isCli = (line: string): boolean => line.startsWith('cli: ');
  assert.deepEqual(shown.filter((line) => !isCli(line)).sort(), expected.filter((line) => !isCli(line)).sort());
});

test('a file of ours that a comment names exists', () => {
  const known = new Set([...files.map(({ name }) => name), ...listSources('test'), ...listSources('bench')].map((name) => basename(name)));
  // What the build writes, and a place in a folder of a user's.
  for (const other of ['behavior-globals.d.ts', 'notes.ts']) known.add(other);
  const broken = files.flatMap(({ name, text }) =>
    [...text.matchAll(/(?:\/\/|^\s*\/?\*).*$/gm)]
      .flatMap(([comment]) => [...comment.matchAll(/[\w./-]+\.tsx?\b/g)].map(([path]) => path))
      .filter((path) => !known.has(basename(path)))
      .map((path) => `${name}: ${path}`),
  );
  assert.deepEqual(broken, []);
});

const invariantId = '[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)*-[0-9]+';

test('each invariant has an id of its own, named after its file, and a test that shows it cites it', () => {
  const broken: string[] = [];
  const idsOf = new Map<string, string>();
  for (const { name, text } of files) {
    const stem = name.replace(/^.*\/|\.tsx?$/g, '').toUpperCase();
    for (const [, id] of text.matchAll(new RegExp(`^\\s*(?://|\\*) {3,}(${invariantId}|[A-Z]{1,3}[0-9]+)\\. `, 'gm'))) {
      const prefix = (id as string).replace(/-[0-9]+$/, '');
      if (prefix !== stem && !prefix.endsWith(`-${stem}`)) broken.push(`${name}: ${id} is not named after the file`);
      if (idsOf.has(id as string)) broken.push(`${name}: ${id} is in ${idsOf.get(id as string)} too`);
      idsOf.set(id as string, name);
    }
  }
  const cited = new Set<string>();
  for (const name of listSources('test')) {
    const text = readFileSync(join(root, name), 'utf8');
    for (const [, list] of text.matchAll(new RegExp(`^ *// (${invariantId}(?:, ${invariantId})*)$`, 'gm'))) {
      for (const id of (list as string).split(', ')) {
        cited.add(id);
        if (!idsOf.has(id)) broken.push(`${name} cites ${id}, which does not exist`);
      }
    }
  }
  const prefixes = new Set([...idsOf.keys()].map((id) => id.replace(/-[0-9]+$/, '')));
  for (const { name, text } of files) {
    for (const [id] of text.matchAll(new RegExp(`\\b${invariantId}\\b`, 'g')))
      if (prefixes.has(id.replace(/-[0-9]+$/, '')) && !idsOf.has(id)) broken.push(`${name} mentions ${id}, which does not exist`);
  }
  for (const [id, name] of idsOf) if (!cited.has(id)) broken.push(`${name}: no test cites ${id}`);
  assert.deepEqual(broken, []);
  assert.ok(idsOf.size >= 250, `${idsOf.size} invariants`);
});

test('no hook of a test file is for each test: files share processes, and it would run for those of others too', () => {
  const broken = listSources('test').filter((name) => /^(before|after)Each\(/m.test(readFileSync(join(root, name), 'utf8')));
  assert.deepEqual(broken, []);
});

test('a test waits with the functions of test/until.ts, which end: one of its own would wait for ever', () => {
  const broken = listSources('test').filter(
    (name) => name !== 'test/until.ts' && /\bfunction until\b|\bconst until = (?:async )?\(/.test(readFileSync(join(root, name), 'utf8')),
  );
  assert.deepEqual(broken, []);
});

test('a page that a comment cites exists, and the index of decisions lists each of them', () => {
  const pages = readdirSync(join(root, 'docs/decisions')).filter((name) => name !== 'README.md');
  const index = readFileSync(join(root, 'docs/decisions/README.md'), 'utf8');
  const listed = [...index.matchAll(/^- \[\d{3}\]\((.+\.md)\)/gm)].map(([, page]) => page);
  assert.deepEqual(listed, pages.sort());
  assert.equal(new Set(pages.map((page) => page.slice(0, 3))).size, pages.length);
  const broken: string[] = [];
  for (const page of pages) {
    const text = readFileSync(join(root, 'docs/decisions', page), 'utf8');
    const parts = [...text.matchAll(/^## (.+)$/gm)].map(([, part]) => part);
    if (parts.join() !== 'Context,Choice,Consequence,What was measured') broken.push(`${page}: its parts are ${parts.join()}`);
    for (const [, file] of text.matchAll(/`((?:src|test)\/[^`*]+)`/g))
      if (!existsSync(join(root, file as string))) broken.push(`${page} names ${file}, which does not exist`);
  }
  for (const name of [...files.map((file) => file.name), ...listSources('test')]) {
    const text = readFileSync(join(root, name), 'utf8');
    for (const [cited, number] of text.matchAll(/docs\/decisions\/(\d+)/g))
      if (!pages.some((page) => page.startsWith(`${number}-`))) broken.push(`${name} cites ${cited}`);
    for (const [, page] of text.matchAll(/^ *(?:\/\/|\/?\*).*?([A-Za-z0-9_./-]+\.md)\b/gm))
      if (!existsSync(join(root, page as string))) broken.push(`${name} cites ${page}`);
  }
  assert.deepEqual(broken, []);
});
