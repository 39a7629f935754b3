// Puts into `<out>/src/vendor` what the compiled code needs of packages that a consumer could not install, or should not have to:
//   lmdb, msgpackr  both ask for msgpackr-extract ^3.0.4, whose newest version names platform packages that do not exist: yarn refuses to
//   install it.
//                   Bundled, they use the exact version that package.json names, and their native parts stay packages of their own.
//   ajv             with its formats more than a hundred files, which every host would load one by one: here it is one, which
//                   src/tools/ajv.ts loads at the first need.
//   typia           at run time a few functions and some types; its package brings the TypeScript compiler and a command line along.
// Imports of these packages in the compiled code are turned to the bundled files.
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { build } from 'esbuild';

const bundled = /^(lmdb|msgpackr|typia|typia\/lib\/internal\/\w+)$/;
const importOf = /(\bfrom\s*|\bimport\s*\(\s*)(['"])([^'"]+)\2/g;

/** Turns the imports of these packages in the given files of `<out>/src`; returns the names of what they import. */
export function turnFiles(out, files) {
  const named = new Set();
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    const turned = turnImports(file, text, join(out, 'src'));
    for (const name of turned.names) named.add(name);
    if (turned.text !== text) writeFileSync(file, turned.text);
  }
  return named;
}

/** The text of a file of `source`, the folder of compiled code, with its imports of these packages turned to the bundled files. */
export function turnImports(file, text, source) {
  const names = [];
  const turned = text.replace(importOf, (whole, before, quote, name) => {
    if (!bundled.test(name)) return whole;
    names.push(name);
    const place = relative(dirname(file), join(source, 'vendor', placeOf(name))).replaceAll(sep, '/');
    return `${before}${quote}${place}${quote}`;
  });
  return { text: turned, names };
}

/** `names`: all that the code imports of these packages. */
export async function vendor(out, names) {
  const folder = join(out, 'src', 'vendor');
  await bundle(folder, names.filter((name) => name !== 'typia').sort());
  copyTypes(folder);
}

const placeOf = (name) => (name.startsWith('typia/') ? `typia/${name.split('/').at(-1)}.js` : `${name}/index.js`);

/** The shape is `AjvModules` in src/tools/ajv.ts. */
const ajvModules = `exports.Ajv2020 = require('ajv/dist/2020.js').Ajv2020;
exports.addFormats = require('ajv-formats');
exports._ = require('ajv/dist/compile/codegen')._;
`;

async function bundle(folder, names) {
  const common = {
    outdir: folder,
    bundle: true,
    format: 'esm',
    target: 'node20',
    metafile: true,
    legalComments: 'none',
    logLevel: 'warning',
  };
  const entries = (chosen) => chosen.map((name) => ({ in: name, out: placeOf(name).replace(/\.js$/, '') }));
  const isNeutral = (name) => name.startsWith('typia/');
  const outputs = [
    // The typed client stands on these, and may run in a browser.
    await build({ ...common, platform: 'neutral', entryPoints: entries(names.filter(isNeutral)) }),
    await build({
      ...common,
      platform: 'node',
      entryPoints: entries(names.filter((name) => !isNeutral(name))),
      // What has binaries is found at run time, from the bundle.
      external: ['node-gyp-build-optional-packages', 'msgpackr-extract'],
      banner: { js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);" },
    }),
  ];
  outputs.push(
    await build({
      ...common,
      platform: 'node',
      // A file that is loaded by `require`, so that it can wait for its first need.
      format: 'cjs',
      outdir: undefined,
      outfile: join(folder, 'ajv', 'index.cjs'),
      stdin: { contents: ajvModules, resolveDir: process.cwd(), sourcefile: 'ajv-modules.js' },
    }),
  );
  writeFileSync(join(folder, 'LICENSES.txt'), licensesOf(outputs.flatMap(({ metafile }) => Object.keys(metafile.inputs))));
  // lmdb finds its binary by the name of the package that its file lies in.
  const { name, version, license } = JSON.parse(readFileSync(join(packageFolder('lmdb'), 'package.json'), 'utf8'));
  writeFileSync(join(folder, 'lmdb', 'package.json'), `${JSON.stringify({ name, version, license, type: 'module' }, null, 2)}\n`);
}

/** The texts of the licenses of all packages that these files are of. */
export function licensesOf(inputs) {
  const packages = inputs.flatMap((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []);
  return [...new Set(packages)].sort().map(licenseOf).join('\n');
}

function licenseOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  return `== ${name} ${version} (${license}) ==\n\n${file === undefined ? '' : `${readFileSync(join(folder, file), 'utf8').trim()}\n`}`;
}

function copyTypes(folder) {
  cpSync(join(packageFolder('msgpackr'), 'index.d.ts'), join(folder, 'msgpackr', 'index.d.ts'));
  // They are of a module of CommonJS, as one namespace, and the package is of ES modules: a compiler that checks them refuses that.
  const types = readFileSync(join(packageFolder('lmdb'), 'index.d.ts'), 'utf8');
  const namespace = /^declare namespace lmdb \{\n(.*)\n\}\nexport = lmdb;?\s*$/s.exec(types);
  if (namespace === null) throw new Error('the types of lmdb are of another form');
  const declarations = namespace[1].replace(/^\t(?=(?:class|function|const|let|namespace|enum)\b)/gm, '\tdeclare ');
  writeFileSync(join(folder, 'lmdb', 'index.d.ts'), `${declarations}\n`);
  const tags = join(packageFolder('@typia/interface'), 'lib', 'tags');
  mkdirSync(join(folder, 'typia', 'tags'), { recursive: true });
  for (const name of readdirSync(tags).filter((entry) => entry.endsWith('.d.ts'))) {
    // The whole path, as modules of Node.js name it.
    const text = readFileSync(join(tags, name), 'utf8').replace(/(["'])(\.\/\w+)\1/g, '$1$2.js$1');
    writeFileSync(join(folder, 'typia', 'tags', name), text);
  }
  writeFileSync(join(folder, 'typia', 'module.d.ts'), "export * as tags from './tags/index.js';\n");
  const index = ["import * as typia from './module.js';", 'export default typia;', "export * from './module.js';"];
  writeFileSync(join(folder, 'typia', 'index.d.ts'), `${index.join('\n')}\n`);
}

/** The build's working directory is the root. */
const packageFolder = (name) => join('node_modules', name);
