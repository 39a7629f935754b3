// Writes docs/files.md and docs/schemas/ from the contract: every file that an author writes, field by field. Its examples are docs/files/.
//   node scripts/reference.mjs       after `npm run build:fast`; a test compares the files with what this makes
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { boundWords, words } from './reference-words.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const files = [
  ['drillyard', 'RootFile', 'drillyard.json', 'The root file, at the top of the repository.'],
  ['world', 'WorldInput', 'world.yaml', 'The world every scenario builds on.'],
  ['scenario', 'ScenarioInput', '*.scenario.yaml', 'A layer over the world: actors replace by id, everything else adds.'],
  ['target', 'TargetDocumentInput', '*.target.yaml', 'An agent, and how it is started ([targets](targets.md)).'],
  [
    'drill',
    'DrillInput',
    '*.drill.yaml',
    'A task in a scenario, and what must hold ([drills](drills.md)). The short form has one task; the long form a timeline.',
  ],
  ['suite', 'SuiteInput', '*.suite.yaml', 'A choice of drills. The suite `default` is what runs without a choice.'],
  ['tool', 'ToolPackageFile', '*.tool.yaml', 'A tool: its manifest and where its behavior is ([tools](tools.md)).'],
  ['starter', 'ToolStarter', 'the `starter` of a package', 'What a tool package gives a new world to start with.'],
  [
    'package',
    'ToolPackField',
    '`drillyard` in a package.json',
    'What makes an npm package a tool package. Paths are relative to the package.json.',
  ],
];
/** By the id of a file of the list above, where its examples lie in docs/files/. */
const examples = {
  drillyard: ['drillyard.json'],
  world: ['drillyard/world.yaml'],
  scenario: ['drillyard/busy.scenario.yaml'],
  target: ['module', 'command', 'http', 'external'].map((kind) => `drillyard/${kind}.target.yaml`),
  drill: ['read-it', 'write-it-down', 'one-after-another', 'a-week', 'each-of-them', 'errands', 'not-yet'].map(
    (name) => `drillyard/${name}.drill.yaml`,
  ),
  suite: ['drillyard/default.suite.yaml'],
  tool: ['notes/notes.tool.yaml'],
  starter: ['notes/starter.yaml'],
  package: ['notes/package.json'],
  serve: ['serve.yaml'],
};
/** Shapes that the type column has a word for; their comment is in the list of types. */
const typeWords = {
  VirtualUs: 'time',
  DurationUs: 'length of time',
  PositiveDurationUs: 'length of time',
  JsonValue: 'any JSON',
  ArrayJsonValue: 'list of any JSON',
  JsonObject: 'object of any JSON',
  JsonSchema: 'JSON Schema',
};
const durationPattern =
  '^(?=.)(\\d+(\\.\\d+)?w)?(\\d+(\\.\\d+)?d)?(\\d+(\\.\\d+)?h)?(\\d+(\\.\\d+)?m)?(\\d+(\\.\\d+)?s)?(\\d+(\\.\\d+)?ms)?(\\d+(\\.\\d+)?us)?$|^P(?=.)';
const placeholderPattern = '\\$\\{\\s*case\\.';
const timePattern = `^\\d{4}-\\d{2}-\\d{2}|${durationPattern}`;

/**
 * Path to text of every generated file; throws for a field that nobody explains, and for words that explain none. `settings`: of `serve`;
 * `limits`: of the contract; `rules`: by shape, what its JSON Schema says beside its members.
 */
