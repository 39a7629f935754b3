// Where an assertion or an invariant of a drill stands in its file; undefined when the file is no longer what was compiled.
import { isJsonObject, type JsonValue } from '../contract/json.js';
import { limits } from '../contract/limits.js';
import type { Provenance } from '../contract/provenance.js';
import { parseSourceDocument } from './source-document.js';
import { readFileBelow } from './source-files.js';

export function assertionPlace(root: string, file: string, assertionId: string): Provenance | undefined {
  const read = readFileBelow(root, file, limits.projectFileBytesMax);
  const document = read.kind === 'text' ? parseSourceDocument(file, read.text).document : undefined;
  for (const path of [['assertions'], ['timeline', 'invariants']]) {
    const list = path.reduce<JsonValue | undefined>((value, name) => memberOf(value, name), document?.value);
    const index = Array.isArray(list) ? list.findIndex((assertion) => memberOf(assertion, 'id') === assertionId) : -1;
    if (document === undefined || index < 0) continue;
    const { line, column } = document.place(`/${path.join('/')}/${index}`);
    return { file, line, column };
  }
  return undefined;
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
