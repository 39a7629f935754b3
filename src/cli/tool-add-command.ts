// `drillyard tool add <package>`: a package becomes one of the repository's, pinned by the digest of what a build reads of it. What comes
// from elsewhere is copied into tool-packages/<id>; a folder of the repository stays where it is.
//   TOOL-ADD-COMMAND-1. The repository is compiled with the package before anything is written: one that does not compile changes nothing.
//   TOOL-ADD-COMMAND-2. A copy that somebody has changed is not replaced unasked.
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative, resolve, sep } from 'node:path';
import { type CompileResult, compileProject } from '../compiler/compile.js';
import { readPackageAt } from '../compiler/library.js';
import { rootFileIn } from '../compiler/root-file-name.js';
import { locatePackage, type PackageFolder } from '../compiler/tool-packages.js';
import { defined } from '../contract/defined.js';
import { ServiceError } from '../contract/errors.js';
import type { JsonObject, JsonValue } from '../contract/json.js';
import type { RootFile, ToolPin } from '../contract/run/project-files.js';
import { convertAuthored } from '../contract/validate/authored-values.js';
import { validateRootFile } from '../contract/validate/validators.js';
import { SourceInvalidError } from '../drills/source-invalid.js';
import { makeFolder } from '../files/make-folder.js';
import { writeAllFiles } from '../files/write-all-files.js';
import { counted } from '../text/counted.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { sayFailures } from './failure.js';
import type { Output } from './output.js';
import { ownCommand } from './own-command.js';
import { type FetchedPackage, fetchPackage, packageSource } from './package-source.js';
import { documentOf } from './root-file.js';
import { writeWhole } from './whole-files.js';

export interface ToolAddFlags {
  source: string;
  root: string;
  config?: string;
  /** The package's own folder in what is fetched. */
  folder?: string;
  /** Replace a copy that was changed. */
  force: boolean;
  json: boolean;
}

/** Where copies lie, by the id of the package. */
const copiesFolder = 'tool-packages';

export function toolAddCommand(flags: ToolAddFlags): Promise<ExitCode> {
  const root = resolve(flags.root);
  return sayFailures(flags, root, (output) => inDraft((draft) => new Addition({ ...flags, root, draft, output }).add()));
}

