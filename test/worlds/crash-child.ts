// The process that crash.test.ts kills: it works on one world and says each acknowledged turn on standard output, a JSON line each.
//   node crash-child.js <directory> <build.json> <layout> <first>
import { readFileSync, writeSync } from 'node:fs';
import type { CompiledBuild } from '../../src/contract/run/build.js';
import type { WorldRef } from '../../src/worlds/api.js';
import { openWorlds } from '../../src/worlds/worlds.js';
import { crashWorldId, openOrCreate, turnOf } from './crash-turns.js';

const [directory, buildFile, layout, first] = process.argv.slice(2) as [string, string, 'run' | 'shared', string];
const build = JSON.parse(readFileSync(buildFile, 'utf8')) as CompiledBuild;
const worlds = await openWorlds({ directory, layout, durability: 'committed', hosts: 1, isolation: 'thread' });
const world: WorldRef = await openOrCreate(worlds, build, crashWorldId);

// Several turns are in flight at a time, so that a kill finds the host in the midst of a group.
for (let index = Number(first); ; index += 4) {
  await Promise.all(
    [0, 1, 2, 3].map(async (offset) => {
      const turn = turnOf(index + offset);
      const answer = await world.command(turn);
      writeSync(1, `${JSON.stringify({ index: index + offset, answer })}\n`);
    }),
  );
}
