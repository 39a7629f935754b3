// Changes a database over and over, one commit after the other: the process that database.test.ts looks on at.
//   node database-writer.js <directory> <rounds>
import { openDatabase } from '../../src/files/database.js';

const [directory, rounds] = process.argv.slice(2) as [string, string];
const database = openDatabase({ directory, flushed: false });
for (let round = 0; round < Number(rounds); round++) {
  const key = Buffer.from(`key-${String(round % 2_000).padStart(6, '0')}`);
  database.transactionSync(() => database.putSync(key, Buffer.alloc((round % 7) * 1_000 + 1, round & 255)));
}
await database.close();
