// Works on a world until it is refused, then says what it was reported: the process that disk-full.test.ts starts on a small file system.
//   node disk-full-child.js <directory> <build.json>
import { readFileSync, writeSync } from 'node:fs';
import { ServiceError } from '../../src/contract/errors.js';
import { openWorlds } from '../../src/worlds/worlds.js';
import { crashWorldId, openOrCreate } from './crash-turns.js';

const [directory, buildFile] = process.argv.slice(2) as [string, string];
const worlds = await openWorlds({ directory, layout: 'run', durability: 'committed', hosts: 1, isolation: 'thread' });
const world = await openOrCreate(worlds, JSON.parse(readFileSync(buildFile, 'utf8')), crashWorldId);
let refused = '';
for (let index = 0; index < 100_000 && refused === ''; index++) {
  try {
    const filler = `row-${index}-${'x'.repeat(400)}`;
    const answer = await world.command({
      kind: 'call',
      actorId: 'operator',
      packageId: 'counter',
      operationId: 'add',
      arguments: { counter: filler, amount: 1 },
    });
    writeSync(1, `${JSON.stringify({ sequence: answer.sequence, callId: answer.callId })}\n`);
  } catch (error) {
    refused = error instanceof ServiceError ? error.code : String(error);
  }
}
writeSync(1, `${JSON.stringify({ refused })}\n`);
await worlds.close().catch(() => undefined);
process.exit(0);
