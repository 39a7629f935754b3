// Where a host begins: the task that a thread runs for as long as it lives, of this process or of a child (child-entry.ts).
import { workerData } from 'node:worker_threads';
import { type Endpoint, expose } from 'comlink';
import type { Envelope } from './frames.js';
import { Host } from './host.js';
import type { ThreadTask } from './host-port.js';

// What the task will load, where it is known before there is a task.
const { moduleHref } = (workerData as { moduleHref?: string } | null) ?? {};
if (moduleHref !== undefined) await import(moduleHref);

/** Called by Piscina. Never returns: the thread is ended from outside, after `stop` or at once. */
export function runThreadHost({ setup, page, mail, control }: ThreadTask): Promise<never> {
  const host = new Host(setup, page, (envelope) => mail.postMessage(envelope));
  expose(host, control as unknown as Endpoint);
  control.start();
  mail.on('message', (envelope: Envelope) => host.receive(envelope));
  return new Promise(() => {});
}
