// The documents of a repository: found by suffix, parsed, validated, their defaults materialized. What does not fit is reported here
// and left out; its id is remembered, so that nothing that refers to it is reported as dangling.
import { defined } from '../contract/defined.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.js';
import { limits } from '../contract/limits.js';
import type { ReadShape, SourceDialect } from '../contract/run/dialect.js';
import type { Drill, DrillInput, Suite } from '../contract/run/drill.js';
import { caseFilePattern } from '../contract/run/list-bounds.js';
import type { RootSettings, World } from '../contract/run/project-files.js';
import type { Target } from '../contract/run/target.js';
import { convertAuthored } from '../contract/validate/authored-values.js';
import {
  materializeDrill,
  materializeScenario,
  materializeSuite,
  materializeTargetDocument,
  materializeWorld,
} from '../contract/validate/defaults.js';
import {
  type Validator,
  validateDrill,
  validateScenario,
  validateSuite,
  validateTargetDocument,
  validateToolPackageFile,
  validateWorld,
} from '../contract/validate/validators.js';
import type { Scenario } from '../contract/world/scenario.js';
import type { ToolPackageFile } from '../contract/world/tool-manifest.js';
import type { ContentCache } from '../files/content-cache.js';
import { nearest } from '../text/nearest.js';
import { findPlaceholder } from './case-placeholders.js';
import { type Diagnostics, placeOfFile } from './diagnostics.js';
import { type CaseBudget, caseFileOf, expandCases, hasCases } from './drill-cases.js';
import { parseJsonLines } from './json-lines.js';
import { whoseRoot } from './root-file-name.js';
import { reportIssues } from './shape-diagnostics.js';
import { inOwnShape, partOf } from './shape-reading.js';
import { parseSourceDocument, type SourceDocument } from './source-document.js';
import { entryKind, isInside, listFilesBelow, pathBelow, readFileBelow } from './source-files.js';

export interface LocatedValue<T> {
  item: T;
  document: SourceDocument;
}
export interface ProjectDocuments {
  world?: LocatedValue<World>;
  scenarios: LocatedValue<Scenario>[];
  targets: LocatedValue<Target>[];
  drills: LocatedValue<Drill>[];
  suites: LocatedValue<Suite>[];
  /** Tool files under the source root. */
  tools: LocatedValue<ToolPackageFile>[];
  /** Ids of documents that are there but do not fit, by kind. */
  broken: { [kind in DocumentKind]: Set<string> };
  /** Files of cases, by their paths from the root. */
  caseFiles: string[];
  /** Packages that the root file names are not there, and nobody knows their ids. */
  lacksPackages: boolean;
}
type DocumentKind = 'tool' | 'scenario' | 'target' | 'drill' | 'suite';
const kinds: readonly DocumentKind[] = ['tool', 'scenario', 'target', 'drill', 'suite'];
/** Where a drill that was handed in stands, in diagnostics. */
export const inlineDrillName = 'inlineDrills';
function isDocumentKind(kind: string): kind is DocumentKind {
  return kinds.some((name) => name === kind);
}
const suffixPattern = /\.([a-z]+)\.(?:yaml|yml|json)$/;

/** Reads one file and parses it; reports what is wrong and gives the document if there is one without faults. */
export function readDocument(
  diagnostics: Diagnostics,
  root: string,
  path: string,
  { shownAs = path, budget, cache }: { shownAs?: string; budget?: { bytesLeft: number }; cache?: ContentCache | undefined } = {},
): SourceDocument | undefined {
  const read = readFileBelow(root, path, Math.min(limits.projectFileBytesMax, budget?.bytesLeft ?? Number.POSITIVE_INFINITY));
  if (budget !== undefined && read.kind === 'text') budget.bytesLeft -= read.bytes.length;
  if (read.kind === 'fault') {
    const code =
      read.fault === 'symlink' ? 'DY1007' : read.fault === 'escape' ? 'DY1008' : read.fault === 'too_large' ? 'DY1006' : 'DY1002';
    diagnostics.report(code, placeOfFile(shownAs), `the file ${read.message}`);
    return undefined;
  }
  const { document, faults } = shownAs.endsWith('.jsonl')
    ? parseJsonLines(shownAs, read.text)
    : parseSourceDocument(shownAs, read.text, cache);
  for (const { code, place, message, suggestion } of faults) diagnostics.report(code, place, message, { suggestion });
  return faults.length === 0 ? document : undefined;
}

export function validated<T>(diagnostics: Diagnostics, document: SourceDocument, validate: Validator<T>): T | undefined {
  const { value, faults } = convertAuthored(validate.shape, document.value);
  for (const { path, message, suggestion } of faults) diagnostics.report('DY2003', document.place(path), message, { suggestion });
  const result = validate(value);
  if (result.ok) return result.value;
  reportIssues(
    diagnostics,
    document,
    result.issues.filter(({ path }) => !faults.some((fault) => fault.path === path)),
  );
  return undefined;
}

