// The main module of a host process. The host itself is a thread of it, so that this thread always hears its parent: it only passes messages on, and
// the process ends with the channel, whatever tool code is doing. The end of the thread is the end of the process: its parent starts another.
import { openParentChannel } from '../processes/parent-channel.js';
import type { LaneMessage, ToChild } from './child.js';
import { prepareThread, type RunningThread, runThread } from './pool.js';

let prepared: { thread: ReturnType<typeof prepareThread>; boardFd: number } | undefined;
let running: RunningThread | undefined;

const channel = openParentChannel((message) => receive(message as ToChild));
const send = (message: LaneMessage): void => channel.send(message);

function receive(message: ToChild): void {
  switch (message.lane) {
    case 'prepare':
      prepared = { thread: prepareThread(message.resourceLimits, message.moduleHref), boardFd: message.boardFd };
      break;
    case 'start':
      running = runThread(prepared!.thread, { setup: message.setup, page: { kind: 'file', fd: prepared!.boardFd } });
      running.mail.on('message', (envelope) => send({ lane: 'mail', envelope }));
      running.control.on('message', (data) => send({ lane: 'control', data }));
      void running.ended.then((detail) => {
        console.error(`the host's thread ended: ${detail}`);
        process.exit(1);
      });
      break;
    case 'mail':
      running!.mail.postMessage(message.envelope);
      break;
    case 'control':
      running!.control.postMessage(message.data);
      break;
    default:
      message satisfies never;
  }
}
