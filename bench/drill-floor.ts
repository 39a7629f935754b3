// The floor of a drill: what a runner cannot leave out that keeps the agent out of its own thread and its report on the disk. Threads that
// are kept, as many as processors, import the agent again each time; its calls are messages, answered from a Map; and a report of the same
// bytes is written, each file flushed, its folder renamed and flushed. No world, no schemas, no evidence, no verdict.
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, open, rename } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { type Pace, startPace } from './pace.js';

interface FloorInput {
  /** Where the reports go; what is deleted slows down what ext4 creates next, so it is left there. */
  directory: string;
  /** The agent's file. */
  module: string;
  /** The folder of a report whose bytes are written again. */
  report: string;
  drills: number;
  concurrency: number;
}
interface Call {
  id: string;
  text: string;
}

const threadSource = `
  const { parentPort } = require('node:worker_threads');
  let answer;
  const world = { call: (packageId, operationId, input) => new Promise((resolve) => { answer = resolve; parentPort.postMessage({ call: input }); }) };
  parentPort.on('message', async (message) => {
    if (message.outcome !== undefined) return answer(message.outcome);
    await (await import(message.module)).default({}, { world });
    parentPort.postMessage({ done: true });
  });
`;

export async function runFloor({ directory, module, report, drills, concurrency }: FloorInput): Promise<Pace> {
  const files = new Map(readdirSync(report).map((name) => [name, readFileSync(join(report, name))]));
  const threads = Array.from({ length: Math.min(concurrency, availableParallelism()) }, () => new Worker(threadSource, { eval: true }));
  let next = 0;
  const lane = async (thread: Worker): Promise<void> => {
    while (next < drills) {
      const number = next++;
      const state = await playAgent(thread, `${pathToFileURL(module)}?${number}`);
      if (state.size === 0) throw new Error('the agent of the floor called nothing');
      await writeFolder(directory, `${number}`, files);
    }
  };
  await Promise.all(threads.map((thread) => playAgent(thread, pathToFileURL(module).href)));
  const paceOf = startPace();
  await Promise.all(threads.map(lane));
  const pace = paceOf(drills);
  await Promise.all(threads.map((thread) => thread.terminate()));
  return pace;
}

function playAgent(thread: Worker, module: string): Promise<Map<string, Call>> {
  const state = new Map<string, Call>();
  return new Promise((resolve, reject) => {
    const onMessage = ({ call }: { call?: Call }) => {
      if (call === undefined) {
        thread.off('message', onMessage).off('error', reject);
        return resolve(state);
      }
      state.set(call.id, call);
      thread.postMessage({ outcome: { kind: 'ok', value: call } });
    };
    thread.on('message', onMessage).on('error', reject);
    thread.postMessage({ module });
  });
}

async function writeFolder(parent: string, name: string, files: ReadonlyMap<string, Buffer>): Promise<void> {
  const draft = await mkdtemp(join(parent, '.draft-'));
  await Promise.all(
    [...files].map(([file, bytes]) =>
      withOpen(join(draft, file), 'wx', async (handle) => {
        await handle.write(bytes);
        await handle.datasync();
      }),
    ),
  );
  await withOpen(draft, 'r', (handle) => handle.sync());
  await rename(draft, join(parent, name));
  await withOpen(parent, 'r', (handle) => handle.sync());
}

async function withOpen(path: string, flags: string, work: (handle: Awaited<ReturnType<typeof open>>) => Promise<void>): Promise<void> {
  const handle = await open(path, flags);
  try {
    await work(handle);
  } finally {
    await handle.close();
  }
}