interface Reading {
  settings: RootSettings;
  /** The root file. */
  document: SourceDocument;
  dialect: SourceDialect;
  /** Documents that lie in the root file. */
  inside: NonNullable<ReadShape['inside']>;
  inlineDrills: readonly DrillInput[];
  cache: ContentCache;
  onProgress: (done: number, total: number) => void;
}

export function readProject(
  diagnostics: Diagnostics,
  root: string,
  { settings, document: rootFile, dialect, inside, inlineDrills, cache, onProgress }: Reading,
): ProjectDocuments {
  const project: ProjectDocuments = {
    scenarios: [],
    targets: [],
    drills: [],
    suites: [],
    tools: [],
    broken: { tool: new Set(), scenario: new Set(), target: new Set(), drill: new Set(), suite: new Set() },
    caseFiles: [],
    lacksPackages: false,
  };
  const isWhole = inside.length > 0 && member(rootFile.value, 'sourceRoot') === undefined;
  const listed = isWhole ? { files: [] } : listSource(diagnostics, root, { settings, rootFile });
  if (listed === undefined) return project;
  const reading: SourceReading = {
    root,
    dialect,
    cache,
    budget: { bytesLeft: limits.projectBytesMax, casesLeft: limits.projectCasesMax },
    prefixes: settings.compat.environmentPrefixes,
    unread: [],
  };
  const worldInside = inside.find(({ kind }) => kind === 'world');
  if (worldInside !== undefined) keepWorld(diagnostics, project, partOf(rootFile, worldInside), dialect);
  else if (!isWhole) readWorld(diagnostics, project, reading, { path: listed.world, rootFile });
  else diagnostics.report('DY1009', rootFile.place('/world'), 'the file holds its documents, and no world');
  for (const { kind, ...part } of inside)
    if (isDocumentKind(kind)) keepSource(diagnostics, project, { kind, read: partOf(rootFile, part) }, reading);
  for (const [index, path] of listed.files.entries()) {
    onProgress(index, listed.files.length);
    if (path !== listed.world) readSource(diagnostics, project, path, reading);
  }
  for (const [index, drill] of inlineDrills.entries()) readInlineDrill(diagnostics, project, { drill, index }, reading);
  const caseFiles = new Set(project.caseFiles);
  for (const path of reading.unread) if (!caseFiles.has(path)) reportByFolder(diagnostics, path);
  return project;
}

/**
 * The files below the source root, but for those of packages that are named, and that of the world, relative to the repository; undefined
 * where there is no such folder.
 */
function listSource(
  diagnostics: Diagnostics,
  root: string,
  { settings: { sourceRoot, world, toolPackages }, rootFile }: { settings: RootSettings; rootFile: SourceDocument },
): { files: string[]; world?: string | undefined } | undefined {
  const folder = pathBelow(sourceRoot);
  const kind = folder === undefined ? 'escape' : entryKind(root, folder);
  if (folder === undefined || kind !== 'folder') {
    const code = kind === 'escape' ? 'DY1008' : kind === 'symlink' ? 'DY1007' : 'DY1010';
    diagnostics.report(
      code,
      rootFile.place('/sourceRoot'),
      `the source root '${sourceRoot}' ${kind === 'escape' ? 'leads out of the repository' : 'is no folder of this repository'}`,
      { suggestion: whoseRoot(rootFile.file) },
    );
    return undefined;
  }
  const inFolder = (path: string) => (folder === '.' ? path : `${folder}/${path}`);
  const worldPath = pathBelow(world);
  if (worldPath === undefined)
    diagnostics.report('DY1008', rootFile.place('/world'), `the world file '${world}' leads out of the source root`);
  const found = listFilesBelow(folder === '.' ? root : `${root}/${folder}`);
  if (found.truncated) diagnostics.report('DY1006', placeOfFile(folder), `the source root has more than ${limits.projectFilesMax} files`);
  for (const path of found.unreadable)
    diagnostics.report(
      'DY1002',
      placeOfFile(path === '' ? folder : inFolder(path)),
      'the folder cannot be read: permission is denied, or the path is too long',
    );
  for (const link of found.links)
    if (suffixPattern.test(link) || entryKind(root, inFolder(link)) === 'symlink') reportLink(diagnostics, inFolder(link));
  const packages = toolPackages.flatMap((name) => (name.startsWith('./') ? (pathBelow(name) ?? []) : []));
  const files = found.files.map(inFolder).filter((path) => !packages.some((place) => isInside(place, folder) && isInside(path, place)));
  return { files, world: worldPath === undefined ? undefined : inFolder(worldPath) };
}

