// The content blocks of a result, made from its value as the manifest lays them out.
import type { JsonObject, JsonValue } from '../contract/json.js';
import { valueAt } from '../contract/json-path.js';
import type { McpContent } from '../contract/world/tool-mcp.js';
import { isObject } from './mcp-messages.js';

export function contentOf(value: JsonValue, layout: readonly McpContent[]): JsonObject[] {
  return layout.flatMap(({ each, ...block }) => {
    const subjects = each === undefined ? [value] : valueAt(value, each);
    if (!Array.isArray(subjects)) return [];
    return subjects.map((subject) => filled(block as unknown as JsonObject, subject)).filter(isWhole);
  });
}

export function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What is not found is left out. */
function filled(template: JsonObject, value: JsonValue): JsonObject {
  const members = Object.entries(template).flatMap(([name, part]): [string, JsonValue][] => {
    if (!isObject(part)) return [[name, part]];
    if (!Array.isArray(part.from)) return [[name, filled(part, value)]];
    const found = valueAt(value, part.from as (string | number)[]) ?? null;
    return found === null ? [] : [[name, textOf(found)]];
  });
  return Object.fromEntries(members);
}

const needed: { [T in McpContent['type']]: readonly string[] } = {
  text: ['text'],
  image: ['data', 'mimeType'],
  audio: ['data', 'mimeType'],
  resource_link: ['uri', 'name'],
  resource: ['resource'],
};

function isWhole(block: JsonObject): boolean {
  const { resource } = block;
  if (isObject(resource) && (resource.uri === undefined || (resource.text ?? resource.blob) === undefined)) return false;
  return needed[block.type as McpContent['type']].every((name) => block[name] !== undefined);
}
