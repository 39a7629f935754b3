// The format of a data directory: what lies where in it, and what its records and files mean. The catalog names it. It rises with a change
// that an earlier version would misread.
import { defineTable, type View } from './catalog/tables.js';

/** What this version writes and reads; an earlier one that has steps to it is taken up (format-steps.ts). */
export const dataFormat = 1;

export interface FormatNote {
  name: 'data';
  format: number;
}
export const formatTable = defineTable<FormatNote>({ name: 'data-format', idOf: ({ name }) => name, indexes: {} });

/** Versions that did not name it wrote the first. */
export const formatOf = (view: View): number => view.get(formatTable, 'data')?.format ?? 1;

/** Why this version does not read it, as "it is of format 2, ..."; undefined where it does. */
export function formatFault(view: View): string | undefined {
  const format = formatOf(view);
  return format === dataFormat ? undefined : faultOf(format);
}

export function faultOf(format: number): string {
  const [which, way] =
    format > dataFormat
      ? ['a later version of Drillyard', 'Start that version, or put a backup of this one back.']
      : ['an earlier version of Drillyard', 'Start that version, or begin with another data directory.'];
  return `it is of format ${format}, which ${which} wrote; this one reads format ${dataFormat}. ${way}`;
}
