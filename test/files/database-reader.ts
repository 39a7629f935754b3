// Opens and reads a database with one byte or one page changed, over and over: the process that database.test.ts starts, to see it end by
// itself.
//   node database-reader.js <directory> <whole file> <rounds>
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { ServiceError } from '../../src/contract/errors.js';
import { dataFileOf, openDatabase } from '../../src/files/database.js';

const [directory, whole, rounds] = process.argv.slice(2) as [string, string, string];
const bytes = readFileSync(whole);
let state = 12_345;
/** The same numbers at every run. */
const next = (below: number): number => {
  state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
};

/** A third of the rounds changes the head of a page, a third an entry's, a third anything. */
function damage(round: number): Buffer {
  const changed = Buffer.from(bytes);
  const page = next(bytes.length / 4096) * 4096;
  if (round % 10 === 0) return changed.fill(next(256), page, page + 4096);
  const place = round % 3 === 0 ? page + next(64) : round % 3 === 1 ? page + 3_000 + next(1_000) : next(bytes.length);
  changed[place] = (changed[place] as number) ^ (1 << next(8));
  return changed;
}

const counts = { refused: 0, read: 0 };
for (let round = 0; round < Number(rounds); round++) {
  // A new file: the pages of the last round may still be mapped.
  rmSync(dataFileOf(directory), { force: true });
  writeFileSync(dataFileOf(directory), damage(round));
  try {
    const database = openDatabase({ directory, flushed: false });
    for (const { value } of database.getRange({})) value.length;
    for (const { key } of database.getRange({ reverse: true, limit: 100 })) database.getBinary(key);
    database.transactionSync(() => database.putSync(Buffer.from('after'), Buffer.alloc(20_000)));
    await database.close();
    counts.read++;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    counts.refused++;
  }
}
process.stdout.write(JSON.stringify(counts));
