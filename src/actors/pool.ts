// Starts hosts. A thread host is one long-lived task of a Piscina pool of one thread; a process host is such a thread in a child
// (child.ts). Both are called over Comlink for control and over a plain port for everything else (frames.ts).
//
// Why a pool a host and not one pool for all: its one thread is known from the start, so an old incarnation is waited for until it is
// really over before the next one opens the same store, and no other thread hears of it. With one pool, aborting a task starts the
// replacement while the old thread may still be running, and does not tell which thread it was. Measured, 2 cores: ending a thread inside
// `for (;;)` takes 4 ms, its replacement answers after 30-37 ms either way; four threads start in 72 ms as four pools and 62 ms as one,
// with the same memory.

import { fileURLToPath } from 'node:url';
import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { type Endpoint, wrap } from 'comlink';
import { Piscina } from 'piscina';
import { type BoardPage, BoardReader, createSharedPage } from './board.js';
import { prepareHost, startChildHost } from './child.js';
import type { Envelope } from './frames.js';
import type { ChildTask } from './host-entry.js';
import type { HostControl, HostIncarnation, HostStart, ThreadTask } from './host-port.js';
import type { ChildOrder } from './lanes.js';

export function startHost(start: HostStart): HostIncarnation {
  if (start.setup.isolation === 'thread') return startThread(start);
  const { moduleHref } = start.setup;
  const prepared = start.takeChild?.() ?? prepareHost({ moduleHref, resourceLimits: start.resourceLimits });
  const { endpoint, ...incarnation } = startChildHost(prepared, start);
  return { ...incarnation, control: wrap<HostControl>(endpoint) };
}

function startThread({ setup, resourceLimits, onEnvelope }: HostStart): HostIncarnation {
  const page = createSharedPage();
  const { mail, control, ended, terminate } = runThread({ setup, resourceLimits, page });
  mail.on('message', onEnvelope);
  return {
    post: (envelope) => mail.postMessage(envelope),
    control: wrap<HostControl>(control as unknown as Endpoint),
    board: new BoardReader(page),
    ended: ended.then((detail) => {
      drain(mail, onEnvelope);
      mail.close();
      control.close();
      return detail;
    }),
    terminate,
    refuse: terminate,
  };
}

interface RunningThread {
  mail: MessagePort;
  control: MessagePort;
  /** Resolves once the thread is gone. */
  ended: Promise<string>;
  terminate(): void;
}

function runThread({ setup, resourceLimits, page }: Pick<HostStart, 'setup' | 'resourceLimits'> & { page: BoardPage }): RunningThread {
  const pool = poolOfOne({ resourceLimits, name: 'runThreadHost' });
  const mail = new MessageChannel();
  const control = new MessageChannel();
  const task: ThreadTask = { setup, page, mail: mail.port2, control: control.port2 };
  const ended = runToEnd(pool, task, [mail.port2, control.port2]);
  return { mail: mail.port1, control: control.port1, ended, terminate: () => void pool.destroy() };
}

/** The one host of a child process; resolves, with what is known of the reason, once its thread is gone. */
export function runInChild({ moduleHref, resourceLimits, boardFd }: ChildOrder): Promise<string> {
  return runToEnd(poolOfOne({ resourceLimits, name: 'runChildHost', moduleHref }), { boardFd } satisfies ChildTask);
}

async function runToEnd(pool: Piscina, task: object, transferList: MessagePort[] = []): Promise<string> {
  const exited = new Promise<void>((resolve) => pool.threads[0]!.once('exit', () => resolve()));
  const detail = await pool.run(task, { transferList }).then(
    () => 'returned',
    (error: Error) => error.message,
  );
  // The task ends as soon as its thread is asked to; the thread itself may still be in native code.
  await Promise.all([pool.destroy(), exited]);
  return detail;
}

interface PoolOfOne {
  resourceLimits: HostStart['resourceLimits'];
  /** Of the function that runs; host-entry.ts has them. */
  name: 'runThreadHost' | 'runChildHost';
  /** What the task will load, to be loaded before there is a task. */
  moduleHref?: string;
}

function poolOfOne({ resourceLimits, name, moduleHref }: PoolOfOne): Piscina {
  const pool = new Piscina({
    filename: fileURLToPath(new URL('./host-entry.js', import.meta.url)),
    name,
    minThreads: 1,
    maxThreads: 1,
    idleTimeout: 0,
    maxQueue: 1,
    concurrentTasksPerWorker: 1,
    // The one task lasts as long as its thread: there is no next one to be woken for.
    atomics: 'disabled',
    resourceLimits,
    argv: [],
    execArgv: [],
    workerData: { moduleHref },
    niceIncrement: 0,
    trackUnmanagedFds: true,
    closeTimeout: 0,
    recordTiming: false,
    stricterFIFO: false,
    workerHistogram: false,
  });
  // What goes wrong in the thread also ends the task; between tasks there is nothing to lose.
  pool.on('error', () => {});
  return pool;
}

/** What a thread sent before it ended is in the queue of our side and still true. */
function drain(port: MessagePort, onEnvelope: (envelope: Envelope) => void): void {
  for (let received = receiveMessageOnPort(port); received; received = receiveMessageOnPort(port)) onEnvelope(received.message as Envelope);
}