function reportLink(diagnostics: Diagnostics, path: string): void {
  diagnostics.report('DY1007', placeOfFile(path), 'the file is a symbolic link; links below the source root are not followed', {
    suggestion: 'Put the file itself here.',
  });
}

function readWorld(
  diagnostics: Diagnostics,
  project: ProjectDocuments,
  { root, dialect, cache }: SourceReading,
  { path, rootFile }: { path: string | undefined; rootFile: SourceDocument },
): void {
  if (path === undefined) return;
  if (entryKind(root, path) === 'missing') {
    diagnostics.report('DY1009', rootFile.place('/world'), `the world file '${path}' does not exist`);
    return;
  }
  const written = readDocument(diagnostics, root, path, { cache });
  if (written !== undefined) keepWorld(diagnostics, project, written, dialect);
}

function keepWorld(diagnostics: Diagnostics, project: ProjectDocuments, written: SourceDocument, dialect: SourceDialect): void {
  const document = inOwnShape(diagnostics, written, { kind: 'world', dialect });
  const input = document && validated(diagnostics, document, validateWorld);
  if (document !== undefined && input !== undefined) project.world = { item: materializeWorld(input), document };
}

interface SourceReading {
  root: string;
  dialect: SourceDialect;
  cache: ContentCache;
  budget: CaseBudget;
  prefixes: readonly string[];
  /** Files of no kind. */
  unread: string[];
}

function readSource(diagnostics: Diagnostics, project: ProjectDocuments, path: string, reading: SourceReading): void {
  const { root, budget, cache } = reading;
  const suffix = suffixPattern.exec(path)?.[1];
  const kind = kinds.find((name) => name === suffix);
  if (kind === undefined) {
    const meant = suffix === undefined ? undefined : nearest(suffix, kinds);
    if (meant !== undefined)
      diagnostics.report('DY1011', placeOfFile(path), `'.${suffix}' is no suffix of a project file, so the file is not read`, {
        suggestion: `Did you mean '.${meant}'?`,
      });
    else reading.unread.push(path);
    return;
  }
  const read = readDocument(diagnostics, root, path, { budget, cache });
  if (read !== undefined) keepSource(diagnostics, project, { kind, read }, reading);
}

/** As its JSON text, so that it is bounded, checked and cited as a file is. */
function readInlineDrill(
  diagnostics: Diagnostics,
  project: ProjectDocuments,
  { drill, index }: { drill: DrillInput; index: number },
  reading: SourceReading,
): void {
  const name = `${inlineDrillName}[${index}]`;
  const text = jsonText(drill);
  const bytes = text === undefined ? 0 : Buffer.byteLength(text);
  if (text === undefined) diagnostics.report('DY2003', placeOfFile(name), 'the drill is no JSON');
  else if (bytes > Math.min(limits.projectFileBytesMax, reading.budget.bytesLeft))
    diagnostics.report('DY1006', placeOfFile(name), 'the drill is too large');
  else {
    reading.budget.bytesLeft -= bytes;
    const { document, faults } = parseSourceDocument(`${name}.json`, text);
    for (const { code, place, message } of faults) diagnostics.report(code, place, message);
    if (document !== undefined && faults.length === 0) keepSource(diagnostics, project, { kind: 'drill', read: document }, reading);
  }
}

function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, null, 2);
  } catch {
    return undefined;
  }
}

function keepSource(
  diagnostics: Diagnostics,
  project: ProjectDocuments,
  { kind, read: written }: { kind: DocumentKind; read: SourceDocument },
  reading: SourceReading,
): void {
  const { prefixes, dialect } = reading;
  const read = inOwnShape(diagnostics, written, { kind, dialect });
  if (read === undefined) {
    project.broken[kind].add(rawId(written.value, kind));
    return;
  }
  const document = kind === 'target' ? withOwnVariables(read, prefixes) : read;
  const documents = kind === 'drill' && hasCases(read.value) ? documentsOfCases(diagnostics, project, read, reading) : [document];
  if (documents[0] === read && (kind === 'drill' || kind === 'scenario')) warnOfPlaceholder(diagnostics, read);
  for (const one of documents) {
    if (keep(diagnostics, project, kind, one)) continue;
    for (const id of [rawId(one.value, kind), ...(one.caseOf === undefined ? [] : [one.caseOf.drillId])]) project.broken[kind].add(id);
  }
}

