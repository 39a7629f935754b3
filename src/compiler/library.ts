// The tool packages that ship with Drillyard, as a catalog: what each is, byte for byte, and what it gives a new world to start with.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { canonicalJson } from '../contract/canonical-json.js';
import { defined } from '../contract/defined.js';
import { sha256Digest } from '../contract/digest.js';
import type { Diagnostic } from '../contract/run/build.js';
import { validateToolPackageFile, validateToolStarter } from '../contract/validate/validators.js';
import type { ToolManifest, ToolPackField, ToolStarter } from '../contract/world/tool-manifest.js';
import { ContentCache } from '../files/content-cache.js';
import { packageVersion } from '../files/installation.js';
import { Diagnostics } from './diagnostics.js';
import { packagePin } from './package-pins.js';
import { readDocument, validated } from './project-documents.js';
import { inOwnShape } from './shape-reading.js';
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
  /** Over the files that a build reads of it. */
  pin: string;
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
export async function readPackageAt(
  folder: PackageFolder,
  reading: PackageReading = {},
): Promise<LibraryPackage | { diagnostics: Diagnostic[] }> {
  return await readFolder(basename(folder.root), folder, reading);
}

/** What a project says of packages that it uses. */
interface PackageReading {
  sdkNames?: readonly string[];
  packageField?: string;
}

async function readFolder(
  id: string,
  folder: PackageFolder,
  { sdkNames = [], packageField }: PackageReading = {},
): Promise<LibraryPackage | { diagnostics: Diagnostic[] }> {
  const diagnostics = new Diagnostics();
  const cache = ContentCache.ofUser();
  const found = describePackage(diagnostics, folder, { packageField });
  const written = found && readDocument(diagnostics, found.root, found.toolFile, { shownAs: found.shownAs + found.toolFile, cache });
  const document = written && inOwnShape(diagnostics, written, { kind: 'tool', dialect: found.dialect });
  const file = document && validated(diagnostics, document, validateToolPackageFile);
  const starting =
    found?.starter === undefined
      ? undefined
      : readDocument(diagnostics, found.root, found.starter, { shownAs: found.shownAs + found.starter, cache });
  const starter = starting && validated(diagnostics, starting, validateToolStarter);
  if (found === undefined || document === undefined || file === undefined) return { diagnostics: diagnostics.sorted() };
  const source = {
    root: found.root,
    shownAs: found.shownAs,
    toolFile: found.toolFile,
    file,
    document,
    dialect: found.dialect,
    outside: false,
    starter: starting,
  };
  const tool = await compileTool(diagnostics, source, { sdkNames, engineVersion: packageVersion(), cache });
  const errors = diagnostics.sorted().filter(({ severity, code }) => severity === 'error' && code !== 'DY5003');
  if (errors.length > 0) return { diagnostics: errors };
  const { compiled } = tool;
  const description = found.description ?? compiled.manifest.description;
  return {
    libraryEntryId: id,
    lifecycle: found.lifecycle ?? 'active',
    ...defined({ description }),
    packageArchiveDigest: archiveDigest(found.root),
    pin: packagePin(tool),
    manifest: compiled.manifest,
    manifestHash: compiled.manifestHash,
    ...defined({ starter }),
  };
}

/** The digest of the list of its files, as source trees have one. */
function archiveDigest(root: string): string {
  const files = listFilesBelow(root).files.map((path) => {
    const content = readFileSync(join(root, path));
    return { bytes: content.length, digest: sha256Digest(content), path };
  });
  return sha256Digest(canonicalJson(files));
}