export function makeReference({ shapes, settings, limits, rules }) {
  const used = new Set();
  const unexplained = new Set();
  const refOf = (schema) => schema.$ref?.replace('#/components/schemas/', '');
  const shown = (name) => name.replace(/Input$/, '');
  const explain = (at, schema) => {
    const field = `*.${at.split('.').at(-1)}`;
    const key = words[at] === undefined ? field : at;
    const text = words[at] ?? schema.description ?? words[field];
    if (text === undefined) {
      unexplained.add(at);
      return { meaning: '', fallback: undefined };
    }
    if (text === words[key]) used.add(key);
    const [, meaning = '', fallback] = /^(.*?)(?:\s*Default: (.*?)\.?)?$/s.exec(text.replace(/\s+/g, ' ').trim());
    return { meaning, fallback };
  };
  const reachable = (root) => {
    const seen = new Set([root]);
    for (const name of seen) {
      if (name in typeWords) continue;
      // In the order of their names: that of members is another in each kind of build.
      const found = [...JSON.stringify(shapes[name]).matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, other]) => other);
      for (const other of found.sort()) seen.add(other);
    }
    return [...seen];
  };
  const isObject = (name) => shapes[name].type === 'object' && !(name in typeWords);
  const isUnion = (name) => shapes[name].oneOf?.some((option) => refOf(option) !== undefined) && !(name in typeWords);
  const typeOf = (schema) => {
    const name = refOf(schema);
    if (name !== undefined) {
      if (name in typeWords) return typeWords[name];
      if (isObject(name) || isUnion(name)) return `[${shown(name)}](#${shown(name).toLowerCase()})`;
      return shapes[name].type === 'array' || shapes[name].oneOf ? typeOf(shapes[name]) : shown(name);
    }
    if ('const' in schema) return `\`${JSON.stringify(schema.const)}\``;
    if (schema.oneOf) return [...new Set(schema.oneOf.map(typeOf))].join(' or ');
    if (schema.type === 'array') return `list of ${typeOf(schema.items)}${rangeOf(schema.minItems, schema.maxItems)}`;
    if (schema.type === 'string') return `text${rangeOf(schema.minLength, schema.maxLength, ' characters')}${patternOf(schema)}`;
    if (schema.type === 'object') return schema.additionalProperties ? `object of ${typeOf(schema.additionalProperties)}` : 'object';
    const bounds = [schema.minimum, schema.maximum].some((bound) => bound !== undefined)
      ? ` ${schema.minimum ?? ''}..${schema.maximum ?? ''}`
      : '';
    return { boolean: 'true or false' }[schema.type] ?? `${schema.type}${bounds}`;
  };
  const ordered = ({ properties = {}, required = [] }) =>
    Object.keys(properties).sort((a, b) => Number(required.includes(b)) - Number(required.includes(a)) || (a < b ? -1 : 1));
  const rows = (at, schema, prefix = '') =>
    ordered(schema).flatMap((name) => {
      const property = schema.properties[name];
      const { meaning, fallback } = explain(`${at}.${name}`, property);
      const isRequired = schema.required?.includes(name);
      const cells = [`\`${prefix}${name}\``, typeOf(property), isRequired ? '*required*' : (fallback ?? ''), meaning];
      const inner = property.type === 'array' ? property.items : property;
      const deeper =
        inner.properties === undefined ? [] : rows(`${at}.${name}`, inner, `${prefix}${name}${property.type === 'array' ? '[]' : ''}.`);
      return [`| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`, ...deeper];
    });
  const section = (level, title, name, note) => {
    const schema = shapes[name];
    const options = isUnion(name) ? [`One of ${schema.oneOf.map(typeOf).join(', ')}.`, ''] : [];
    const table =
      schema.properties === undefined
        ? []
        : ['| field | type | default | meaning |', '| --- | --- | --- | --- |', ...rows(name, schema), ''];
    return [`${'#'.repeat(level)} ${title}`, '', ...(note ? [note, ''] : []), ...options, ...table];
  };
  const reported = new Set(files.map(([, root]) => root));
  const body = files.flatMap(([id, root, file, note]) => {
    const own = reachable(root).filter((name) => (isObject(name) || isUnion(name)) && !reported.has(name));
    for (const name of own) reported.add(name);
    const schema = `Schema: \`docs/schemas/${id}.schema.json\`.`;
    return [
      ...section(2, file, root, `${note} ${schema}`),
      ...examplesOf(id),
      ...own.flatMap((name) => section(3, shown(name), name, shapes[name].description)),
    ];
  });
  const scalars = [...new Set(files.flatMap(([, root]) => reachable(root)))].filter(
    (name) => /string|number|integer/.test(shapes[name].type) && !(name in typeWords),
  );
  const types = scalars.sort().map((name) => {
    const { pattern, minLength, maxLength, minimum, maximum, description } = shapes[name];
    const rules = [
      pattern && `matches \`${pattern.replaceAll('|', '\\|')}\``,
      maxLength && `${minLength ?? 0} to ${maxLength} characters`,
      (minimum ?? maximum) !== undefined && `from ${minimum} to ${maximum}`,
    ];
    return `| ${shown(name)} | ${description ?? ''} | ${rules.filter(Boolean).join('; ')} |`;
  });
  const page = [
    ...head,
    ...boundsSection(limits),
    '## Types',
    '',
    '| type | what it is | rule |',
    '| --- | --- | --- |',
    ...types,
    '',
    ...body,
    ...settingsSection(settings),
    'Next: [The command line](cli.md): what reads these files.',
  ].join('\n');
  const schemas = files.map(([id, root, , note]) => [
    `docs/schemas/${id}.schema.json`,
    schemaDocument({ shapes, root, note, names: reachable(root), explain, refOf, rules }),
  ]);
  if (unexplained.size > 0)
    throw new Error(`give ${[...unexplained].join(', ')} a comment in the contract, or a line in scripts/reference-words.mjs`);
  const stale = Object.keys(words).filter((key) => !used.has(key));
  if (stale.length > 0) throw new Error(`scripts/reference-words.mjs explains what is not there: ${stale.join(', ')}`);
  const ofSettings = ['docs/schemas/serve.schema.json', settingsSchema(settings)];
  return Object.fromEntries([['docs/files.md', `${page.trimEnd()}\n`], ...schemas, ofSettings]);
}

