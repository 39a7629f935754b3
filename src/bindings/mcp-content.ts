// The content blocks of a result, made from its value as the manifest lays them out.
//   MCP-CONTENT-1. A layout multiplies what the tool has returned, outside of the world and its bounds: items are counted before a block is
//     made, and bytes with each block.
import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.js';
import { valueAt } from '../contract/json-path.js';
import { limits } from '../contract/limits.js';
import type { McpContent } from '../contract/world/tool-mcp.js';

/** Undefined where they would be more than `mcpContentBlocksMax`, or larger than `mcpContentBytesMax`. */
export function contentOf(value: JsonValue, layout: readonly McpContent[]): JsonObject[] | undefined {
  const drafts = layout.map(({ each, ...block }) => {
    const subjects = each === undefined ? [value] : valueAt(value, each);
    return { template: block as unknown as JsonObject, subjects: Array.isArray(subjects) ? subjects : [] };
  });
  if (drafts.reduce((sum, { subjects }) => sum + subjects.length, 0) > limits.mcpContentBlocksMax) return undefined;
  const blocks: JsonObject[] = [];
  let bytes = 0;
  for (const { template, subjects } of drafts)
    for (const subject of subjects) {
      const block = filled(template, subject);
      bytes += bytesOf(block);
      if (bytes > limits.mcpContentBytesMax) return undefined;
      if (isWhole(block)) blocks.push(block);
    }
  return blocks;
}

export function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What is not found is left out. */
function filled(template: JsonObject, value: JsonValue): JsonObject {
  const members = Object.entries(template).flatMap(([name, part]): [string, JsonValue][] => {
    if (!isJsonObject(part)) return [[name, part]];
    if (!Array.isArray(part.from)) return [[name, filled(part, value)]];
    const found = valueAt(value, part.from as (string | number)[]) ?? null;
    return found === null ? [] : [[name, textOf(found)]];
  });
  return Object.fromEntries(members);
}

/** Of its texts. */
function bytesOf(part: JsonValue): number {
  if (typeof part === 'string') return Buffer.byteLength(part);
  return typeof part === 'object' && part !== null ? Object.values(part).reduce<number>((sum, inner) => sum + bytesOf(inner), 0) : 0;
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
  if (isJsonObject(resource) && (resource.uri === undefined || (resource.text ?? resource.blob) === undefined)) return false;
  return needed[block.type as McpContent['type']].every((name) => block[name] !== undefined);
}
