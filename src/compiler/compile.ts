// Repository in, content-addressed build out: read, check, bundle, layer, hash. Never runs what it reads, and reports everything at once.
import { basename, dirname, isAbsolute, relative, resolve } from 'node:path';
import { projectDialect } from '../compat/dialects.js';
import { defined } from '../contract/defined.js';
import type { Provenance } from '../contract/provenance.js';
import type { CompiledBuild, Diagnostic } from '../contract/run/build.js';
import type { ReadShape, SourceDialect } from '../contract/run/dialect.js';
import type { DrillInput } from '../contract/run/drill.js';
import type { RootSettings, World } from '../contract/run/project-files.js';
import type { ImplementationSource, ProjectView } from '../contract/run/project-view.js';
import { materializeRootFile } from '../contract/validate/defaults.js';
import { validateRootFile, validateToolPackageFile } from '../contract/validate/validators.js';
import { ContentCache } from '../files/content-cache.js';
import { packageVersion } from '../files/installation.js';
import { compareTexts } from '../text/compare-texts.js';
import { assembleBuild } from './assemble-build.js';
import { checkConformance } from './conformance.js';
import { checkConnections } from './connection-checks.js';
import { chooseRows, type DataChoices } from './data-choices.js';
import { Diagnostics, placeOfFile } from './diagnostics.js';
import { checkDrill, checkDrillReferences, checkSuite, type KnownIds } from './drill-checks.js';
import { checkExpressions } from './expression-checks.js';
import { checkJudges, judgesOf } from './judge-checks.js';
import { checkLists } from './list-bounds.js';
import { checkPins } from './package-pins.js';
import { type LocatedValue, type ProjectDocuments, rawId, readDocument, readProject, validated } from './project-documents.js';
import { checkStarter, checkStarts, layOutStarts, type Setups } from './project-starts.js';
import { rootFileIn } from './root-file-name.js';
import { inOwnShape } from './shape-reading.js';
import { SoundValues } from './sound-values.js';
import type { SourceDocument } from './source-document.js';
import { entryKind, realRoot } from './source-files.js';
import { noSource, type SourceList, sourceList } from './source-list.js';
import { checkTargets } from './target-checks.js';
import { ToolCatalog } from './tool-catalog.js';
import { type CompiledSource, compileTool, type ToolSource } from './tool-compile.js';
import { isInstalled, resolveToolPackages, type ToolPackage } from './tool-packages.js';
import { noTypeScript, type TypeScriptSources, typeScriptSources } from './typescript-sources.js';
import { projectView } from './view.js';

export interface CompileOptions {
  /** The repository root: every path of the result is relative to it. */
  root: string;
  /** The root file, relative to `root`, or anywhere else. What it names is relative to `root` all the same. Default drillyard.json. */
  config?: string;
  /** Of the package whose own project it is: the field of its package.json. */
  packageField?: string;
  /** Nothing outside of the root is read but the library that ships with Drillyard: for source of strangers. */
  contained?: boolean;
  /** Drills beside those of the repository's files; what a path of theirs is relative to is the root. */
  inlineDrills?: readonly DrillInput[];
  /** Rows from outside of the source. */
  choices?: DataChoices;
  /** How many of the source's files have been read, which is most of the work. */
  onProgress?: (done: number, total: number) => void;
}
export interface CompileResult {
  /** What the root file says; absent where it does not fit. */
  settings?: RootSettings;
  /** Absent when any diagnostic is an error. */
  build?: CompiledBuild;
  view: ProjectView;
  /** Captured source of tools by `fileId`; empty without a build. */
  sources: Map<string, ImplementationSource>;
  /** Ordered by file, line, column, code. */
  diagnostics: Diagnostic[];
  /** Ids of the tool packages that were installed (node_modules), other than those that ship with the product. */
  outsidePackages: string[];
  /** Modules that a run loads beside those of tools: of targets and of judges. Relative to the root, each once. */
  modules: readonly string[];
  /** What of it has types that can be checked (type-check.ts); here they are not. */
  typeScript: TypeScriptSources;
  /** What of the repository the build was made of, beside the root file; empty without a build. */
  files: SourceList;
  /** Where a handler of a tool stands in its source, as far as its text tells. */
  handlerPlace(packageId: string, handlerId: string): Provenance | undefined;
}