/** ` (1 to 4)`; nothing where there is no bound. */
function rangeOf(least, most, unit = '') {
  if (least === undefined && most === undefined) return '';
  if (most === undefined) return ` (at least ${least}${unit})`;
  return least === undefined ? ` (at most ${most}${unit})` : ` (${least} to ${most}${unit})`;
}
function patternOf({ pattern, format }) {
  return `${pattern === undefined ? '' : `, matches \`${pattern}\``}${format === undefined ? '' : `, a ${format.toUpperCase()}`}`;
}

/** Whole files, without the line that is for editors. */
function examplesOf(id) {
  return examples[id].flatMap((path) => {
    const text = readFileSync(join(root, 'docs/files', path), 'utf8').replace(/^# yaml-language-server.*\n/, '');
    return [`[\`${path}\`](files/${path}):`, '', `\`\`\`${path.endsWith('.json') ? 'json' : 'yaml'} ${id}`, text.trimEnd(), '```', ''];
  });
}

/** What no shape says, because it counts what several files or members make together. */
function boundsSection(limits) {
  const rows = Object.entries(boundWords).map(([name, meaning]) => `| ${meaning} | ${grouped(limits[name])} | \`${name}\` |`);
  return ['## Bounds', '', '| of | at most | in `src/contract/limits.ts` |', '| --- | --- | --- |', ...rows, ''];
}
function grouped(number) {
  if (number >= 2 ** 20 && number % 2 ** 20 === 0) return `${number / 2 ** 20} MiB`;
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',');
}

const settingsNote = 'The configuration file of `drillyard serve`, under any name ([hosting](hosting.md#a-configuration-file)).';
const plainNote = (text) => text.replace(/ ?\(\[.*?\]\(.*?\)\)/g, '');

