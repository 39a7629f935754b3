// One task in a worker, a thread or a process: what it needs is loaded with the first of its kind.
import { errorToFrame, ServiceError } from '../../contract/errors.js';
import type { TaskAnswer } from '../../workers/task-worker.js';
import type { CompileTask } from './compile-tasks.js';
import type { JudgeTask } from './judge-port.js';

export type AnyTask = CompileTask | JudgeTask;

/** `begin` is called once everything is loaded: starting a worker and loading the compiler is no part of the task's time. */
export async function answerTask(task: AnyTask, begin: () => void): Promise<TaskAnswer<unknown>> {
  try {
    return { result: await runTask(task, begin) };
  } catch (error) {
    if (error instanceof ServiceError) return { refusal: errorToFrame(error) };
    return { bug: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

async function runTask(task: AnyTask, begin: () => void): Promise<unknown> {
  if (task.kind === 'judge') {
    const { evaluateExpression } = await import('../../drills/judge/evaluate-expression.js');
    begin();
    return evaluateExpression(task.expression, JSON.parse(task.view));
  }
  const { runCompileTask } = await import('./compile-tasks.js');
  begin();
  return runCompileTask(task);
}
