// A process with one host process, for a test that kills it: prints the host's pid once the host is in the middle of the command it is
// given.
import { ActorSystem } from '../../src/actors/system.js';
import type { CounterOptions, CounterReply } from './counter-kind.js';

const [directory, command] = process.argv.slice(2) as [string, string];
const system = await ActorSystem.start({
  hostModule: new URL('./counter-kind.js', import.meta.url),
  hostOptions: { directory } satisfies CounterOptions,
  hosts: 1,
  isolation: 'process',
});
const { pid } = (await system.control(0, { kind: 'echo', value: null })) as CounterReply;
void system.command('a', JSON.parse(command));
await new Promise((resolve) => setImmediate(resolve));
process.stdout.write(`${pid}\n`);
