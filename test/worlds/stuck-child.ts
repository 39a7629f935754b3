// A process with a thread that V8 cannot interrupt: it says what it did, and ends by itself, or by process.exit where it is asked to.
import { appendFileSync } from 'node:fs';
import { openWorlds } from '../../src/worlds/worlds.js';
import { createMaker } from './maker-kit.js';

const [directory, log, way] = process.argv.slice(2) as [string, string, string];
const say = (text: string): void => appendFileSync(log, `${text}\n`);
process.on('exit', () => say('first listener'));
const worlds = await openWorlds({
  directory,
  layout: 'shared',
  durability: 'committed',
  hosts: 1,
  isolation: 'thread',
  handlerTimeoutMs: 500,
});
const maker = await createMaker(worlds, 'world_000000000001');
await maker.make('stuck', { chars: 2 ** 23 }).catch((error) => say(error.code));
await worlds.close();
say('closed');
// Beyond the moment at which it is given up.
process.on('exit', (code) => say(`last listener ${code}`));
if (way === 'exit') process.exit(3);
process.exitCode = 3;
