// Makes one script of modules of ours, so that the realm runs the very code that the host runs (json-check above all) as its own.
// Each compiled module becomes a function of the modules before it. Only `import { a, b } from './x.js'` and exported declarations occur in
// them.
import { readFileSync } from 'node:fs';
import { ambientNames } from './ambient.js';

/** In order of need. */
const insideModules = [
  '../text/cut-text.js',
  '../contract/inspector-limits.js',
  '../contract/report-limits.js',
  '../contract/service-limits.js',
  '../contract/wire-limits.js',
  '../contract/limits.js',
  '../contract/turn-bounds.js',
  '../contract/json-fault.js',
  '../contract/tuning.js',
  '../contract/canonical-json.js',
  '../contract/json-check.js',
  './token-endpoint.js',
  '../contract/units.js',
  './time-zone-table.js',
  './time-zones.js',
  './sdk.js',
  './tuning.js',
  './realm-declarative.js',
  './realm-border.js',
  './realm-blobs.js',
  './realm-context.js',
  './realm-inside.js',
];

const lockdownModules = [
  './globals/known-names.js',
  './globals/later-patterns.js',
  './globals/known-results.js',
  './globals/bounded-arrays.js',
  './globals/power.js',
  './globals/realm-date.js',
  './realm-lockdown.js',
];

/** Of what tool code has beside ECMAScript. */
const addedModules = [
  './globals/text-codec.js',
  './globals/base64.js',
  './globals/url-record.js',
  './globals/url-host.js',
  './globals/url-parser.js',
  './globals/search-params.js',
  './globals/url.js',
  './globals/structured-clone.js',
  './globals/added-globals.js',
];

/** A script whose value is the exports of realm-lockdown.ts. It still sees the real globals. */
export function lockdownScript(): string {
  return `(function () { 'use strict'; ${modulesInOrder(lockdownModules)} })()`;
}

/** A script whose value is a function of the ambient values and `Date`, which gives the exports of added-globals.ts. */
export function addedScript(): string {
  return `(function (ambient) { 'use strict'; const { ${ambientNames.join(', ')}, Date } = ambient; ${modulesInOrder(addedModules)} })`;
}

/** A script whose value is a function of the ambient values, which gives the exports of realm-inside.ts. */
export function insideScript(): string {
  return `(function (ambient) { 'use strict'; const { ${ambientNames.join(', ')} } = ambient; ${modulesInOrder(insideModules)} })`;
}

/** Statements that return the exports of the last. */
function modulesInOrder(paths: readonly string[]): string {
  const modules = paths.map((path) => `modules[${keyOf(path)}] = ${moduleFunction(path)}(modules);`);
  return `const modules = {};\n${modules.join('\n')}\nreturn modules[${keyOf(paths.at(-1) as string)}];`;
}

function moduleFunction(path: string): string {
  const exported: string[] = [];
  const body = readFileSync(new URL(path, import.meta.url), 'utf8')
    .replace(
      /^import \{([^}]*)\} from ['"]([^'"]+)['"];?$/gm,
      (_, names: string, from: string) => `const {${names}} = modules[${keyOf(from, path)}];`,
    )
    .replace(/^export \{([^}]*)\};?$/gm, (_, names: string) => {
      exported.push(...names.split(',').map((name) => name.trim()));
      return '';
    })
    .replace(/^export (?=(?:async )?(?:function|class|const|let)\*? (\w+))/gm, (_, name: string) => {
      exported.push(name);
      return '';
    })
    .replace(/^\/\/# sourceMappingURL=.*$/gm, '');
  return `(function (modules) {\n${body}\nreturn { ${exported.filter((name) => name !== '').join(', ')} };\n})`;
}

/** A module by its place, as text of a script: two modules may have files of one name. */
function keyOf(path: string, importer = './'): string {
  return JSON.stringify(new URL(path, new URL(importer, 'file:///src/tools/')).pathname);
}
