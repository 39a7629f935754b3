// Writes library/stripe/wire/vendor-parameters.ts: what the client's types have of the requests of our routes, and the package has not.
//   node scripts/stripe-parameters.mjs       after `npm run build:fast`; a test compares the file with what this makes
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { parse } from 'yaml';

const folder = fileURLToPath(new URL('../library/stripe/', import.meta.url));
const file = join(folder, 'wire', 'vendor-parameters.ts');
/** Resources of the client by what our operations call them: `payment_intents` is `paymentIntents`. */
const camel = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());

export function makeVendorParameters() {
  const { manifest } = parse(readFileSync(join(folder, 'stripe.tool.yaml'), 'utf8'), { maxAliasCount: -1, merge: true });
  const { checker, stripe } = openTypes();
  const unserved = manifest.operations.flatMap(({ id, inputSchema }) => {
    const [resource, method] = id.split('.').map(camel);
    const names = missing(checker, parametersOf(checker, stripe, [resource, method]), inputSchema).sort();
    return names.length === 0 ? [] : [[id, names]];
  });
  return moduleText(
    unserved,
    expandables(
      checker,
      manifest.operations.map(({ id }) => answerOf(checker, stripe, id.split('.').map(camel))),
    ),
  );
}

function openTypes() {
  const name = join(folder, 'drillyard-stripe.ts');
  const options = {
    ...{ strict: true, noEmit: true, skipLibCheck: true, types: [], target: ts.ScriptTarget.ES2022 },
    ...{ module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler, lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'] },
  };
  const host = ts.createCompilerHost(options);
  host.jsDocParsingMode = ts.JSDocParsingMode.ParseNone;
  const text = "import Stripe from 'stripe';\nexport declare const stripe: Stripe;\n";
  const { getSourceFile, fileExists } = host;
  host.fileExists = (path) => path === name || fileExists(path);
  host.getSourceFile = (path, ...more) => (path === name ? ts.createSourceFile(path, text, more[0]) : getSourceFile(path, ...more));
  const program = ts.createProgram([name], options, host);
  const checker = program.getTypeChecker();
  const [stripe] = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(name)));
  return { checker, stripe: checker.getTypeOfSymbol(stripe) };
}

function signaturesOf(checker, stripe, [resource, method]) {
  const member = checker.getPropertyOfType(checker.getTypeOfSymbol(checker.getPropertyOfType(stripe, resource)), method);
  return checker.getTypeOfSymbol(member).getCallSignatures();
}

function parametersOf(checker, stripe, path) {
  const all = signaturesOf(checker, stripe, path).flatMap(({ parameters }) => parameters);
  return all.filter(({ name }) => name === 'params').map((parameter) => checker.getTypeOfSymbol(parameter));
}

function answerOf(checker, stripe, path) {
  return checker.getAwaitedType(signaturesOf(checker, stripe, path)[0].getReturnType());
}

/** The objects that a type may be: those of a union, and the items of a list. */
function objectsOf(checker, type) {
  if (type.isUnion()) return type.types.flatMap((one) => objectsOf(checker, one));
  if (checker.isArrayType(type)) return objectsOf(checker, checker.getTypeArguments(type)[0]);
  return (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) === 0 || type.getCallSignatures().length > 0 ? [] : [type];
}

/** The shortest paths, without the places of lists, that the types have and the schema has not. */
function missing(checker, types, schema, path = '') {
  const { items, properties, additionalProperties } = schema;
  if (items !== undefined) return missing(checker, types, items, path);
  if (properties === undefined || additionalProperties !== false) return [];
  const members = types.flatMap((type) => objectsOf(checker, type)).flatMap((type) => checker.getPropertiesOfType(type));
  const paths = members.flatMap((member) => {
    const own = properties[member.name];
    const place = path === '' ? member.name : `${path}.${member.name}`;
    return own === undefined ? [place] : missing(checker, [checker.getTypeOfSymbol(member)], own, place);
  });
  return [...new Set(paths)];
}

/** Members that Stripe gives as ids, or leaves out, until they are expanded: wherever in the answers of our routes they stand. */
function expandables(checker, answers) {
  const names = new Set();
  const seen = new Set();
  const open = answers.flatMap((type) => objectsOf(checker, type));
  for (let type = open.pop(); type !== undefined; type = open.pop()) {
    if (seen.has(type)) continue;
    seen.add(type);
    for (const member of checker.getPropertiesOfType(type)) {
      const value = checker.getTypeOfSymbol(member);
      const objects = objectsOf(checker, value);
      const isId = value.isUnion() && value.types.some(({ flags }) => (flags & ts.TypeFlags.String) !== 0);
      const isObject = objects.some((one) => checker.getPropertyOfType(one, 'object') !== undefined);
      const isLeftOut = (member.flags & ts.SymbolFlags.Optional) !== 0;
      if (isObject && (isId || isLeftOut)) names.add(member.name);
      open.push(...objects);
    }
  }
  return [...names].sort();
}

function moduleText(unserved, names) {
  const rows = unserved.map(([id, paths]) => `  '${id}': words(\`${wrapped(paths, 2)}\`),`);
  return [
    '// Made by scripts/stripe-parameters.mjs of the types of the `stripe` client: what Stripe has, and this package has not.',
    '',
    '/** Read where a request is refused, which few are. */',
    'type Words = () => ReadonlySet<string>;',
    'const words =',
    '  (text: string): Words =>',
    '  () =>',
    '    new Set(text.trim().split(/\\s+/));',
    '',
    '/** Parameters by operation; `items.discounts` stands for each of `items`. */',
    'export const unservedParameters: { readonly [operationId: string]: Words } = {',
    ...rows,
    '};',
    '',
    '/** Names of members that can be expanded somewhere. */',
    `export const expandableMembers = words(\`${wrapped(names, 0)}\`);`,
    '',
  ].join('\n');
}

function wrapped(words, indent) {
  const lines = [];
  let line = '';
  for (const word of words) {
    if (line !== '' && line.length + word.length > 125) {
      lines.push(line);
      line = '';
    }
    line += line === '' ? word : ` ${word}`;
  }
  return [...[...lines, line].map((one) => `\n${' '.repeat(indent + 2)}${one}`), `\n${' '.repeat(indent)}`].join('');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(file, makeVendorParameters());
