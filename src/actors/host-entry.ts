// Where a host begins: the task that a thread runs for as long as it lives, of this process or of a child (child-entry.ts).
import { workerData } from 'node:worker_threads';
import { type Endpoint, expose } from 'comlink';
import { importModule, keepCompiled } from '../loading/own-code.js';
import { openParentChannel } from '../processes/parent-channel.js';
import type { Envelope } from './frames.js';
import { Host } from './host.js';
import type { ThreadTask } from './host-port.js';
import { type ChildOrder, ControlLane, type LaneMessage, type ToChild } from './lanes.js';

export type ChildTask = Pick<ChildOrder, 'boardFd'>;

// What the task will load, where it is known before there is a task.
const { moduleHref } = (workerData as { moduleHref?: string } | null) ?? {};
// It is asked for again by what then needs it, which hears of a failure.
if (moduleHref !== undefined) importModule(moduleHref).catch(() => {});

/** Called by Piscina in a child process: one hop from parent to host, without the child's main thread in between. Never returns. */
export function runChildHost({ boardFd }: ChildTask): Promise<never> {
  let host: Host | undefined;
  const lane = new ControlLane((message) => channel.send(message));
  const channel = openParentChannel((received) => {
    const message = received as ToChild;
    if (message.lane === 'mail') host?.receive(message.envelope);
    else if (message.lane === 'control') lane.deliver(message.data);
    else if (message.lane === 'heartbeat') channel.send({ lane: 'heartbeat' } satisfies LaneMessage);
    else {
      const post = (envelope: Envelope): void => channel.send({ lane: 'mail', envelope } satisfies LaneMessage);
      host = new Host(message.setup, { kind: 'file', fd: boardFd }, post);
      expose(host, lane as unknown as Endpoint);
    }
  });
  return new Promise(() => {});
}

/** Called by Piscina. Returns when its mail is closed, after `stop`; else the thread is ended from outside. */
export function runThreadHost({ setup, page, mail, control }: ThreadTask): Promise<void> {
  const host = new Host(setup, page, (envelope) => mail.postMessage(envelope));
  expose(host, control as unknown as Endpoint);
  control.start();
  mail.on('message', (envelope: Envelope) => host.receive(envelope));
  return new Promise((resolve) => {
    mail.once('close', () => {
      control.close();
      keepCompiled();
      resolve();
    });
  });
}