export async function compileProject({
  root: givenRoot,
  config: givenConfig,
  packageField,
  contained = false,
  inlineDrills = [],
  choices,
  onProgress = () => {},
}: CompileOptions): Promise<CompileResult> {
  const diagnostics = new Diagnostics();
  const root = realRoot(givenRoot);
  const config = givenConfig ?? rootFileIn(root);
  const place = root === undefined ? undefined : rootFilePlace(root, config, contained);
  // What strangers send is neither kept nor answered from what others sent.
  const cache = contained ? ContentCache.shipped() : ContentCache.ofUser();
  const rootFile = place && readRootFile(diagnostics, place, { packageField, cache });
  if (root === undefined) diagnostics.report('DY1001', placeOfFile(config), `there is no folder '${givenRoot}'`);
  if (root === undefined || rootFile === undefined) return nothing(diagnostics);
  const { settings, document, dialect, inside } = rootFile;
  if (contained && dialect.name !== undefined)
    diagnostics.report(
      'DY5032',
      document.place(''),
      `a project in the shapes of '${dialect.name}' is not adapted in a hosted service (generic calls)`,
    );
  const project = readProject(diagnostics, root, { settings, document, dialect, inside, inlineDrills, cache, onProgress });
  const compilation = { root, project, settings, document, dialect, cache };
  const tools = await compileTools(diagnostics, compilation, contained);
  const catalog = catalogOf(diagnostics, project, tools);
  const sound = new SoundValues(
    cache,
    tools.map(({ compiled }) => compiled),
    !project.lacksPackages && project.broken.tool.size === 0,
  );
  await checkExpressions({ diagnostics, catalog, sound }, { drills: project.drills, setups: layOutStarts(project).drill });
  return finish({ diagnostics, catalog, sound }, { ...compilation, tools }, choices);
}

/** What was read, before anything is checked against anything. */
interface Compilation {
  root: string;
  project: ProjectDocuments;
  tools: CompiledSource[];
  settings: RootSettings;
  /** The root file. */
  document: SourceDocument;
  dialect: SourceDialect;
  cache: ContentCache;
}

interface RootFilePlace {
  folder: string;
  path: string;
  shownAs: string;
}
/** A root file outside of the repository is read where it lies, unless the source is to be contained. */
function rootFilePlace(root: string, config: string, contained: boolean): RootFilePlace {
  const path = relative(root, resolve(root, config));
  if (contained || (!path.startsWith('..') && !isAbsolute(path))) return { folder: root, path, shownAs: path };
  return { folder: dirname(resolve(root, config)), path: basename(config), shownAs: path };
}

interface RootFileRead {
  settings: RootSettings;
  document: SourceDocument;
  dialect: SourceDialect;
  inside: NonNullable<ReadShape['inside']>;
}
function readRootFile(
  diagnostics: Diagnostics,
  { folder, path, shownAs }: RootFilePlace,
  { packageField, cache }: { packageField: string | undefined; cache: ContentCache },
): RootFileRead | undefined {
  if (entryKind(folder, path) === 'missing') {
    diagnostics.report('DY1001', placeOfFile(shownAs), `there is no '${shownAs}' in the repository root`, {
      suggestion: "Run 'drillyard init', or name the repository with --root; --config names a root file that is called otherwise.",
    });
    return undefined;
  }
  const written = readDocument(diagnostics, folder, path, { shownAs, cache });
  if (written === undefined) return undefined;
  const dialect = projectDialect({ rootFile: basename(path), document: written.value, packageField });
  const document = inOwnShape(diagnostics, written, { kind: 'root', dialect });
  const file = document && validated(diagnostics, document, validateRootFile);
  if (document === undefined || file === undefined) return undefined;
  return { settings: materializeRootFile(file), document, dialect, inside: document.inside ?? [] };
}

