// A bundle that an earlier command made of the same modules, so that esbuild need not be started for it.
//   KEPT-BUNDLES-1. It is used only where each import still means the file that it meant, and each file has the same text: what would be
//     bundled now is what was bundled then. One with findings or refusals is never kept.
import { sha256Digest } from '../contract/digest.js';
import type { JsonValue } from '../contract/json.js';
import type { BehaviorKit } from '../contract/run/dialect.js';
import type { ContentCache } from '../files/content-cache.js';
import { compareTexts } from '../text/compare-texts.js';
import type { BehaviorModules } from './behavior-modules.js';

export interface BundlePlace {
  cache: ContentCache;
  modules: BehaviorModules;
  /** As `modules` resolved it. */
  entry: string;
  kits: readonly BehaviorKit[];
}
/** What `modules` was asked while a bundle was made. */
type KeptBundle = {
  code: string;
  /** `path`: null where the specifier is the SDK's. */
  imports: { specifier: string; importer: string; path: string | null }[];
  files: { path: string; digest: string }[];
};

/**
 * The code of the bundle; `modules` has then loaded every file of it, as when it is bundled. Without a bundle they may have loaded others,
 * and are to be used no more.
 */
export function keptBundle(place: BundlePlace): string | undefined {
  const { cache, modules } = place;
  const key = keyOf(place);
  const kept = key === undefined ? undefined : (cache.read('bundle', key) as KeptBundle | undefined);
  if (kept === undefined) return undefined;
  const meansTheSame = kept.imports.every(({ specifier, importer, path }) => modules.meaningOf(specifier, importer) === path);
  const isUnchanged = meansTheSame && kept.files.every(({ path, digest }) => digestOf(modules, path) === digest);
  return isUnchanged ? kept.code : undefined;
}

export function keepBundle(place: BundlePlace, code: string): void {
  const { cache, modules } = place;
  const key = keyOf(place);
  if (key === undefined) return;
  const files = [...modules.files.values()].map(({ path, text }) => ({ path, digest: sha256Digest(text) }));
  // esbuild loads in parallel; a build of the library makes the same bytes each time.
  const imports = sortedBy([...modules.imports], ({ importer, specifier }) => `${importer}\n${specifier}`);
  cache.keep('bundle', key, { code, imports, files: sortedBy(files, ({ path }) => path) } satisfies KeptBundle);
}

function sortedBy<Item>(items: Item[], keyOfItem: (item: Item) => string): Item[] {
  return items.sort((a, b) => compareTexts(keyOfItem(a), keyOfItem(b)));
}

function keyOf({ modules, entry, kits }: BundlePlace): string | undefined {
  const digest = digestOf(modules, entry);
  return digest === undefined ? undefined : JSON.stringify([entry, digest, kits as unknown as JsonValue]);
}

function digestOf(modules: BehaviorModules, path: string): string | undefined {
  const module = modules.load(path);
  return 'text' in module ? sha256Digest(module.text) : undefined;
}