/** Each setting: `{ name, meaning, fallback, schema }`. */
function settingsSection(settings) {
  const typeOf = ({ type, enum: words, minimum, maximum, items }) => {
    if (words !== undefined) return words.map((word) => `\`${JSON.stringify(word)}\``).join(' or ');
    if (type === 'array') return `list of ${typeOf(items)}`;
    return { string: 'text', boolean: 'true or false' }[type] ?? `${type} ${minimum}..${maximum}`;
  };
  const rows = settings.map(({ name, fallback, schema }) => `| \`${name}\` | ${typeOf(schema)} | ${fallback} |`);
  const table = ['| field | type | default |', '| --- | --- | --- |', '| `schemaVersion`, the version of the format | `1` | *required* |'];
  return [
    '## serve.yaml',
    '',
    `${settingsNote} Schema: \`docs/schemas/serve.schema.json\`. What each field means: [the settings](hosting.md#configuration).`,
    '',
    ...table,
    ...rows,
    '',
    ...examplesOf('serve'),
  ];
}

function settingsSchema(settings) {
  const words = (text) => text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  const properties = settings.map(({ name, meaning, fallback, schema }) => [
    name,
    { ...schema, description: `${words(meaning)} Default: ${fallback}.` },
  ]);
  const document = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: plainNote(settingsNote),
    type: 'object',
    properties: {
      $schema: { type: 'string' },
      schemaVersion: { const: 1, description: 'The version of the format.' },
      ...Object.fromEntries(properties),
    },
    required: ['schemaVersion'],
    additionalProperties: false,
  };
  return `${JSON.stringify(document, null, 1)}\n`;
}

/** JSON Schema 2020-12, for editors. */
function schemaDocument({ shapes, root, note, names, explain, refOf, rules }) {
  const convert = (schema, at, isRoot = false) => {
    const name = refOf(schema);
    if (name !== undefined)
      return { $ref: `#/$defs/${name}`, ...(schema.description === undefined ? {} : { description: schema.description }) };
    const { properties, items, oneOf, additionalProperties, format, ...rest } = schema;
    if (oneOf !== undefined) {
      const isEnum = oneOf.every((option) => 'const' in option);
      return isEnum
        ? { ...rest, enum: oneOf.map((option) => option.const) }
        : { ...rest, anyOf: oneOf.map((option) => convert(option, at)) };
    }
    if (items !== undefined) return { ...rest, items: convert(items, at) };
    if (schema.type !== 'object') return orPlaceholder({ ...rest, ...(format === undefined ? {} : { format }) });
    const members = Object.entries(properties ?? {}).map(([member, value]) => {
      const { meaning, fallback } = explain(`${at}.${member}`, value);
      return [
        member,
        { ...convert(value, `${at}.${member}`), description: fallback === undefined ? meaning : `${meaning} Default: ${fallback}.`.trim() },
      ];
    });
    const others = additionalProperties === undefined ? false : convert(additionalProperties, at);
    return {
      ...rest,
      properties: Object.fromEntries([
        ...(isRoot ? [['$schema', { type: 'string' }]] : []),
        ...members.sort(([a], [b]) => (a < b ? -1 : 1)),
      ]),
      additionalProperties: others,
    };
  };
  // What a drill with cases fills in before anything is checked.
  const orPlaceholder = (schema) => {
    const isFree = schema.type === 'string' && schema.pattern === undefined;
    return root !== 'DrillInput' || isFree || 'const' in schema
      ? schema
      : { anyOf: [schema, { type: 'string', pattern: placeholderPattern }] };
  };
  const number = ({ type, minimum, maximum }) => ({ type, minimum, maximum });
  const timeOr = (pattern, name) => ({ anyOf: [number(shapes[name]), { type: 'string', pattern }] });
  const special = {
    VirtualUs: timeOr(timePattern, 'VirtualUs'),
    DurationUs: timeOr(durationPattern, 'DurationUs'),
    PositiveDurationUs: timeOr(durationPattern, 'PositiveDurationUs'),
    JsonValue: {},
    JsonSchema: { type: ['object', 'boolean'] },
    JsonObject: { type: 'object' },
    ArrayJsonValue: { type: 'array' },
  };
  // Of a document that may have two forms, each may name its schema.
  const roots = new Set([root, ...(shapes[root].oneOf ?? []).map(refOf)]);
  const define = (name) => {
    if (special[name] !== undefined) return name === 'JsonValue' ? special[name] : orPlaceholder(special[name]);
    const converted = convert(shapes[name], name, roots.has(name));
    if (name === 'Seed') return { anyOf: [converted, { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }] };
    const own = rules[name] ?? [];
    return own.length === 0 ? converted : { ...converted, allOf: own };
  };
  const document = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: note.replace(/ \(\[.*?\]\(.*?\)\)/g, ''),
    $ref: `#/$defs/${root}`,
    $defs: Object.fromEntries([...names].sort().map((name) => [name, define(name)])),
  };
  return `${JSON.stringify(document, null, 1)}\n`;
}

