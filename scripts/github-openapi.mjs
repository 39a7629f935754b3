// Writes library/github/compat/openapi.json: of GitHub's OpenAPI document what the proof of library:github needs. The npm package that has
// it unpacks to 400 MB, so it is no dependency. `node scripts/github-openapi.mjs [TARBALL]` fetches it with `npm pack`, or reads a tarball.
//   It keeps the responses of our routes with the schemas that they reach, those of the webhooks that the tests hold against it, and the
//   name of every operation. It leaves out what says nothing of a value (descriptions, examples), and changes nothing else: a schema
//   stays as strict as it was.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const source = { package: '@octokit/openapi', version: '23.0.2', license: 'MIT', file: 'generated/api.github.com.json' };
const packageFolder = fileURLToPath(new URL('../library/github/', import.meta.url));
/** Of the webhooks that the document describes, those whose payloads the tests hold against it. */
const events = [
  ...['check-run-created', 'check-run-completed', 'push'],
  ...['issues-opened', 'issues-closed', 'issues-labeled', 'issue-comment-created', 'issue-comment-edited', 'issue-comment-deleted'],
  ...['pull-request-opened', 'pull-request-synchronize', 'pull-request-closed'],
  ...['pull-request-review-submitted', 'pull-request-review-dismissed'],
];
const methods = ['get', 'post', 'put', 'patch', 'delete'];
/** Of a schema, what no value is held against; `x-` is anything of the vendor's own. */
const annotations = new Set(['description', 'example', 'examples', 'title', 'externalDocs', 'deprecated', 'default', 'summary']);
const named = new Set(['properties', 'patternProperties', 'schemas', 'responses', 'content', 'paths', 'x-webhooks']);

function readDocument(tarball) {
  const folder = mkdtempSync(join(tmpdir(), 'github-openapi-'));
  try {
    const options = { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] };
    const packed =
      tarball === undefined
        ? JSON.parse(execFileSync('npm', ['pack', '--json', `${source.package}@${source.version}`], options))[0].filename
        : resolve(tarball);
    execFileSync('tar', ['-xzf', packed, 'package/package.json', 'package/LICENSE', `package/${source.file}`], options);
    const read = (file) => readFileSync(join(folder, 'package', file), 'utf8');
    const { name, version, license } = JSON.parse(read('package.json'));
    if (name !== source.package || version !== source.version || license !== source.license)
      throw new Error(`The tarball is of ${name} ${version} (${license}), not ${source.package} ${source.version} (${source.license}).`);
    return { document: JSON.parse(read(source.file)), notice: read('LICENSE') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const templateOf = (path) => path.replace(/\{[^}]*\}/g, '{}').replace(/\/$/, '');

/** Without annotations. Members that a name stands for, such as a property called `title`, stay. */
function bare(value, isNamed = false) {
  if (Array.isArray(value)) return value.map((item) => bare(item));
  if (value === null || typeof value !== 'object') return value;
  const kept = Object.entries(value).filter(([name]) => isNamed || !(annotations.has(name) || name.startsWith('x-')));
  return Object.fromEntries(kept.map(([name, member]) => [name, bare(member, !isNamed && named.has(name))]));
}

function responsesOf({ operationId, responses }) {
  const shapes = Object.entries(responses).map(([status, { $ref, content }]) => [
    status,
    $ref === undefined ? { content: bare(contentOf(content), true) } : { $ref },
  ]);
  return { operationId, responses: Object.fromEntries(shapes) };
}

function contentOf(content = {}) {
  return Object.fromEntries(Object.entries(content).map(([type, { schema }]) => [type, { schema }]));
}

/** Every component that the value refers to, and those refer to, by kind and name. */
function reached(document, value) {
  const components = {};
  const pending = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (next === null || typeof next !== 'object') continue;
    for (const [name, member] of Object.entries(next)) {
      if (typeof member === 'object') pending.push(member);
      const [, kind, component] = name === '$ref' ? (/^#\/components\/(\w+)\/(.+)$/.exec(member) ?? []) : [];
      if (kind === undefined || components[kind]?.[component] !== undefined) continue;
      const found = document.components[kind][component];
      components[kind] ??= {};
      components[kind][component] = kind === 'responses' ? { content: bare(contentOf(found.content), true) } : bare(found);
      pending.push(components[kind][component]);
    }
  }
  return components;
}

function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sorted(value[name])]),
  );
}

const { document, notice } = readDocument(process.argv[2]);
const { manifest } = parse(readFileSync(join(packageFolder, 'github.tool.yaml'), 'utf8'), { merge: true });
const ours = new Set(manifest.http.map(({ method, path }) => `${method} ${templateOf(path)}`));
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  methods.flatMap((method) => (item[method] === undefined ? [] : [{ method: method.toUpperCase(), path, operation: item[method] }])),
);
const paths = {};
for (const { method, path, operation } of operations)
  if (ours.has(`${method} ${templateOf(path)}`)) {
    paths[path] ??= {};
    paths[path][method.toLowerCase()] = responsesOf(operation);
  }
const webhooks = Object.fromEntries(
  events.map((name) => [name, { $ref: document['x-webhooks'][name].post.requestBody.content['application/json'].schema.$ref }]),
);
const cut = {
  openapi: document.openapi,
  info: { title: document.info.title, version: document.info.version },
  // The license wants its text in every copy.
  'x-source': { ...source, notice },
  'x-operations': operations.map(({ method, path, operation }) => `${operation.operationId} ${method} ${path}`).sort(),
  'x-webhooks': webhooks,
  paths,
  components: reached(document, { paths, webhooks }),
};
writeFileSync(join(packageFolder, 'compat', 'openapi.json'), `${JSON.stringify(sorted(cut))}\n`);
