// `x-mcp-header` in the input schema of a tool: an argument that clients of MCP 2026-07-28 repeat in the header `Mcp-Param-{name}`, so that
// what stands between them and the server can route by it. Allowed on texts, integers and booleans that are reached through `properties`
// alone, each name once in any case; clients leave out a tool that says it otherwise.
import type { JsonObject, JsonValue } from '../json.js';
import { pointerToken } from '../json-fault.js';

export interface HeaderParam {
  /** In lower case, with its prefix. */
  header: string;
  path: string[];
}
export interface HeaderParamFault {
  /** JSON Pointer into the schema. */
  path: string;
  message: string;
}

const keyword = 'x-mcp-header';
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const types: readonly (JsonValue | undefined)[] = ['string', 'integer', 'boolean'];
/** Below these there are values, not schemas. */
const valued = ['const', 'enum', 'default', 'examples'];

export function headerParamsOf(inputSchema: JsonValue): { params: HeaderParam[]; faults: HeaderParamFault[] } {
  const walk = new Walk();
  walk.visit(inputSchema, '', []);
  return walk;
}

class Walk {
  readonly params: HeaderParam[] = [];
  readonly faults: HeaderParamFault[] = [];

  /** `path`: of the argument that the schema is of; undefined where it is of none, or of one that other keywords lead to. */
  visit(schema: JsonValue, at: string, path: string[] | undefined): void {
    if (typeof schema !== 'object' || schema === null) return;
    if (!Array.isArray(schema) && typeof schema[keyword] === 'string') this.#read(schema[keyword], schema, at, path);
    for (const [key, value] of Object.entries(schema)) {
      if (valued.includes(key)) continue;
      if (key === 'properties' && path !== undefined) this.#visitProperties(value as JsonObject, at, path);
      else this.visit(value, at + pointerToken(key), undefined);
    }
  }

  #visitProperties(properties: JsonObject, at: string, path: string[]): void {
    for (const [name, schema] of Object.entries(properties)) this.visit(schema, `${at}/properties${pointerToken(name)}`, [...path, name]);
  }

  #read(name: string, { type }: JsonObject, at: string, path: string[] = []): void {
    const header = `mcp-param-${name.toLowerCase()}`;
    if (!token.test(name)) this.#refuse(at, `'${name}' is no name of a header`);
    else if (path.length === 0) this.#refuse(at, "only what is reached through 'properties' alone can be repeated in a header");
    else if (!types.includes(type)) this.#refuse(at, 'only a string, an integer or a boolean can be repeated in a header');
    else if (this.params.some((param) => param.header === header)) this.#refuse(at, `'${name}' is the header of another argument too`);
    else this.params.push({ header, path });
  }

  #refuse(at: string, message: string): void {
    this.faults.push({ path: `${at}/${keyword}`, message });
  }
}
