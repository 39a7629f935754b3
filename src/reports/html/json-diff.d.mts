import type { JsonValue } from '../../contract/json.js';

export const diffChangesMax: number;
export interface JsonChange {
  path: (string | number)[];
  before?: JsonValue;
  after?: JsonValue;
}
export function diffJson(before: JsonValue | undefined, after: JsonValue | undefined): JsonChange[];
export function pathText(path: readonly (string | number)[]): string;