const head = `# The files that you write

Every file, field by field: what each member is, what it may hold, what it is without being written, and what it does. This page and the
JSON Schemas in \`docs/schemas/\` are made from the contract that the compiler checks (\`npm run reference\`). The examples have every
member. They are files of one repository, [\`docs/files/\`](files/drillyard.json), that compiles and whose drills pass:
\`drillyard run --root docs/files\`.

Files are YAML 1.2 or JSON, known by their suffix (\`.yaml\`, \`.yml\`, \`.json\`), anywhere under the source root. A field that a table does
not have is an error.

**Times.** A *time* is a point of virtual time: \`2026-01-05T09:00:00Z\`, \`2026-01-05T10:00+01:00\`, \`2026-01-05\` (midnight UTC), or a
number of microseconds. A *length of time* is \`30s\`, \`1h30m\`, \`2d\`, \`250ms\`, \`PT5M\`, \`P1DT12H\`, or a number of microseconds; its
units are w, d, h, m, s, ms and us, a day has 24 hours. A length where a time is wanted counts from the virtual time 0. Both forms are the
same build. Inside \`value\`, \`payload\`, \`arguments\` and \`input\`, which are the tool's own, nothing is converted.

**Seeds** are text, as a JSON number holds no 64-bit integer; a number up to 9007199254740991 is taken as its text.

**In an editor.** The first line of a YAML file names its schema for the YAML language server (VS Code's YAML extension and others);
\`drillyard init\` writes it, except under Yarn's Plug'n'Play, which keeps Drillyard in no place that lasts. In JSON a \`$schema\` member does; the compiler accepts it in every kind of file, and leaves it out:

\`\`\`yaml
# yaml-language-server: $schema=../../node_modules/drillyard/docs/schemas/drill.schema.json
\`\`\`

\`\`\`json drillyard
{ "$schema": "./node_modules/drillyard/docs/schemas/drillyard.schema.json", "schemaVersion": 1 }
\`\`\`

The files: ${[...files.map(([, , file]) => (file.includes('`') ? file : `\`${file}\``)), '`serve.yaml`'].join(', ')}.
`.split('\n');

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { shapes } = await import('../dist/src/contract/validate/validators.js');
  const { inOneOrder } = await import('../dist/src/contract/shape.js');
  const { limits } = await import('../dist/src/contract/limits.js');
  const { settingFields } = await import('../dist/src/cli/serve-settings.js');
  mkdirSync(join(root, 'docs/schemas'), { recursive: true });
  const { shapeRules } = await import('../dist/src/contract/validate/shape-rules.js');
  const made = makeReference({ shapes: inOneOrder(shapes), settings: settingFields(), limits, rules: shapeRules });
  for (const [path, text] of Object.entries(made)) writeFileSync(join(root, path), text);
}
