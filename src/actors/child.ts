// A process host seen from its parent: the same entry as a thread host, forked, with mail and control as two lanes of one IPC channel.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { BoardReader, createFilePage } from './board.js';
import type { Envelope } from './frames.js';
import type { HostLife, HostSetup, HostStart } from './host-port.js';

/** The first message tells a child what to be. */
export type ToChild = { lane: 'start'; setup: HostSetup; boardFd: number } | LaneMessage;
export type LaneMessage = { lane: 'mail'; envelope: Envelope } | { lane: 'control'; data: unknown };

/** What Comlink asks of a wire. */
export interface ControlEndpoint {
  postMessage(data: unknown): void;
  addEventListener(type: string, listener: (event: { data: unknown }) => void): void;
  removeEventListener(type: string, listener: (event: { data: unknown }) => void): void;
}

/** Position of the board in `stdio`, and so its descriptor in the child. */
const boardFd = 4;

export function forkHost({ setup, resourceLimits, onEnvelope }: HostStart): Omit<HostLife, 'control'> & { endpoint: ControlEndpoint } {
  const page = createFilePage();
  const child = fork(fileURLToPath(new URL('./child-entry.js', import.meta.url)), [], {
    serialization: 'advanced',
    execArgv: heapFlags(resourceLimits),
    // A child writes nothing to the standard output of a command that prints JSON there.
    stdio: ['ignore', 2, 2, 'ipc', page.fd],
  });
  const lane = new ControlLane((message) => {
    if (child.connected) child.send(message);
  });
  child.on('message', (message: LaneMessage) => {
    if (message.lane === 'mail') onEnvelope(message.envelope);
    else lane.deliver(message.data);
  });
  const board = new BoardReader(page);
  try {
    child.send({ lane: 'start', setup, boardFd } satisfies ToChild, () => {});
  } catch (error) {
    child.kill('SIGKILL');
    board.close();
    throw error;
  }
  return {
    post: (envelope) => {
      if (child.connected) child.send({ lane: 'mail', envelope } satisfies ToChild);
    },
    endpoint: lane,
    board,
    ended: new Promise((resolve) => {
      let detail: string | undefined;
      // Exit and the end of the channel come in either order; both must be in, or replies still in the pipe would be lost.
      const settle = (): void => {
        if (detail !== undefined && !child.connected) resolve(detail);
      };
      child.on('exit', (code, signal) => {
        detail = `exited with ${signal ?? code}`;
        settle();
      });
      child.on('disconnect', settle);
      child.on('error', (error) => {
        if (child.pid !== undefined) return;
        detail = error.message;
        resolve(detail);
      });
    }),
    terminate: () => void child.kill('SIGKILL'),
  };
}

/** One lane of an IPC channel, as Comlink wants a wire to look. Used on both sides. */
export class ControlLane implements ControlEndpoint {
  readonly #listeners = new Set<(event: { data: unknown }) => void>();
  readonly #send: (message: LaneMessage) => void;

  constructor(send: (message: LaneMessage) => void) {
    this.#send = send;
  }
  postMessage(data: unknown): void {
    this.#send({ lane: 'control', data });
  }
  addEventListener(_type: string, listener: (event: { data: unknown }) => void): void {
    this.#listeners.add(listener);
  }
  removeEventListener(_type: string, listener: (event: { data: unknown }) => void): void {
    this.#listeners.delete(listener);
  }
  deliver(data: unknown): void {
    for (const listener of this.#listeners) listener({ data });
  }
}

function heapFlags({ maxOldGenerationSizeMb, maxYoungGenerationSizeMb, stackSizeMb }: HostStart['resourceLimits']): string[] {
  return [
    ...(maxOldGenerationSizeMb === undefined ? [] : [`--max-old-space-size=${maxOldGenerationSizeMb}`]),
    ...(maxYoungGenerationSizeMb === undefined ? [] : [`--max-semi-space-size=${Math.max(1, Math.floor(maxYoungGenerationSizeMb / 3))}`]),
    ...(stackSizeMb === undefined ? [] : [`--stack-size=${Math.floor(stackSizeMb * 1024)}`]),
  ];
}
