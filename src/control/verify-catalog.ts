// Reads a catalog whole, with nobody serving it: every record, its places in the indexes, and what records refer to.
import { limits } from '../contract/limits.js';
import { type Database, openDatabase, requireWhole } from '../files/database.js';
import { asStored } from './catalog/record-text.js';
import { beginsCatalogKey, isPositionKey, keyBytes, storedSource } from './catalog/stored-source.js';
import { indexKeys, keyParts, Reader, recordKey, type Table, type View } from './catalog/tables.js';
import { catalogTables } from './catalog-tables.js';
import { catalogFile, catalogFolder } from './data-folder.js';
import { formatFault } from './data-format.js';
import { type RecordReference, referencesOf } from './references.js';

export interface OpenCatalog {
  view: View;
  close(): Promise<void>;
}

/**
 * For a verification: a record that cannot be read, which is a finding of `verifyCatalog`, is none to the view, so that the rest is read.
 * Throws control.DATA_DAMAGED where the file cannot be read safely at all.
 */
export function openCatalogFile(dataDirectory: string): OpenCatalog & { database: Database } {
  requireWhole(catalogFile(dataDirectory), { leaves: true, anySize: true, beginsKey: beginsCatalogKey });
  const { database, close } = openCopiedCatalog(dataDirectory);
  const source = storedSource({ database, directory: catalogFolder(dataDirectory) });
  return { view: new Reader({ ...source, get: (key, isOneOfMany) => attempted(() => source.get(key, isOneOfMany)) }), database, close };
}

/** Of one that this process has just copied, from the data directory `of`, which is named where a record of it is damaged. */
export function openCopiedCatalog(dataDirectory: string, of = dataDirectory): OpenCatalog & { database: Database } {
  const database = openDatabase({ directory: catalogFolder(dataDirectory), flushed: false, leavesChecked: false, readOnly: true });
  return { view: new Reader(storedSource({ database, directory: catalogFolder(of) })), database, close: () => database.close() };
}

/** `report`: what is wrong, as "its record ...". Yields how many records there are. */
export function verifyCatalog({ database, view }: OpenCatalog & { database: Database }, report: (fault: string) => void): number {
  const format = formatFault(view);
  if (format !== undefined) report(format);
  let records = 0;
  for (const { key, value } of database.getRange({ snapshot: false })) {
    if (isPositionKey(key)) continue;
    const text = key.toString('latin1');
    const parts = attempted(() => keyParts(text));
    if (parts?.[0] === 'r' && parts.length === 3) {
      records += 1;
      for (const fault of recordFaults({ database, view }, { key: text, tableName: parts[1] as string, value })) report(fault);
    } else if (parts?.[0] === 'i' && parts.length >= 4) {
      const [, tableName, index] = parts as [string, string, string];
      const fault = indexFault(view, { key: text, tableName, index, id: parts.at(-1) as string });
      if (fault !== undefined) report(fault);
    } else {
      report(`a key of it is of no table: ${JSON.stringify(text.slice(0, limits.quotedValueCharsMax))}`);
    }
  }
  return records;
}

interface StoredRecord {
  key: string;
  tableName: string;
  value: Buffer;
}
function* recordFaults({ database, view }: { database: Database; view: View }, { key, tableName, value }: StoredRecord): Generator<string> {
  const table = catalogTables.get(tableName);
  if (table === undefined) {
    yield `its table ${tableName} is none of this version`;
    return;
  }
  const name = `its record ${key.slice(2)}`;
  const read = attempted(() => {
    const record = asStored(value);
    return {
      record,
      own: recordKey(table, table.idOf(record)),
      places: indexKeys(table, record),
      references: referencesOf(tableName, record),
    };
  });
  if (read === undefined || read.own !== key) {
    yield `${name} cannot be read`;
    return;
  }
  for (const place of read.places) if (!database.doesExist(keyBytes(place))) yield `${name} is missing in the index ${keyParts(place)[2]}`;
  for (const { to, id } of danglingOf(view, read.references)) yield `${name} refers to ${to} ${id}, which is not there`;
}

function danglingOf(view: View, references: readonly RecordReference[]): RecordReference[] {
  return references.filter(({ to, id }) => attempted(() => view.get(catalogTables.get(to) as Table<unknown>, id)) === undefined);
}

interface StoredPlace {
  key: string;
  tableName: string;
  index: string;
  id: string;
}
function indexFault(view: View, { key, tableName, index, id }: StoredPlace): string | undefined {
  const table = catalogTables.get(tableName);
  // The table itself is read from its records.
  if (table === undefined) return undefined;
  if (table.indexes[index] === undefined) return `its index ${tableName} ${index} is none of this version`;
  const isRight = attempted(() => {
    const record = view.get(table, id);
    return record !== undefined && indexKeys(table, record).includes(key);
  });
  return isRight === true ? undefined : `its index ${tableName} ${index} leads to ${id}, which is not there or has another place`;
}

function attempted<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
