// Where a host begins: the task a thread runs for as long as it lives, and what a child process (child-entry.ts) runs.
import { type Endpoint, expose } from 'comlink';
import type { BoardPage } from './board.js';
import type { ControlEndpoint } from './child.js';
import type { Envelope } from './frames.js';
import { Host } from './host.js';
import type { HostSetup, ThreadTask } from './host-port.js';

/** Called by Piscina. Never returns: the thread is ended from outside, after `stop` or at once. */
export function runThreadHost({ setup, page, mail, control }: ThreadTask): Promise<never> {
  const host = runHost({ setup, page, post: (envelope) => mail.postMessage(envelope), control: control as unknown as Endpoint });
  mail.on('message', (envelope: Envelope) => host.receive(envelope));
  return new Promise(() => {});
}

export interface HostWires {
  setup: HostSetup;
  page: BoardPage;
  post(envelope: Envelope): void;
  control: Endpoint | ControlEndpoint;
}
export function runHost({ setup, page, post, control }: HostWires): Host {
  const host = new Host(setup, page, post);
  expose(host, control as Endpoint);
  (control as Endpoint).start?.();
  return host;
}
