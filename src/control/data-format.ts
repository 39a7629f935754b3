// The format of a data directory: what lies where in it, and what its records and files mean. The catalog names it. It rises with a change
// that an earlier version would misread.
//   DATA-FORMAT-1. A start on a format that this version does not read ends before any record is changed.
import { ServiceError } from '../contract/errors.js';
import type { Catalog } from './catalog/catalog.js';
import { defineTable, type View } from './catalog/tables.js';

/** What this version writes, and the only one that it reads. */
export const dataFormat = 1;

export interface FormatNote {
  name: 'data';
  format: number;
}
export const formatTable = defineTable<FormatNote>({ name: 'data-format', idOf: ({ name }) => name, indexes: {} });

/** Why this version does not read it, as "it is of format 2, ..."; undefined where it does. */
export function formatFault(view: View): string | undefined {
  // Versions that did not name it wrote the first.
  const { format } = view.get(formatTable, 'data') ?? { format: 1 };
  if (format === dataFormat) return undefined;
  const [which, way] =
    format > dataFormat
      ? ['a later version of Drillyard', 'Start that version, or put a backup of this one back.']
      : ['an earlier version of Drillyard', 'Start that version, or begin with another data directory.'];
  return `it is of format ${format}, which ${which} wrote; this one reads format ${dataFormat}. ${way}`;
}

/** At each start, before anything is changed. control.STATE_CONFLICT for a format of another version. */
export async function takeUpFormat(catalog: Catalog, dataDirectory: string): Promise<void> {
  const fault = formatFault(catalog.view);
  if (fault !== undefined) {
    throw new ServiceError('control.STATE_CONFLICT', {
      message: `The data directory ${dataDirectory} cannot be used: ${fault} Nothing was changed.`,
    });
  }
  if (catalog.view.get(formatTable, 'data') !== undefined) return;
  await catalog.change((tx) => tx.put(formatTable, { name: 'data', format: dataFormat }));
}
