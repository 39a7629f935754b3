// Where tool packages lie: npm packages of the repository, folders, and the library that ships with Drillyard. Looks, and runs nothing.
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, posix, resolve, sep } from 'node:path';
import { ownPackageField, packageDialect } from '../compat/dialects.js';
import { defined } from '../contract/defined.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.js';
import { limits } from '../contract/limits.js';
import { ownSourceDialect, type SourceDialect } from '../contract/run/dialect.js';
import { validateToolPackField } from '../contract/validate/validators.js';
import type { ToolPackField } from '../contract/world/tool-manifest.js';
import { nearest } from '../text/nearest.js';
import { type Diagnostics, type Place, placeOfFile } from './diagnostics.js';
import { readDocument } from './project-documents.js';
import { reportIssues } from './shape-diagnostics.js';
import { inOwnShape, partOf } from './shape-reading.js';
import { libraryFolder } from './shipped.js';
import type { SourceDocument } from './source-document.js';
import { entryKind, faultText, pathBelow, readFileBelow, realRoot } from './source-files.js';

export interface ToolPackage {
  /** What it is written in: that of the field that describes it. */
  dialect: SourceDialect;
  /** The field of its package.json, where one describes it. */
  field?: string;
  /** Real and absolute; nothing of the package lies outside of it. */
  root: string;
  /** How paths of it are shown: `shownAs` + path. */
  shownAs: string;
  /** Relative to `root`. */
  toolFile: string;
  starter?: string;
  lifecycle?: ToolPackField['lifecycle'];
  description?: string;
  conformance?: NonNullable<ToolPackField['conformance']> & { place: Place };
}
export interface ListedPackage extends ToolPackage {
  /** As the root file names it. */
  entry: string;
}
export interface ResolveOptions {
  /** The repository root: npm names are looked up from it, folders are relative to it. */
  root: string;
  /** Read before `drillyard` in package.json. */
  packageField?: string | undefined;
  /** That of the project: of packages that no field describes. */
  dialect?: SourceDialect;
  /** Only folders below the root and the library are read. */
  contained?: boolean;
}

/** The packages that the root file names, in its order. Reports at the entry that names a package what is wrong with it. */
export function resolveToolPackages(
  diagnostics: Diagnostics,
  rootFile: SourceDocument,
  specifiers: readonly string[],
  options: ResolveOptions,
): { packages: ListedPackage[]; isMissing: boolean } {
  const seen = new Set<string>();
  let isMissing = false;
  const packages = specifiers.flatMap((specifier, index): ListedPackage[] => {
    const place = () => rootFile.place(`/toolPackages/${index}`);
    const found = options.contained ? locateContained(specifier, options.root) : locatePackage(specifier, options.root);
    if ('message' in found) {
      diagnostics.report('DY5001', place(), found.message, { suggestion: found.suggestion });
      isMissing = true;
      return [];
    }
    if (seen.has(found.root)) {
      diagnostics.report('DY3001', place(), `'${specifier}' names a package that is listed already`);
      return [];
    }
    seen.add(found.root);
    const described = describePackage(diagnostics, found, options);
    isMissing ||= described === undefined;
    return described === undefined ? [] : [{ ...described, entry: specifier }];
  });
  return { packages, isMissing };
}

export interface PackageFolder {
  root: string;
  shownAs: string;
}

/** A folder is relative to `root`; an installed package is looked up from there. */
export function locatePackage(specifier: string, root: string): PackageFolder | { message: string; suggestion?: string | undefined } {
  if (specifier.startsWith('library:')) return locateInLibrary(specifier.slice('library:'.length));
  if (/^\.{1,2}(?:\/|$)/.test(specifier)) {
    const folder = realRoot(resolve(root, specifier));
    if (folder === undefined) return { message: `there is no folder '${specifier}'` };
    const shown = posix.normalize(specifier);
    return { root: folder, shownAs: shown === '.' || shown === './' ? '' : shown.endsWith('/') ? shown : `${shown}/` };
  }
  if (!/^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/i.test(specifier)) {
    return {
      message: `'${specifier}' is no package name`,
      suggestion: `A folder begins with './', a package of the library with 'library:'.`,
    };
  }
  for (let folder = root, up = ''; ; folder = dirname(folder), up += '../') {
    const found = realRoot(join(folder, 'node_modules', specifier));
    if (found !== undefined) return { root: found, shownAs: `node_modules/${specifier}/` };
    // A project inside a package may call it by its name.
    if (nameOf(folder) === specifier) return { root: folder, shownAs: up };
    if (folder === dirname(folder))
      return {
        message: `the package '${specifier}' is not installed`,
        suggestion: `Run 'npm install ${specifier}', or name a folder with './'.`,
      };
  }
}

/** Somebody else's: it lies in a folder of installed packages, and does not ship with the product. */
export function isInstalled(root: string): boolean {
  return root.split(sep).includes('node_modules') && !`${root}${sep}`.startsWith(libraryFolder() + sep);
}

function nameOf(folder: string): unknown {
  const read = readFileBelow(folder, 'package.json', limits.projectFileBytesMax);
  try {
    return read.kind === 'text' ? (JSON.parse(read.text) as { name?: unknown } | null)?.name : undefined;
  } catch {
    return undefined;
  }
}

function locateContained(specifier: string, root: string): PackageFolder | { message: string; suggestion?: string | undefined } {
  if (specifier.startsWith('library:')) return locateInLibrary(specifier.slice('library:'.length));
  const path = /^\.\/./.test(specifier) ? pathBelow(specifier) : undefined;
  if (path === undefined) {
    return {
      message: `'${specifier}' is neither a folder of this source nor a package of the library`,
      suggestion: `A folder begins with './', a package of the library with 'library:'.`,
    };
  }
  return entryKind(root, path) === 'folder'
    ? { root: join(root, path), shownAs: path === '.' ? '' : `${path}/` }
    : { message: `there is no folder '${specifier}'` };
}