async function compileTools(
  diagnostics: Diagnostics,
  { root, project, settings, document, dialect: ownDialect, cache }: Omit<Compilation, 'tools'>,
  contained: boolean,
): Promise<CompiledSource[]> {
  const { packageField, toolSdk: sdkNames } = settings.compat;
  const sources: ToolSource[] = project.tools.map(({ item, document: own }) => ({
    root,
    shownAs: '',
    toolFile: own.file,
    file: item,
    document: own,
    dialect: ownDialect,
    outside: false,
  }));
  const { packages, isMissing } = resolveToolPackages(diagnostics, document, settings.toolPackages, {
    root,
    packageField,
    dialect: ownDialect,
    contained,
  });
  project.lacksPackages = isMissing;
  for (const found of packages) {
    const { root: packageRoot, shownAs, toolFile, dialect } = found;
    const written = readDocument(diagnostics, packageRoot, toolFile, { shownAs: shownAs + toolFile, cache });
    const own = written && inOwnShape(diagnostics, written, { kind: 'tool', dialect });
    const file = own && validated(diagnostics, own, validateToolPackageFile);
    const outside = isInstalled(packageRoot);
    // What is sent to a service, and what npm installs, may leave the project out.
    if (!contained && !outside) checkConformance(diagnostics, found);
    if (own !== undefined && file !== undefined)
      sources.push({
        root: packageRoot,
        shownAs,
        toolFile,
        file,
        document: own,
        dialect,
        outside,
        entry: found.entry,
        starter: readStarter(diagnostics, found, cache),
      });
    else project.broken.tool.add(written === undefined ? packageNameOf(found.toolFile) : rawId(written.value, 'tool'));
  }
  const tools = await Promise.all(
    sources.map((source) => compileTool(diagnostics, source, { sdkNames, engineVersion: packageVersion(), cache })),
  );
  checkPins(diagnostics, document, { pins: settings.toolPins, entries: settings.toolPackages, tools });
  return tools.sort((a, b) => compareTexts(a.compiled.packageId, b.compiled.packageId));
}

function readStarter(diagnostics: Diagnostics, { root, shownAs, starter }: ToolPackage, cache: ContentCache): SourceDocument | undefined {
  return starter === undefined ? undefined : readDocument(diagnostics, root, starter, { shownAs: shownAs + starter, cache });
}

/** By custom a tool file is named after its package. */
function packageNameOf(toolFile: string): string {
  return toolFile.replace(/^.*\/|\.tool\.[a-z]+$/g, '');
}

function catalogOf(diagnostics: Diagnostics, project: ProjectDocuments, tools: readonly CompiledSource[]): ToolCatalog {
  const manifests = tools.map(({ compiled }) => compiled.manifest);
  // Of two packages with one id nobody knows which is meant, so neither judges.
  const twice = manifests.map(({ id }) => id).filter((id, index, ids) => ids.indexOf(id) !== index);
  return new ToolCatalog(
    diagnostics,
    manifests.filter(({ id }) => !twice.includes(id)),
    { ids: new Set([...project.broken.tool, ...twice]), anyOther: project.lacksPackages },
  );
}

function finish(
  checking: { diagnostics: Diagnostics; catalog: ToolCatalog; sound: SoundValues },
  compilation: Compilation,
  choices: DataChoices | undefined,
): CompileResult {
  const { diagnostics } = checking;
  const { root, project: written, tools, settings, document, dialect } = compilation;
  const known = knownIds(diagnostics, written, tools);
  checkLists(diagnostics, written, tools);
  checkConnections(checking, tools);
  checkTargets(diagnostics, root, written.targets);
  checkJudges(diagnostics, root, written.drills);
  for (const { starter } of tools) if (starter !== undefined) checkStarter(checking, starter);
  const asWritten = layOutStarts(written);
  checkStarts(checking, written, asWritten);
  const project = choices === undefined ? written : chooseRows(checking, written, choices, document);
  const setups = choices === undefined ? asWritten : layOutStarts(project);
  for (const drill of project.drills) {
    checkDrillReferences(diagnostics, known, drill);
    const setup = setups.drill.get(drill.item);
    if (setup !== undefined) checkDrill(checking, drill, setup);
  }
  // A drill that does not fit may carry any tag.
  const drillTags = project.broken.drill.size > 0 ? undefined : new Set(project.drills.flatMap(({ item }) => item.tags));
  for (const suite of project.suites) checkSuite(diagnostics, known, drillTags, suite);
  const build =
    diagnostics.hasErrors || project.world === undefined
      ? undefined
      : assembleBuild(partsOf(project.world.item, { project, tools, settings, dialect, setups }));
  const sorted = diagnostics.sorted();
  const { view, sources } = projectView({ build, project, tools, setups, diagnostics: sorted });
  const modules = agentModules(project);
  const typeScript = typeScriptSources(root, { tools, modules: dialect.hasOwnTypes ? modules : [], sdkNames: settings.compat.toolSdk });
  const outsidePackages = tools.filter(({ outside }) => outside).map(({ compiled }) => compiled.packageId);
  const handlerPlace: CompileResult['handlerPlace'] = (packageId, handlerId) =>
    tools.find(({ compiled }) => compiled.packageId === packageId)?.placeOf(handlerId);
  const files = build === undefined ? noSource : sourceList(root, project, { tools, modules });
  const found = { settings, view, sources, diagnostics: sorted, outsidePackages, typeScript, modules, files, handlerPlace };
  return { ...defined({ build }), ...found };
}

