// The tool packages that ship with Drillyard, as a catalog: what each is, byte for byte, and what it gives a new world to start with.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { canonicalJson } from '../contract/canonical-json.js';
import { defined } from '../contract/defined.js';
import { sha256Digest } from '../contract/digest.js';
import type { Diagnostic } from '../contract/run/build.js';
import { ownSourceDialect } from '../contract/run/dialect.js';
import { validateToolPackageFile, validateToolStarter } from '../contract/validate/validators.js';
import type { ToolManifest, ToolPackField, ToolStarter } from '../contract/world/tool-manifest.js';
import { ContentCache } from '../files/content-cache.js';
import { packageVersion } from '../files/installation.js';
import { Diagnostics } from './diagnostics.js';
import { readDocument, validated } from './project-documents.js';
import { libraryFolder } from './shipped.js';
import { listFilesBelow } from './source-files.js';
import { compileTool } from './tool-compile.js';
import { describePackage, locateInLibrary, type PackageFolder } from './tool-packages.js';

export interface LibraryPackage {
  /** Its folder; `library:<id>` in a root file. */
  libraryEntryId: string;
  lifecycle: ToolPackField['lifecycle'];
  description?: string;
  /** Over every file, path and bytes. */
  packageArchiveDigest: string;
  manifest: ToolManifest;
  manifestHash: string;
  starter?: ToolStarter;
}

/** Ordered by id. A package that does not compile is a broken installation, hence an Error. */
export async function readLibrary(): Promise<LibraryPackage[]> {
  const library = libraryFolder();
  const ids = !existsSync(library)
    ? []
    : readdirSync(library, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name)
        .sort();
  return Promise.all(ids.map(readPackage));
}

async function readPackage(id: string): Promise<LibraryPackage> {
  const broken = (reason: string) => new Error(`the library's package '${id}' is broken: ${reason}`);
  const folder = locateInLibrary(id);
  if ('message' in folder) throw broken(folder.message);
  const read = await readFolder(id, folder);
  if ('diagnostics' in read) throw broken(JSON.stringify(read.diagnostics));
  return read;
}

/** Any package, by its folder; what is wrong with one that does not compile. */
export async function readPackageAt(folder: PackageFolder): Promise<LibraryPackage | { diagnostics: Diagnostic[] }> {
  return await readFolder(basename(folder.root), folder);
}

async function readFolder(id: string, folder: PackageFolder): Promise<LibraryPackage | { diagnostics: Diagnostic[] }> {
  const diagnostics = new Diagnostics();
  const cache = ContentCache.ofUser();
  const field = fieldOf(folder.root);
  const found = describePackage(diagnostics, folder);
  const document = found && readDocument(diagnostics, found.root, found.toolFile, { cache });
  const file = document && validated(diagnostics, document, validateToolPackageFile);
  const starting = found?.starter === undefined ? undefined : readDocument(diagnostics, found.root, found.starter, { cache });
  const starter = starting && validated(diagnostics, starting, validateToolStarter);
  if (found === undefined || document === undefined || file === undefined) return { diagnostics: diagnostics.sorted() };
  const source = {
    root: found.root,
    shownAs: found.shownAs,
    toolFile: found.toolFile,
    file,
    document,
    dialect: ownSourceDialect,
    outside: false,
  };
  const { compiled } = await compileTool(diagnostics, source, { sdkNames: [], engineVersion: packageVersion(), cache });
  const errors = diagnostics.sorted().filter(({ severity, code }) => severity === 'error' && code !== 'DY5003');
  if (errors.length > 0) return { diagnostics: errors };
  const description = field?.description ?? compiled.manifest.description;
  return {
    libraryEntryId: id,
    lifecycle: field?.lifecycle ?? 'active',
    ...defined({ description }),
    packageArchiveDigest: archiveDigest(found.root),
    manifest: compiled.manifest,
    manifestHash: compiled.manifestHash,
    ...defined({ starter }),
  };
}

function fieldOf(root: string): ToolPackField | undefined {
  const file = join(root, 'package.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { drillyard?: ToolPackField }).drillyard : undefined;
}

/** The digest of the list of its files, as source trees have one. */
function archiveDigest(root: string): string {
  const files = listFilesBelow(root).files.map((path) => {
    const content = readFileSync(join(root, path));
    return { bytes: content.length, digest: sha256Digest(content), path };
  });
  return sha256Digest(canonicalJson(files));
}
