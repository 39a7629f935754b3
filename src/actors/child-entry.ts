// The main module of a host process. The host is a thread of it, which speaks with the parent itself; so this thread always hears that the
// parent has gone, whatever tool code is doing, and ends the process. The end of the thread is the end of the process: the parent starts
// another.
import { outliveSignals } from '../processes/parent-channel.js';
import type { ChildOrder } from './lanes.js';
import { runInChild } from './pool.js';

outliveSignals();
process.stdin.on('error', () => {});
process.stdin.on('close', () => process.exit()).resume();
void runInChild(JSON.parse(process.argv[2] as string) as ChildOrder).then((detail) => {
  console.error(`the host's thread ended: ${detail}`);
  process.exit(1);
});