function agentModules({ targets, drills }: ProjectDocuments): string[] {
  const agents = targets.flatMap(({ item }) => (item.kind === 'module' ? [item.module] : []));
  const judges = drills.flatMap(({ item }) => judgesOf(item).map(({ module }) => module));
  return [...new Set([...agents, ...judges])];
}

function partsOf(
  world: World,
  { project, tools, settings, dialect, setups }: Pick<Compilation, 'project' | 'tools' | 'settings' | 'dialect'> & { setups: Setups },
) {
  return {
    world,
    tools: tools.map(({ compiled }) => compiled),
    setups,
    targets: project.targets.map(({ item }) => item),
    suites: project.suites.map(({ item }) => item),
    environmentPrefixes: settings.compat.environmentPrefixes,
    ...defined({ dialect: dialect.name }),
  };
}

function knownIds(
  diagnostics: Diagnostics,
  { scenarios, targets, drills, suites, broken }: ProjectDocuments,
  tools: readonly CompiledSource[],
): KnownIds {
  const unique = (
    what: string,
    items: readonly { id: string; document: SourceDocument; path: string }[],
    first = new Map<string, SourceDocument>(),
  ): Map<string, SourceDocument> => {
    for (const { id, document, path } of items) {
      const before = first.get(id);
      if (before === undefined) first.set(id, document);
      else diagnostics.report('DY3001', document.place(path), `${what} '${id}' is defined in ${before.file} already`);
    }
    return first;
  };
  const located = (list: readonly LocatedValue<{ id: string }>[], path: string) =>
    list.map(({ item, document }) => ({ id: item.id, document, path }));
  unique(
    'tool package',
    tools.map(({ compiled, document }) => ({ id: compiled.packageId, document, path: '/manifest/id' })),
  );
  unique('suite', located(suites, '/id'));
  // The id of a file with cases stands for all of them, so nothing else has it.
  const written = new Map(drills.flatMap(({ document: { caseOf } }) => (caseOf === undefined ? [] : [[caseOf.drill, caseOf.drillId]])));
  const drillIds = unique(
    'drill',
    [...written].map(([document, id]) => ({ id, document, path: '/id' })),
  );
  // What the cases of a file have in common with those of another is said by its id.
  const sound = drills.filter(({ document: { caseOf } }) => caseOf === undefined || drillIds.get(caseOf.drillId) === caseOf.drill);
  return {
    scenario: new Set([...unique('scenario', located(scenarios, '/id')).keys(), ...broken.scenario]),
    target: new Set([...unique('target', located(targets, '/target/id')).keys(), ...broken.target]),
    drill: new Set([...unique('drill', located(sound, '/id'), drillIds).keys(), ...broken.drill]),
  };
}

function nothing(diagnostics: Diagnostics): CompileResult {
  const sorted = diagnostics.sorted();
  return {
    view: { schemaVersion: 1, tools: [], scenarios: [], targets: [], drills: [], suites: [], diagnostics: sorted },
    sources: new Map(),
    diagnostics: sorted,
    outsidePackages: [],
    typeScript: noTypeScript,
    modules: [],
    files: noSource,
    handlerPlace: () => undefined,
  };
}
