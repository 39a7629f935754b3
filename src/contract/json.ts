// JSON values as they cross every border: request bodies, tool arguments, rows and evidence.
// Depth is bounded by `jsonDepthMax` (limits.ts), checked where a value enters.

export type JsonPrimitive = null | boolean | number | string;
export type JsonValue = JsonPrimitive | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue;
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return isRecord(value);
}

/** As `isJsonObject`, of a value that need not be JSON. */
export function isRecord(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