/** A document a case; what is faulty is reported, and no longer missing. */
function documentsOfCases(
  diagnostics: Diagnostics,
  project: ProjectDocuments,
  drill: SourceDocument,
  { root, budget, cache }: SourceReading,
): SourceDocument[] {
  const file = caseFileOf(drill);
  const listed = file === undefined ? undefined : readCaseFile(diagnostics, drill, { root, file, budget, cache });
  if (file !== undefined) project.caseFiles.push(file);
  const isLost = file !== undefined && listed === undefined;
  const { documents, broken } = isLost
    ? { documents: [], broken: [rawId(drill.value, 'drill')] }
    : expandCases(diagnostics, drill, { listed, budget });
  for (const id of broken) project.broken.drill.add(id);
  return documents;
}

function readCaseFile(
  diagnostics: Diagnostics,
  drill: SourceDocument,
  { root, file, budget, cache }: { root: string; file: string } & Pick<SourceReading, 'budget' | 'cache'>,
): SourceDocument | undefined {
  const place = drill.place('/cases/file');
  const path = pathBelow(file);
  if (path === undefined) diagnostics.report('DY1008', place, `the file of the cases '${file}' leads out of the repository`);
  else if (!new RegExp(caseFilePattern).test(path))
    diagnostics.report('DY2003', place, `a file of cases ends in .yaml, .yml, .json or .jsonl, which '${path}' does not`);
  else if (entryKind(root, path) === 'missing')
    diagnostics.report('DY1012', place, `there is no file '${path}'`, { suggestion: 'The path is relative to the file of the drill.' });
  else return readDocument(diagnostics, root, path, { budget, cache });
  return undefined;
}

function warnOfPlaceholder(diagnostics: Diagnostics, document: SourceDocument): void {
  const path = findPlaceholder(document.value);
  if (path === undefined) return;
  diagnostics.report('DY3024', document.place(path), 'this file has no cases, so the placeholder stays the text that it is', {
    suggestion: "A drill has values for placeholders in its 'cases'.",
  });
}

/** A file in `drills/` without the suffix of one: nobody would miss it before the drill never ran. */
function reportByFolder(diagnostics: Diagnostics, path: string): void {
  const folder = /(?:^|\/)([a-z]+)s\/([^/]+)\.(yaml|yml|json)$/.exec(path);
  const kind = kinds.find((name) => name === folder?.[1]);
  if (folder === null || kind === undefined || suffixPattern.test(path)) return;
  diagnostics.report('DY1011', placeOfFile(path), `a ${kind} is a file that ends in '.${kind}.${folder[3]}', so this one is not read`, {
    suggestion: `Name it '${folder[2]}.${kind}.${folder[3]}'.`,
  });
}

/** A target of another runner calls the binding variables by that runner's prefix; from here on they have one name. */
function withOwnVariables(document: SourceDocument, prefixes: readonly string[]): SourceDocument {
  const target = member(document.value, 'target');
  const aliases = member(target, 'bindingEnvironment');
  if (prefixes.length === 0 || !isJsonObject(target) || !isJsonObject(aliases)) return document;
  const own = (variable: JsonValue): JsonValue => {
    const prefix = prefixes.find((name) => typeof variable === 'string' && variable.startsWith(`${name}_`));
    return prefix === undefined ? variable : `SERVICE${(variable as string).slice(prefix.length)}`;
  };
  const bindingEnvironment = Object.fromEntries(Object.entries(aliases).map(([alias, variable]) => [alias, own(variable)]));
  return { ...document, value: { ...(document.value as JsonObject), target: { ...target, bindingEnvironment } } };
}

/** True when the document fits and was kept. */
function keep(diagnostics: Diagnostics, project: ProjectDocuments, kind: DocumentKind, document: SourceDocument): boolean {
  const add = <I, T>(list: LocatedValue<T>[], validate: Validator<I>, materialize: (input: I) => T): boolean => {
    const input = validated(diagnostics, document, validate);
    if (input !== undefined) list.push({ item: materialize(input), document });
    return input !== undefined;
  };
  switch (kind) {
    case 'tool':
      return add(project.tools, validateToolPackageFile, (file) => file);
    case 'scenario':
      return add(project.scenarios, validateScenario, materializeScenario);
    case 'target':
      return add(project.targets, validateTargetDocument, (input) => materializeTargetDocument(input).target);
    case 'drill':
      return add(project.drills, validateDrill, (input) => ({
        ...materializeDrill(input),
        ...defined({ caseOf: document.caseOf?.drillId }),
      }));
    case 'suite':
      return add(project.suites, validateSuite, materializeSuite);
  }
}

/** The id that a document claims, whether it fits or not. */
export function rawId(value: JsonValue, kind: DocumentKind): string {
  const inner = kind === 'tool' ? member(value, 'manifest') : kind === 'target' ? member(value, 'target') : value;
  return String(member(inner, 'id') ?? '');
}

const member = (value: JsonValue | undefined, name: string): JsonValue | undefined =>
  isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
