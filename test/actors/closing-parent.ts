// A process that uses a system and closes it; it must end by itself then.
import { ActorSystem } from '../../src/actors/system.js';
import type { CounterOptions } from './counter-kind.js';

const [directory, isolation] = process.argv.slice(2) as [string, 'thread' | 'process'];
const system = await ActorSystem.start({
  hostModule: new URL('./counter-kind.js', import.meta.url),
  hostOptions: { directory } satisfies CounterOptions,
  hosts: 2,
  isolation,
});
await Promise.all(Array.from({ length: 10 }, (_, index) => system.command(`a-${index}`, { kind: 'add', amount: 1 })));
await system.killHost(0);
await system.place('a-1', 'exclusive');
await system.close();
