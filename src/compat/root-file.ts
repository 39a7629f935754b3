// The root file of a project: its defaults are named by the brand, and it may hold the documents of the project themselves.
import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.js';
import type { ReadShape, SourceKind } from '../contract/run/dialect.js';
import { environmentPrefix } from './brand.js';
import { present } from './members.js';

/** Lists of documents, by the member that holds them. */
const lists: { readonly [member: string]: SourceKind } = {
  tools: 'tool',
  scenarios: 'scenario',
  targets: 'target',
  drills: 'drill',
  suites: 'suite',
};

export function readRootFile(file: JsonValue, brand: string): ReadShape {
  if (!isJsonObject(file)) return { value: file, refusals: [] };
  const inside: { kind: SourceKind; path: string; value: JsonValue }[] = [];
  const { sourceRoot, compat, ...rest } = file;
  const kept: { [name: string]: JsonValue | undefined } = { ...rest };
  if (isJsonObject(rest.world)) {
    inside.push({ kind: 'world', path: '/world', value: whole(rest.world) });
    kept.world = undefined;
  }
  for (const [member, kind] of Object.entries(lists)) {
    const list = rest[member];
    if (!Array.isArray(list)) continue;
    kept[member] = undefined;
    for (const [index, value] of list.entries()) inside.push({ kind, path: `/${member}/${index}`, value: whole(value) });
  }
  // A file that holds its documents has no folder of them, unless it names one. One that says what differs is written for Drillyard.
  const folder = sourceRoot ?? (inside.length === 0 && compat === undefined ? brand : undefined);
  return { value: present({ ...kept, sourceRoot: folder, compat: settingsOf(compat, brand) }), refusals: [], inside };
}

/** In one file the version of the whole is that of each part. */
function whole(value: JsonValue): JsonValue {
  return isJsonObject(value) ? { schemaVersion: 1, ...value } : value;
}

function settingsOf(compat: JsonValue | undefined, brand: string): JsonValue {
  if (compat !== undefined && !isJsonObject(compat)) return compat;
  const prefix = environmentPrefix(brand);
  const settings: JsonObject = { packageField: brand, ...compat };
  if (prefix === undefined || settings.environmentPrefixes !== undefined) return settings;
  return { ...settings, environmentPrefixes: [prefix] };
}
