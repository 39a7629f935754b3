// Starts hosts. A thread host is one long-lived task of a thread (workers/thread.ts); a process host is such a thread in a child
// (child.ts). Both are called over Comlink for control and over a plain port for everything else (frames.ts).
// An old incarnation is waited for until it is really over before the next one opens the same store.
import { MessageChannel, type MessagePort, type ResourceLimits, receiveMessageOnPort } from 'node:worker_threads';
import { type Endpoint, wrap } from 'comlink';
import { limits } from '../contract/limits.js';
import { prepareThread, releaseThread, takeThread } from '../workers/kept-threads.js';
import type { Thread, ThreadStart } from '../workers/thread.js';
import { type BoardPage, BoardReader, createSharedPage } from './board.js';
import { prepareHost, startChildHost } from './child.js';
import type { Envelope } from './frames.js';
import type { ChildTask } from './host-entry.js';
import type { HostControl, HostIncarnation, HostStart, ThreadTask } from './host-port.js';
import type { ChildOrder } from './lanes.js';

export function startHost(start: HostStart): HostIncarnation {
  if (start.setup.isolation === 'thread') return startThreadHost(start);
  const { moduleHref } = start.setup;
  const prepared = start.takeChild?.() ?? prepareHost({ moduleHref, resourceLimits: start.resourceLimits });
  const { endpoint, ...incarnation } = startChildHost(prepared, start);
  return { ...incarnation, control: wrap<HostControl>(endpoint) };
}

function startThreadHost({ setup, resourceLimits, onEnvelope }: HostStart): HostIncarnation {
  const page = createSharedPage();
  const { mail, control, ended, stuck, terminate } = runThread({ setup, resourceLimits, page });
  mail.on('message', onEnvelope);
  void stuck.then(() => {
    mail.unref();
    control.unref();
  });
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
    finish: () => {
      drain(mail, onEnvelope);
      // The task returns when its mail is closed; one that does not is ended.
      mail.close();
      const timer = setTimeout(terminate, limits.hostWorkTimeoutMs);
      void ended.then(() => clearTimeout(timer));
    },
    terminate,
    refuse: terminate,
  };
}

/** A thread that loads what a host of this module will need, for the host that is started next. Returns a function that gives it up. */
export function prepareThreadHost(moduleHref: string, resourceLimits: ResourceLimits = {}): () => void {
  return prepareThread(threadStart({ resourceLimits, run: 'runThreadHost', moduleHref }));
}

interface RunningThread {
  mail: MessagePort;
  control: MessagePort;
  /** Resolves once the thread is gone. */
  ended: Promise<string>;
  stuck: Promise<void>;
  terminate(): void;
}

function runThread({ setup, resourceLimits, page }: Pick<HostStart, 'setup' | 'resourceLimits'> & { page: BoardPage }): RunningThread {
  const start = threadStart({ resourceLimits, run: 'runThreadHost', moduleHref: setup.moduleHref });
  const thread = takeThread(start);
  const mail = new MessageChannel();
  const control = new MessageChannel();
  const task: ThreadTask = { setup, page, mail: mail.port2, control: control.port2 };
  const ended = runToEnd(thread, task, { transferList: [mail.port2, control.port2], start });
  return { mail: mail.port1, control: control.port1, ended, stuck: thread.stuck, terminate: () => void thread.end() };
}

/** The one host of a child process; resolves, with what is known of the reason, once its thread is gone. */
export function runInChild({ moduleHref, resourceLimits, boardFd }: ChildOrder): Promise<string> {
  const start = threadStart({
    resourceLimits: { ...resourceLimits, codeRangeSizeMb: limits.childCodeRangeMb },
    run: 'runChildHost',
    moduleHref,
  });
  return runToEnd(takeThread(start), { boardFd } satisfies ChildTask, { start });
}

async function runToEnd(
  thread: Thread,
  task: object,
  { start, transferList }: { start: ThreadStart; transferList?: MessagePort[] },
): Promise<string> {
  try {
    await thread.run(task, transferList);
  } catch (error) {
    // The task ends as soon as its thread is asked to; the thread itself may still be in native code.
    await thread.end();
    return (error as Error).message;
  }
  await releaseThread(start, thread);
  return 'returned';
}

interface HostThread {
  resourceLimits: ResourceLimits;
  /** The function of host-entry.ts that is its one task, for as long as it lives. */
  run: 'runThreadHost' | 'runChildHost';
  /** What the task will load, to be loaded before there is a task. */
  moduleHref?: string;
}

function threadStart({ moduleHref, ...start }: HostThread): ThreadStart {
  return { entry: new URL('./host-entry.js', import.meta.url), workerData: { moduleHref }, ...start };
}

/** What a thread sent before it ended is in the queue of our side and still true. */
function drain(port: MessagePort, onEnvelope: (envelope: Envelope) => void): void {
  for (let received = receiveMessageOnPort(port); received; received = receiveMessageOnPort(port)) onEnvelope(received.message as Envelope);
}
