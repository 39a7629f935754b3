// What the tests of a catalog with a log share: a table, a log in memory that a test may hold or fail, and all that is in a file.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { defineTable } from '../../src/control/catalog/tables.js';
import { openDatabase } from '../../src/files/database.js';
import type { StreamLog, StreamRecord } from '../../src/worlds/kv/stream-log.js';

export interface Note {
  id: string;
  group: number;
  text: string;
}
export const notes = defineTable<Note>({ name: 'note', idOf: ({ id }) => id, indexes: { byGroup: ({ group }) => [group] } });

export class CatalogLog implements StreamLog {
  readonly records: StreamRecord[] = [];
  #nonces = 0;
  readonly #seed: string;
  /** Asked before each append. */
  onAppend: (record: StreamRecord) => Promise<'appended' | 'lost'> | 'appended' | 'lost' = () => 'appended';

  /** `seed`: of nonces that another log has not given. */
  constructor(seed = 'nonce') {
    this.#seed = seed;
  }
  mintNonce(): Buffer {
    return createHash('sha256')
      .update(`${this.#seed} ${this.#nonces++}`)
      .digest()
      .subarray(0, 16);
  }
  async append(record: StreamRecord): Promise<'appended' | 'lost'> {
    const outcome = await this.onAppend(record);
    if (outcome === 'appended') this.records.push(record);
    return outcome;
  }
}

export function catalogFolderOf(context: Pick<TestContext, 'after'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'drillyard-catalog-stream-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Every key and value, its position too. */
export async function entriesOf(directory: string): Promise<string> {
  const database = openDatabase({ directory, flushed: false, readOnly: true });
  const entries = [...database.getRange({ snapshot: false })].map(
    ({ key, value }) => `${key.toString('latin1')} = ${value.toString('latin1')}`,
  );
  await database.close();
  return entries.join('\n');
}
