// One tool: its file checked, its behavior bundled, its hashes made.
import { defined } from '../contract/defined.js';
import { jsonDigest } from '../contract/digest.js';
import type { JsonValue } from '../contract/json.js';
import type { Provenance } from '../contract/provenance.js';
import type { CompiledTool } from '../contract/run/build.js';
import type { SourceDialect } from '../contract/run/dialect.js';
import { materializeManifest } from '../contract/validate/defaults.js';
import type { ToolManifest, ToolPackageFile } from '../contract/world/tool-manifest.js';
import type { ContentCache } from '../files/content-cache.js';
import { expandDeclarative } from '../tools/declarative.js';
import { type BundledFile, bundleBehavior } from './behavior-bundle.js';
import type { BundleFinding, RefusedFile } from './behavior-modules.js';
import { useFindings } from './behavior-uses.js';
import type { Diagnostics } from './diagnostics.js';
import type { ReadGraphql } from './graphql-checks.js';
import { handlerFindings } from './handler-checks.js';
import { handlerPlace } from './handler-place.js';
import { checkManifest } from './manifest-checks.js';
import type { ManifestFinding } from './manifest-finding.js';
import type { SourceDocument } from './source-document.js';

export interface ToolSource {
  /** Real, absolute: the package, or the repository for a tool under its source root. */
  root: string;
  /** Before paths below `root`, where they are shown. */
  shownAs: string;
  /** Relative to `root`. */
  toolFile: string;
  file: ToolPackageFile;
  document: SourceDocument;
  /** What it is written in. */
  dialect: SourceDialect;
  /** Installed: from outside of the repository, and not shipped with the product. */
  outside: boolean;
  starter?: SourceDocument | undefined;
  /** The entry of `toolPackages` that names it. */
  entry?: string;
}
export interface CompiledSource extends Pick<ToolSource, 'entry'> {
  compiled: CompiledTool;
  declarative: boolean;
  document: SourceDocument;
  /** Before the paths of `files`, where they are shown. */
  shownAs: string;
  starter: SourceDocument | undefined;
  /** What the paths of `files` are relative to, and how they are shown. */
  folder: { root: string; shownAs: string };
  files: BundledFile[];
  refused: RefusedFile[];
  outside: boolean;
  /** Its types can be checked against those of the SDK. */
  hasOwnTypes: boolean;
  placeOf(handlerId: string): Provenance | undefined;
}

export async function compileTool(
  diagnostics: Diagnostics,
  source: ToolSource,
  { sdkNames, engineVersion, cache }: { sdkNames: readonly string[]; engineVersion: string; cache: ContentCache },
): Promise<CompiledSource> {
  const { file, document, dialect } = source;
  const { manifest: written, findings: graphqlFindings, settings: graphql } = await withGraphql(materializeManifest(file.manifest));
  const declarative = file.module === undefined;
  const engine = dialect.isOwnEngine ? engineVersion : undefined;
  const manifest = withErrorDefaults(declarative ? expandDeclarative(written) : written);
  const { id: packageId, version } = manifest;
  const manifestHash = jsonDigest(manifest as unknown as JsonValue);
  const found = [...manifestFindings({ manifest: written, declarative, engineVersion: engine }, cache), ...graphqlFindings];
  reportManifest(diagnostics, document, found);
  const bundled = declarative
    ? undefined
    : await bundleBehavior({
        root: source.root,
        toolFile: source.toolFile,
        module: file.module as string,
        isSdk: (specifier) => sdkNames.includes(specifier) || dialect.isSdk(specifier),
        kit: dialect.behaviorKit,
        graphql,
        cache,
      });
  for (const finding of bundled?.findings ?? []) reportFinding(diagnostics, source, finding);
  if (bundled?.behavior !== undefined)
    checkBehavior(diagnostics, source, { manifest, manifestHash, bundled: { ...bundled, ...bundled.behavior }, cache });
  return {
    compiled: {
      packageId,
      version,
      manifest,
      manifestHash,
      artifactHash: bundled?.behavior?.codeHash ?? manifestHash,
      stateSchemaDigest: jsonDigest(manifest.state as unknown as JsonValue),
      behavior: bundled?.behavior ?? null,
    },
    declarative,
    document,
    shownAs: source.shownAs,
    starter: source.starter,
    ...defined({ entry: source.entry }),
    folder: { root: source.root, shownAs: source.shownAs },
    files: bundled?.files ?? [],
    refused: bundled?.refused ?? [],
    outside: source.outside,
    hasOwnTypes: dialect.hasOwnTypes,
    placeOf: (handlerId) => {
      const place = handlerPlace(bundled?.files ?? [], handlerId);
      return place === undefined ? undefined : { file: source.shownAs + place.path, line: place.line, column: place.column };
    },
  };
}

