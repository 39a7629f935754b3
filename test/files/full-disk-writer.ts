// Fills the disk of a data file, in a process of its own: what LMDB says of a write that failed comes from C. Ends with a line of JSON.
import { openDatabase } from '../../src/files/database.js';
import { DatabaseSpace } from '../../src/files/database-space.js';
import { seededNumbers } from '../e2e/cluster-load.js';

const [directory, seed] = process.argv.slice(2) as [string, string];
const database = openDatabase({ directory, flushed: false });
const space = new DatabaseSpace(database, directory);
const choose = seededNumbers(Number(seed));
const held = new Map<string, number>();
const codes = new Set<unknown>();

function transact(puts: readonly (readonly [key: string, bytes: number])[], removed: readonly string[]): boolean {
  try {
    database.transactionSync(() => {
      for (const [key, bytes] of puts) database.putSync(Buffer.from(key), Buffer.alloc(bytes, 7));
      for (const key of removed) database.removeSync(Buffer.from(key));
      const bytes = puts.reduce((sum, [key, length]) => sum + key.length + length, 0);
      space.require({ changes: puts.length + removed.length, bytes });
    });
  } catch (error) {
    codes.add((error as NodeJS.ErrnoException).code);
    return false;
  }
  for (const [key, bytes] of puts) held.set(key, bytes);
  for (const key of removed) held.delete(key);
  return true;
}

// At first something is removed at times, so that pages within the file are free; then nothing is.
for (let turn = 0, refused = 0; refused < 20; turn++) {
  const puts = Array.from({ length: 1 + choose(4) }, (_, index) => [`${choose(1e9)} ${turn} ${index}`, choose(9000)] as const);
  const removed = turn < 200 ? [...held.keys()].filter(() => choose(40) === 0).slice(0, 3) : [];
  refused = transact(puts, removed) || turn < 200 ? 0 : refused + 1;
}
const kept = held.size;
let freed = 0;
for (const key of [...held.keys()]) if (transact([], [key])) freed += 1;
const refusedAgain = transact([['again', 1000]], []) ? 0 : 1;
const isWhole = [...held].every(([key, bytes]) => database.getBinary(Buffer.from(key))?.length === bytes);
await database.close();
console.log(JSON.stringify({ kept, freed, refusedAgain, isWhole, codes: [...codes] }));
