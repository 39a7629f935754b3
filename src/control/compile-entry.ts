// Where a compile worker begins: a thread that takes one task after the other (compile-port.ts sends the next when it has an answer).
import { parentPort } from 'node:worker_threads';
import { errorToFrame, ServiceError } from '../contract/errors.js';
import { type CompileAnswer, type CompileTask, runCompileTask } from './compile-tasks.js';

parentPort?.on('message', async (task: CompileTask) => parentPort?.postMessage(await answerOf(task)));

async function answerOf(task: CompileTask): Promise<CompileAnswer> {
  try {
    return { result: await runCompileTask(task) };
  } catch (error) {
    if (error instanceof ServiceError) return { refusal: errorToFrame(error) };
    return { bug: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
