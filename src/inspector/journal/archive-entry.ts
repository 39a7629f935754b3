// Entry of the archive's thread: questions in, answers out, each in its own time.
import { setImmediate } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import { errorToFrame, ServiceError } from '../../contract/errors.js';
import { Archive } from './archive.js';
import type { FromArchive, ToArchive } from './archive-calls.js';
import type { Pause } from './sealed-run.js';

const archive = new Archive();
const unwanted = new Set<number>();
const running = new Set<number>();
const port = parentPort;
if (port === null) throw new Error('the archive runs in a thread');

port.on('message', ({ id, call }: ToArchive) => {
  if (call !== undefined) void answer(id, call);
  else if (running.has(id)) unwanted.add(id);
});

async function answer(id: number, { method, ask }: NonNullable<ToArchive['call']>): Promise<void> {
  const pause: Pause = async () => {
    await setImmediate();
    if (unwanted.has(id)) throw new ServiceError('control.UNAVAILABLE', { message: 'The question was taken back.' });
  };
  running.add(id);
  let reply: FromArchive;
  try {
    const work = archive.answers[method] as (ask: unknown, pause: Pause) => Promise<unknown>;
    reply = { id, answer: await work(ask, pause) };
  } catch (error) {
    reply = error instanceof ServiceError ? { id, refusal: errorToFrame(error) } : { id, bug: String((error as Error)?.stack ?? error) };
  }
  running.delete(id);
  unwanted.delete(id);
  port?.postMessage(reply);
}
