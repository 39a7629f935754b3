// The tools of one actor as MCP knows them: names, schemas, pages. What an actor is granted does not change, so neither does its catalog.
//   MCP-TOOLS-1. A name is the manifest's `mcp.name`, else `packageId.operationId`; of an instance that is not the package's own,
//     `__instanceId` follows. Ids hold no double underscore, so the second form is never another tool's. A name already taken falls back to
//     it.
//   MCP-TOOLS-2. Models allow no dots, so a list has names with underscores in their place, each of one tool: where the variant is
//     taken, or longer than 64 characters, a digest ends it. Either name calls the tool. Who asks for own names is given those.
import { createHash } from 'node:crypto';
import { defined } from '../contract/defined.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.js';
import { limits } from '../contract/limits.js';
import type { McpToolNames } from '../contract/run/target.js';
import { type HeaderParam, headerParamsOf } from '../contract/world/mcp-header-params.js';
import type { ToolMcp } from '../contract/world/tool-mcp.js';
import type { NamedOperation, ToolCatalogItem } from '../contract/world/world-protocol.js';
import { FoldSteps, foldedInputSchema } from './mcp-input-schema.js';
import { McpFailure } from './mcp-messages.js';
import { withoutUnusedIds } from './schema-references.js';

export interface ToolTarget {
  packageId: string;
  instanceId: string;
  operationId: string;
}
export interface McpTool {
  name: string;
  /** Of a tool operation; `wait` is the world's own. */
  target: ToolTarget | 'wait';
  /** As tools/list shows it. */
  definition: JsonObject;
  /** Whether arguments and values lie in a member `value`, because they are no objects. */
  wraps: { arguments: boolean; value: boolean };
  /** What of the arguments headers repeat. */
  headerParams: readonly HeaderParam[];
  mcp: ToolMcp;
  /** It is called with an idempotency key, or not at all. */
  needsKey: boolean;
}

const namePattern = /^[A-Za-z0-9_.-]{1,128}$/;

export class McpToolCatalog {
  readonly #tools: readonly McpTool[];
  readonly #byName = new Map<string, McpTool>();
  /** The same tools in the same order, by names without dots. */
  readonly #undotted: readonly JsonObject[];

  /** `items` are ordered, and so are the tools. */
  constructor(items: readonly ToolCatalogItem[], { mayWait, listsBothNames = false }: { mayWait: boolean; listsBothNames?: boolean }) {
    const own = new Set(items.map(ownName));
    const tools: McpTool[] = [];
    const steps = new FoldSteps();
    for (const item of items) {
      const wanted = wantedName(item, item.mcp?.name);
      const isFree = wanted !== undefined && !own.has(wanted) && !this.#byName.has(wanted) && wanted !== waitTool.name;
      for (const name of isFree ? [...(listsBothNames ? [ownName(item)] : []), wanted] : [ownName(item)]) {
        const tool = toolOf(item, name, steps);
        tools.push(tool);
        this.#byName.set(tool.name, tool);
      }
    }
    if (mayWait) tools.push(waitTool);
    this.#tools = tools;
    for (const tool of tools) this.#byName.set(tool.name, tool);
    this.#addVariants();
    this.#undotted = tools.map((tool) => ({ ...tool.definition, name: this.#nameWithoutDots(tool) }));
  }

  /** By its name or the variant of it without dots. */
  find(name: string): McpTool | undefined {
    return this.#byName.get(name);
  }

  /**
   * The operation that a name which finds nothing here would be of, were it listed: the first where it could be of several. Those that are
   * listed are called by their own names.
   */
  unlisted(name: string, operations: readonly NamedOperation[]): ToolTarget | undefined {
    const listed = new Set(this.#tools.map(({ target }) => (target === 'wait' ? target : ownName(target))));
    const found = operations.find((operation) => !listed.has(ownName(operation)) && mayBeCalled(operation, name));
    return found && { packageId: found.packageId, instanceId: found.instanceId, operationId: found.operationId };
  }

  /** A page, from the start without a cursor. Throws McpFailure for a cursor that this list never gave. */
  page(cursor: JsonValue | undefined, names: McpToolNames = 'underscores'): JsonObject {
    const from = cursor === undefined ? 0 : this.#placeAfter(cursor);
    const page = this.#tools.slice(from, from + limits.mcpToolsPageMax);
    const tools = names === 'own' ? page.map(({ definition }) => definition) : this.#undotted.slice(from, from + page.length);
    const last = page.at(-1);
    return last !== undefined && from + page.length < this.#tools.length ? { tools, nextCursor: cursorAfter(last) } : { tools };
  }

  #placeAfter(cursor: JsonValue): number {
    const place = this.#tools.findIndex((tool) => cursorAfter(tool) === cursor);
    if (place < 0) throw new McpFailure('invalidParams', 'The cursor is not one that this list gave.');
    return place + 1;
  }

  #addVariants(): void {
    const variants = new Map<string, McpTool | undefined>();
    for (const tool of this.#tools) {
      const variant = tool.name.replaceAll('.', '_');
      variants.set(variant, variants.has(variant) ? undefined : tool);
    }
    for (const [variant, tool] of variants) if (tool !== undefined && !this.#byName.has(variant)) this.#byName.set(variant, tool);
  }

