// Where a process of a task pool begins, in a box or not (task-process.ts). The same tasks as in a thread, over a channel of JSON.
import { errorToFrame, ServiceError } from '../../contract/errors.js';
import { limits } from '../../contract/limits.js';
import { openParentChannel, outliveSignals } from '../../processes/parent-channel.js';
import type { TaskAnswer, TaskBegun } from '../../workers/task-worker.js';
import { answerTask } from './task-answer.js';
import { answerToWire, taskFromWire } from './task-wire.js';

outliveSignals();
const channel = openParentChannel(async (message) => {
  const answer = await answerTask(taskFromWire(message), () => channel.send({ begun: true } satisfies TaskBegun));
  try {
    channel.send(answerToWire(answer));
  } catch (error) {
    channel.send(error instanceof RangeError ? tooLarge : { bug: String(error) });
  }
}, limits.taskMessageBytesMax);

const message = `What comes of the source is larger than ${limits.taskMessageBytesMax} bytes.`;
const tooLarge = { refusal: errorToFrame(new ServiceError('control.SOURCE_INVALID', { message, issues: [] })) } satisfies TaskAnswer<never>;
