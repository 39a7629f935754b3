// What commands read of a repository's root file without compiling it.
import { parseSourceDocument } from '../compiler/source-document.js';
import { readFileBelow } from '../compiler/source-files.js';
import { isJsonObject, type JsonValue } from '../contract/json.js';
import { limits } from '../contract/limits.js';

/** The folder of the repository's documents; undefined where there is no root file. */
export function sourceRootOf(root: string, config = 'drillyard.json'): string | undefined {
  const settings = documentOf(root, config);
  if (settings === undefined) return undefined;
  const named = memberOf(settings, 'sourceRoot');
  return typeof named === 'string' ? named : 'drillyard';
}

export function documentOf(root: string, path: string): JsonValue | undefined {
  const read = readFileBelow(root, path, limits.projectFileBytesMax);
  return read.kind === 'text' ? parseSourceDocument(path, read.text).document?.value : undefined;
}

export function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
