// The rows that an assertion names in its `state`: all of them, within bounds.
import type { JsonObject } from '../../contract/json.js';
import { limits } from '../../contract/limits.js';
import type { ExpressionRows } from '../../contract/run/assertion.js';
import type { RunView } from './finding.js';
import { rowName } from './net-changes.js';
import { textOf, tooLarge } from './run-facts.js';

export type UndecidedReason = { undecided: string };
export type Row = [rowId: string, value: JsonObject];
export interface NamedRows {
  rows: [name: string, rows: Row[]][];
  /** Of their JSON. */
  chars: number;
}

export async function namedRows(state: { readonly [name: string]: ExpressionRows }, view: RunView): Promise<NamedRows | UndecidedReason> {
  const named: [string, Row[]][] = [];
  let left = limits.exprRowsMax;
  let chars = 0;
  for (const [name, { packageId, instanceId = packageId, namespace }] of Object.entries(state)) {
    const rows: Row[] = [];
    await view.eachRow({ packageId, instanceId, namespace }, ({ rowId, value }) => {
      left -= 1;
      if (left < 0 || chars > limits.exprViewCharsMax) return;
      chars += textOf(value).length;
      rows.push([rowId, value]);
    });
    if (left < 0)
      return { undecided: `with ${rowName({ packageId, instanceId, namespace })} there are more than ${limits.exprRowsMax} rows` };
    if (chars > limits.exprViewCharsMax) return { undecided: tooLarge };
    // A row may be called `__proto__`, too: members are made, never assigned.
    named.push([name, rows]);
  }
  return { rows: named, chars };
}

export function rowsByName({ rows }: NamedRows): { [name: string]: { [rowId: string]: JsonObject } } {
  return Object.fromEntries(rows.map(([name, found]) => [name, Object.fromEntries(found)]));
}
