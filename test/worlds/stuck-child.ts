// A process with a thread that V8 cannot interrupt: it says what it did, and ends by itself, or by process.exit where it is asked to.
import { appendFileSync, mkdirSync } from 'node:fs';
import { openWorlds } from '../../src/worlds/worlds.js';
import { openSystem } from '../actors/open-system.js';
import { createMaker } from './maker-kit.js';

const [directory, log, what, way] = process.argv.slice(2) as [string, string, 'tool' | 'wait', 'end' | 'exit'];
const say = (text: string): void => appendFileSync(log, `${text}\n`);
const handlerTimeoutMs = 500;
process.on('exit', () => say('first listener'));
await (what === 'tool' ? callTool() : waitInKernel());
say('closed');
// Beyond the moment at which it is given up.
process.on('exit', (code) => say(`last listener ${code}`));
if (way === 'exit') process.exit(3);
process.exitCode = 3;

/** Tool code in a function of V8, which takes a processor for as long as it lasts. */
async function callTool(): Promise<void> {
  const worlds = await openWorlds({
    directory,
    layout: 'shared',
    durability: 'committed',
    hosts: 1,
    isolation: 'thread',
    handlerTimeoutMs,
  });
  const maker = await createMaker(worlds, 'world_000000000001');
  await maker.make('stuck', { chars: 2 ** 23 }).catch((error) => say(error.code));
  await worlds.close();
}

/** The same for who ends the thread, and takes no processor. */
async function waitInKernel(): Promise<void> {
  mkdirSync(directory);
  const { system, command } = await openSystem({ isolation: 'thread', directory, handlerTimeoutMs });
  await command('a', { kind: 'stayNative' }).catch((error) => say(error.code));
  await system.close();
}