export function locateInLibrary(id: string): PackageFolder | { message: string; suggestion?: string | undefined } {
  const library = libraryFolder();
  const known = existsSync(library)
    ? readdirSync(library, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name)
    : [];
  const folder = known.includes(id) ? realRoot(join(library, id)) : undefined;
  if (folder !== undefined) return { root: folder, shownAs: `library:${id}/` };
  const near = nearest(id, known);
  return {
    message: `the library has no package '${id}'`,
    suggestion: near === undefined ? `It has ${known.sort().join(', ')}.` : `Did you mean 'library:${near}'?`,
  };
}

/** Reads the package's description, its package.json or else the one tool file that lies in it. */
export function describePackage(
  diagnostics: Diagnostics,
  { root, shownAs }: PackageFolder,
  { packageField, dialect = ownSourceDialect }: Pick<ResolveOptions, 'packageField' | 'dialect'> = {},
): ToolPackage | undefined {
  const shown = `${shownAs}package.json`;
  if (entryKind(root, 'package.json') === 'file') {
    const document = readDocument(diagnostics, root, 'package.json', { shownAs: shown });
    if (document === undefined) return undefined;
    const name = fieldOf(document, packageField);
    if (name !== undefined) return packageOfField(diagnostics, { root, shownAs }, document, name);
  }
  const files = readdirSync(root)
    .filter((name) => /\.tool\.(?:yaml|yml|json)$/.test(name))
    .sort();
  if (files.length === 1) return { root, shownAs, toolFile: files[0] as string, dialect };
  diagnostics.report(
    files.length === 0 ? 'DY5002' : 'DY5005',
    placeOfFile(shown),
    files.length === 0
      ? `the package has neither a field '${packageField ?? ownPackageField}' in its package.json nor a tool file`
      : `the package has ${files.length} tool files: ${files.join(', ')}`,
    {
      suggestion: `Write "drillyard": { "layer": "tool-pack", "tool": "${files[0] ?? 'my.tool.yaml'}", "lifecycle": "active" } in its package.json.`,
    },
  );
  return undefined;
}

/** The field that describes the package: the one that was asked for, ours, or else the only one that says it describes a tool package. */
function fieldOf({ value }: SourceDocument, packageField: string | undefined): string | undefined {
  const members = isJsonObject(value) ? value : {};
  const named = [packageField, ownPackageField].find((field) => field !== undefined && Object.hasOwn(members, field));
  if (named !== undefined) return named;
  const layered = Object.entries(members).filter(([, member]) => (member as { layer?: JsonValue } | null)?.layer === 'tool-pack');
  return layered.length === 1 ? layered[0]?.[0] : undefined;
}

function packageOfField(diagnostics: Diagnostics, folder: PackageFolder, document: SourceDocument, name: string): ToolPackage | undefined {
  const dialect = packageDialect(name);
  const written = withoutSchema((document.value as JsonObject)[name]);
  const given = inOwnShape(diagnostics, partOf(document, { path: `/${name}`, value: written as JsonValue }), { kind: 'package', dialect });
  if (given === undefined) return undefined;
  const result = validateToolPackField(given.value);
  const issues = result.ok ? [] : result.issues;
  // Another dialect's field may say more than ours.
  const unread = issues.filter(({ code }) => !dialect.isOwnEngine && code === 'unknown_property');
  for (const { path } of unread)
    diagnostics.report('DY5033', document.place(`/${name}${path}`, 'key'), `'${path.slice(path.lastIndexOf('/') + 1)}' is not read`);
  const faults = issues.filter((issue) => !unread.includes(issue));
  reportIssues(diagnostics, { ...document, ...defined({ adviceOn: given.adviceOn }) }, faults, `/${name}`);
  if (faults.length > 0) return undefined;
  const { tool, starter, lifecycle, description, conformance } = given.value as unknown as ToolPackField;
  if (lifecycle === 'revoked') diagnostics.report('DY5003', document.place(`/${name}/lifecycle`), 'the package is revoked by its author');
  if (lifecycle === 'deprecated')
    diagnostics.report('DY5004', document.place(`/${name}/lifecycle`), 'the package is deprecated by its author');
  const named = { root: folder.root, document, field: name };
  const toolFile = fileOf(diagnostics, named, { member: 'tool', path: tool });
  if (toolFile === undefined) return undefined;
  return {
    ...folder,
    toolFile,
    dialect,
    field: name,
    ...defined({
      starter: starter === undefined ? undefined : fileOf(diagnostics, named, { member: 'starter', path: starter }),
      lifecycle,
      description,
      conformance: conformance && { ...conformance, place: document.place(`/${name}/conformance/project`) },
    }),
  };
}

/** The path of a file that the field names, below the package; one that is not there is reported where it is named. */
function fileOf(
  diagnostics: Diagnostics,
  { root, document, field }: { root: string; document: SourceDocument; field: string },
  { member, path }: { member: 'tool' | 'starter'; path: string },
): string | undefined {
  const kind = entryKind(root, path);
  if (kind === 'file') return pathBelow(path);
  const why = kind === 'missing' ? '' : `: it ${faultText(kind)}`;
  diagnostics.report('DY5005', document.place(`/${field}/${member}`), `the package has no ${member} file '${path}'${why}`);
  return undefined;
}

/** Without where an editor finds the JSON Schema of the field. */
function withoutSchema(written: JsonValue | undefined): JsonValue | undefined {
  if (!isJsonObject(written) || typeof written.$schema !== 'string') return written;
  const { $schema: _, ...described } = written;
  return described;
}