  #nameWithoutDots(tool: McpTool): string {
    const variant = tool.name.replaceAll('.', '_');
    if (variant.length <= limits.mcpPlainNameCharsMax && this.#byName.get(variant) === tool) return variant;
    let name = digestName(tool.name);
    // A manifest may have named another tool so.
    for (let next = 2; this.#byName.has(name); next++) name = digestName(tool.name, ` ${next}`);
    this.#byName.set(name, tool);
    return name;
  }
}

const cursorAfter = ({ name }: McpTool): string => Buffer.from(`after ${name}`).toString('base64url');

function ownName({ packageId, instanceId, operationId }: ToolTarget): string {
  return bounded(`${packageId}.${operationId}${instanceSuffix(packageId, instanceId)}`);
}
/** Undefined where no client would take it. */
function wantedName({ packageId, instanceId }: ToolTarget, mcpName: string | undefined): string | undefined {
  const name = `${mcpName}${instanceSuffix(packageId, instanceId)}`;
  return mcpName === undefined || !namePattern.test(name) ? undefined : name;
}
const instanceSuffix = (packageId: string, instanceId: string): string => (instanceId === packageId ? '' : `__${instanceId}`);

/** Ids may be longer together than a name; a digest of the whole then ends it. */
function bounded(name: string): string {
  return name.length <= limits.mcpToolNameCharsMax ? name : endedByDigest(name, { of: name, charsMax: limits.mcpToolNameCharsMax });
}
function endedByDigest(name: string, { of, charsMax }: { of: string; charsMax: number }): string {
  const digest = createHash('sha256').update(of).digest('hex').slice(0, 16);
  return `${name.slice(0, charsMax - digest.length - 2)}__${digest}`;
}

function digestName(name: string, more = ''): string {
  return endedByDigest(name.replaceAll('.', '_'), { of: name + more, charsMax: limits.mcpPlainNameCharsMax });
}

/** Whether a list could have it by this name. */
function mayBeCalled(operation: NamedOperation, name: string): boolean {
  const names = [ownName(operation), wantedName(operation, operation.mcpName)].filter((one) => one !== undefined);
  const isDigest = endsInDigest.test(name);
  return names.some((one) => one === name || one.replaceAll('.', '_') === name || (isDigest && digestName(one) === name));
}
const endsInDigest = /__[0-9a-f]{16}$/;

/**
 * The target of a name as MCP-TOOLS-1 makes it, for a tool that the actor has no grant for: the world is asked all the same, so that it
 * can say so. Line breaks match too, so that no mark but the first is tried; an id that has one is refused later.
 */
export function targetOfName(name: string): { packageId: string; operationId: string; instanceId?: string } | undefined {
  const [, packageId, operationId, instanceId] = /^([^.]+)\.(.+?)(?:__(.+))?$/s.exec(name) ?? [];
  if (packageId === undefined || operationId === undefined) return undefined;
  return instanceId === undefined ? { packageId, operationId } : { packageId, operationId, instanceId };
}

function toolOf(item: ToolCatalogItem, name: string, steps: FoldSteps): McpTool {
  const { packageId, instanceId, operationId, idempotency, mcp = {} } = item;
  const input = objectSchema(item.inputSchema);
  const output = objectSchema(item.outputSchema);
  const description = mcp.description ?? item.description ?? `The operation ${operationId} of ${packageId}.`;
  const definition: JsonObject = {
    name,
    ...defined({ title: mcp.title }),
    description: instanceId === packageId ? description : `${description} (${instanceId})`,
    inputSchema: foldedInputSchema(withoutUnusedIds(input.schema), steps),
    ...(mcp.structured === false ? {} : { outputSchema: withoutUnusedIds(output.schema) }),
    ...(mcp.annotations === undefined ? {} : { annotations: mcp.annotations as JsonObject }),
    _meta: { 'drillyard/operation': { packageId, instanceId, operationId, idempotency } },
  };
  return {
    name,
    target: { packageId, instanceId, operationId },
    definition,
    wraps: { arguments: input.wraps, value: output.wraps },
    headerParams: headerParamsOf(input.schema).params,
    mcp,
    needsKey: idempotency === 'required',
  };
}

/**
 * Arguments and values of MCP are objects. A schema whose root says so is shown as it is; of any other value the member `value` is shown. A
 * schema that refers into itself cannot be put inside another one as it is, so of such a one only that is shown.
 */
function objectSchema(schema: JsonValue): { schema: JsonObject; wraps: boolean } {
  if (isJsonObject(schema) && schema.type === 'object') return { schema: withObjectsForProperties(schema), wraps: false };
  const value = /"\$(?:ref|dynamicRef)":"/.test(JSON.stringify(schema)) ? {} : inObject(schema);
  return { schema: { type: 'object', properties: { value }, required: ['value'], additionalProperties: false }, wraps: true };
}

/** In the older revisions the schema of a property is an object, and a client refuses the whole list for one that is not. */
function withObjectsForProperties(schema: JsonObject): JsonObject {
  const { properties } = schema;
  if (!isJsonObject(properties) || Object.values(properties).every((property) => typeof property !== 'boolean')) return schema;
  return { ...schema, properties: Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, inObject(property)])) };
}
/** `true` allows everything and `false` nothing. */
function inObject(schema: JsonValue): JsonValue {
  if (schema === true) return {};
  return schema === false ? { not: {} } : schema;
}

/** The grant for it is `clock.wait` of the reserved package `world`, so no package's tool has its name. */
const waitTool: McpTool = {
  name: 'world.wait',
  target: 'wait',
  definition: {
    name: 'world.wait',
    description: 'Lets time go by: until the given time in microseconds, or until the next event when none is given.',
    inputSchema: { type: 'object', properties: { untilUs: { type: 'integer' } }, additionalProperties: false },
    outputSchema: {
      type: 'object',
      properties: { virtualTimeUs: { type: 'integer' }, reached: { type: 'boolean' } },
      required: ['virtualTimeUs', 'reached'],
      additionalProperties: false,
    },
  },
  wraps: { arguments: false, value: false },
  headerParams: [],
  mcp: {},
  needsKey: false,
};