/** What stands once and is referred to (an anchor of YAML) is wrong once. */
function reportManifest(diagnostics: Diagnostics, document: SourceDocument, findings: readonly ManifestFinding[]): void {
  const said = new Set<string>();
  for (const { code, path, message, suggestion } of findings) {
    const place = document.place(`/manifest${path}`, code === 'DY5014' ? 'key' : undefined);
    const key = JSON.stringify([code, place.line, place.column, message]);
    if (!said.has(key)) diagnostics.report(code, place, message, { suggestion });
    said.add(key);
  }
}

/** What was sound before is: nothing else decides it. */
function manifestFindings(subject: Parameters<typeof checkManifest>[0], cache: ContentCache): ManifestFinding[] {
  const key = JSON.stringify(subject);
  if (cache.read('manifest', key) === true) return [];
  const findings = checkManifest(subject);
  if (findings.length === 0) cache.keep('manifest', key, true);
  return findings;
}

interface CheckedBehavior {
  manifest: ToolManifest;
  manifestHash: string;
  bundled: { code: string; codeHash: string; files: readonly BundledFile[] };
  cache: ContentCache;
}
/** Against its manifest, by its text. What was sound before is: nothing else decides it. */
function checkBehavior(
  diagnostics: Diagnostics,
  source: ToolSource,
  { manifest, manifestHash, bundled: { code, codeHash, files }, cache }: CheckedBehavior,
): void {
  const key = `${manifestHash} ${codeHash}`;
  if (cache.read('sound', key) === true) return;
  const handlers = handlerFindings(manifest, code);
  for (const finding of handlers) {
    const place = source.document.place(`/manifest${finding.path}`);
    diagnostics.report(finding.code, place, finding.message, { suggestion: finding.suggestion });
  }
  const uses = useFindings(manifest, code, files);
  for (const { place, message, suggestion } of uses) {
    const at = place === undefined ? {} : { file: place.path };
    reportFinding(diagnostics, source, { code: 'DY6012', line: 1, column: 1, ...place, ...at, message, suggestion });
  }
  if (handlers.length + uses.length === 0) cache.keep('sound', key, true);
}

/** Most tools have no GraphQL API, and graphql takes a twelfth of a second to load. */
async function withGraphql(manifest: ToolManifest): Promise<ReadGraphql> {
  if (manifest.graphql === undefined) return { findings: [], manifest };
  const { readGraphql } = await import('./graphql-checks.js');
  return readGraphql(manifest);
}

/** What is optional inside an operation means the same written or not, so it hashes the same. */
function withErrorDefaults(manifest: ToolManifest): ToolManifest {
  const operations = manifest.operations.map((operation) => ({
    ...operation,
    declaredErrors: (operation.declaredErrors ?? []).map((error) => ({ retryable: false, ...error })),
  }));
  return { ...manifest, operations };
}

function reportFinding(
  diagnostics: Diagnostics,
  { shownAs, document }: ToolSource,
  { code, file, line, column, message, suggestion }: BundleFinding,
): void {
  const place = file === undefined ? document.place('/module') : { file: `${shownAs}${file}`, line, column, path: '' };
  diagnostics.report(code, place, message, { suggestion });
}