async function inDraft<T>(work: (draft: string) => Promise<T>): Promise<T> {
  const draft = mkdtempSync(join(tmpdir(), 'drillyard-add-'));
  try {
    return await work(draft);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** What is to be in the repository. */
interface Added {
  /** In `toolPackages`. */
  entry: string;
  packageId: string;
  version: string;
  pin?: ToolPin;
  /** To be copied to `entry`. */
  copy?: { at: string; files: FetchedPackage['files'] };
}

class Addition {
  readonly #flags: ToolAddFlags & { draft: string; output: Output };
  readonly #config: string;
  readonly #text: string;
  /** As it is written, with where an editor finds its schema; undefined for one that does not fit. */
  readonly #rootFile: RootFile | undefined;

  constructor(flags: ToolAddFlags & { draft: string; output: Output }) {
    const { root, config = rootFileIn(root) } = flags;
    this.#flags = flags;
    this.#config = config;
    const there = existsSync(resolve(root, config));
    if (there && !config.endsWith('.json')) throw refused(`${config} is not JSON; write its toolPackages by hand.`);
    this.#text = there ? readFileSync(resolve(root, config), 'utf8') : '{}';
    const document = documentOf(root, config);
    this.#rootFile = document !== undefined && isRootFile(document) ? JSON.parse(this.#text) : undefined;
  }

  async add(): Promise<ExitCode> {
    const { root } = this.#flags;
    if (this.#rootFile === undefined) {
      const { diagnostics, build } = await compileProject({ root, config: this.#config });
      if (build === undefined) throw new SourceInvalidError(diagnostics);
      throw refused(`${this.#config} has the shape of another runner; list the package in it by hand.`);
    }
    const added = await this.#find();
    const isListed = this.#entries().includes(added.entry);
    const text = this.#rootFileWith(added);
    await this.#requireCompiles(added);
    if (added.copy !== undefined) this.#place(added.entry, added.copy.files, text);
    else writeWhole(resolve(root, this.#config), text);
    this.#tell(added, isListed);
    return exitCodes.passed;
  }

  async #find(): Promise<Added> {
    const { root, source: given, folder, draft } = this.#flags;
    const source = packageSource(given, root);
    if (source.kind === 'library') {
      const { packageId, version } = await this.#look(source.entry);
      return { entry: source.entry, packageId, version };
    }
    // Below the repository.
    const own = source.kind === 'folder' ? entryOf(root, resolve(source.path, folder ?? '.')) : undefined;
    if (own !== undefined) {
      const { pin, ...found } = await this.#look(own);
      const before = this.#settings.toolPins?.[own]?.from;
      return { entry: own, ...found, pin: { digest: pin, ...defined({ from: before }) } };
    }
    const fetched = await fetchPackage(source, { root, folder });
    const place = join(draft, 'package');
    makeFolder(place);
    writeAllFiles(place, Object.fromEntries(fetched.files));
    return await this.#copied(await this.#lookAt({ root: place, shownAs: `${given.replace(/\/+$/, '')}/` }), fetched, place);
  }

  async #copied({ packageId, version, pin }: Looked, { files, from }: FetchedPackage, at: string): Promise<Added> {
    if (!/^[a-z0-9][a-z0-9._-]*$/i.test(packageId)) throw refused(`The package has an id that is no name of a folder: '${packageId}'.`);
    const entry = `./${copiesFolder}/${packageId}`;
    await this.#requireReplaceable(entry);
    return { entry, packageId, version, pin: { digest: pin, ...defined({ from }) }, copy: { at, files } };
  }

  async #requireReplaceable(entry: string): Promise<void> {
    const { root, force } = this.#flags;
    if (force || !existsSync(resolve(root, entry))) return;
    const pinned = this.#entries().includes(entry) ? this.#settings.toolPins?.[entry]?.digest : undefined;
    if (pinned === undefined) throw refused(`${entry} is there already, and was not added by this command; --force replaces it.`);
    const there = await this.#look(entry).catch(() => undefined);
    if (there?.pin !== pinned) throw refused(`${entry} was changed since it was added; --force replaces it.`);
  }

  async #look(entry: string): Promise<Looked> {
    const folder = locatePackage(entry, this.#flags.root);
    if ('message' in folder)
      throw new ServiceError('control.NOT_FOUND', { message: `${entry}: ${folder.message}. ${folder.suggestion ?? ''}`.trim() });
    return await this.#lookAt(folder);
  }

  /** Compiles the package alone, so that what is wrong with it is said at its own places. */
  async #lookAt(folder: PackageFolder): Promise<Looked> {
    const { toolSdk: sdkNames, packageField } = this.#settings.compat ?? {};
    const read = await readPackageAt(folder, defined({ sdkNames, packageField }));
    if ('diagnostics' in read) throw new SourceInvalidError(read.diagnostics);
    return { packageId: read.manifest.id, version: read.manifest.version, pin: read.pin };
  }

  get #settings(): RootFile {
    if (this.#rootFile === undefined) throw new Error('the root file does not fit');
    return this.#rootFile;
  }

  #entries(): readonly string[] {
    return this.#settings.toolPackages ?? [];
  }

  /** The root file as it will be, in the indentation that it has. `entry`: under another name. */
  #rootFileWith({ entry, pin }: Added): string {
    const { toolPackages = [], toolPins = {}, ...rest } = this.#settings;
    const { [entry]: _, ...others } = toolPins;
    const pins = pin === undefined ? others : { ...others, [entry]: pin };
    const packages = toolPackages.includes(entry) ? toolPackages : [...toolPackages, entry];
    const indent = /\n([ \t]+)"/.exec(this.#text)?.[1] ?? 2;
    const members = { ...rest, toolPackages: packages, ...(Object.keys(pins).length === 0 ? {} : { toolPins: pins }) };
    return `${JSON.stringify(ordered(members as unknown as JsonObject, this.#settings as unknown as JsonObject), undefined, indent)}\n`;
  }

  /** With a root file beside the draft, which names the copy where it lies now. */
  async #requireCompiles(added: Added): Promise<void> {
    const { root, draft } = this.#flags;
    const config = join(draft, basename(this.#config));
    const entry = added.copy === undefined ? added.entry : folderEntry(root, added.copy.at);
    const { toolPackages = [], toolPins: _, ...rest } = this.#settings;
    const packages = [...toolPackages.filter((name) => name !== added.entry), entry];
    writeAllFiles(draft, { [basename(config)]: JSON.stringify({ ...rest, toolPackages: packages }) });
    const compiled: CompileResult = await compileProject({ root, config });
    if (compiled.build === undefined) throw new SourceInvalidError(compiled.diagnostics);
  }

  /** The copy in its place, then the root file; where that cannot be written, what was there before comes back. */
  #place(entry: string, files: FetchedPackage['files'], text: string): void {
    const { root } = this.#flags;
    const place = resolve(root, entry);
    const earlier = `${place}.${process.pid}.old`;
    makeFolder(resolve(place, '..'));
    if (existsSync(place)) renameSync(place, earlier);
    try {
      writeAllFiles(place, Object.fromEntries(files));
      writeWhole(resolve(root, this.#config), text);
    } catch (error) {
      rmSync(place, { recursive: true, force: true });
      if (existsSync(earlier)) renameSync(earlier, place);
      throw error;
    }
    rmSync(earlier, { recursive: true, force: true });
  }

  #tell({ entry, packageId, version, pin, copy }: Added, isListed: boolean): void {
    const { output, root } = this.#flags;
    output.line({ event: 'added', package: packageId, version, entry, isListed, ...pin, files: copy?.files.size ?? 0 });
    if (output.json) return;
    const where = copy === undefined ? '' : ` (${counted(copy.files.size, 'file')})`;
    output.say(`${packageId} ${version} is ${isListed ? 'pinned again' : 'added'} as ${entry}${where}.`);
    if (pin !== undefined) output.say(`  ${pin.digest}${pin.from === undefined ? '' : `  ${pin.from}`}`);
    const own = ownCommand(root);
    output.say('Next:');
    output.say(`  ${own} tool inspect ${entry}     what it asks for, and the grants for it`);
    output.say(`  ${own} tool test ${entry}        its own conformance suite`);
  }
}

/** As the compiler reads it, and without where an editor finds its schema. */
function isRootFile(document: JsonValue): boolean {
  return validateRootFile(convertAuthored(validateRootFile.shape, document).value).ok;
}

interface Looked {
  packageId: string;
  version: string;
  pin: string;
}

/** Members in the order that they had, and new ones behind them. */
function ordered(members: JsonObject, before: JsonObject): JsonObject {
  const names = [...Object.keys(before).filter((name) => Object.hasOwn(members, name)), ...Object.keys(members)];
  return Object.fromEntries([...new Set(names)].map((name) => [name, members[name] ?? null]));
}

/** Undefined for what lies outside of the repository, or is installed. */
function entryOf(root: string, path: string): string | undefined {
  const entry = folderEntry(root, path);
  return entry.startsWith('..') || entry.split('/').includes('node_modules') ? undefined : entry;
}

function folderEntry(root: string, path: string): string {
  const below = relative(root, path).split(sep).join('/');
  return below === '' ? '.' : below.startsWith('..') ? below : `./${below}`;
}

function refused(message: string): ServiceError {
  return new ServiceError('control.INVALID_REQUEST', { message });
}
