// The main module of a host process. It lives as long as its parent: no signal meant for a whole process group ends it before the parent has
// finished with it, and nothing keeps it once the parent is gone.
import { Worker } from 'node:worker_threads';
import { ControlLane, type LaneMessage, type ToChild } from './child.js';
import type { Host } from './host.js';
import { runHost } from './host-entry.js';

let host: Host | undefined;
const send = (message: LaneMessage): void => {
  if (process.connected) process.send!(message, undefined, undefined, leaveIfCutOff);
};
const control = new ControlLane(send);
function leaveIfCutOff(error: Error | null): void {
  if (error) process.exit();
}

process.on('message', (message: ToChild) => {
  switch (message.lane) {
    case 'start':
      host = runHost({
        setup: message.setup,
        page: { kind: 'file', fd: message.boardFd },
        post: (envelope) => send({ lane: 'mail', envelope }),
        control,
      });
      break;
    case 'mail':
      host!.receive(message.envelope);
      break;
    case 'control':
      control.deliver(message.data);
      break;
    default:
      message satisfies never;
  }
});
process.on('disconnect', () => process.exit());
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

// `disconnect` is never heard by a loop that tool code holds for ever, so a thread of its own looks after the parent.
new Worker(new URL('./orphan-guard.js', import.meta.url), {
  workerData: process.ppid,
  resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 },
}).unref();
