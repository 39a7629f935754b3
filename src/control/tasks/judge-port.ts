// Expressions of hosted runs are judged in workers of their own (workers/task-pool.ts), shared by all projects in turns: one may take most
// of a second, and this thread has others to answer meanwhile.
import { retry } from '../../async/retry.js';
import { limits } from '../../contract/limits.js';
import type { ExpressionFinding, ExpressionJudge } from '../../drills/judge/evaluate-expression.js';
import { TaskLost, TaskPool, type TaskWorkersOptions } from '../../workers/task-pool.js';
import { threadWorkers } from '../../workers/task-thread.js';
import type { ThreadLimits } from '../../workers/task-worker.js';

export interface JudgeTask {
  kind: 'judge';
  expression: string;
  /** As JSON. */
  view: string;
}
export type JudgeWorkersOptions = TaskWorkersOptions<JudgeTask, ExpressionFinding>;

export const judgeLimits: ThreadLimits = {
  heapMb: limits.judgeHeapMbMax,
  youngHeapMb: limits.compileYoungHeapMbMax,
  stackMb: limits.compileStackMbMax,
};

export class JudgeWorkers {
  readonly #pool: TaskPool<JudgeTask, ExpressionFinding>;

  constructor({ workers, start, apart = false }: JudgeWorkersOptions = {}) {
    const { judgeQueueMax } = limits;
    this.#pool = new TaskPool({
      start: start ?? threadWorkers({ entry: new URL('./task-entry.js', import.meta.url), limits: judgeLimits }),
      apart,
      workers: workers ?? limits.judgeWorkersMax,
      timeoutMs: limits.judgeTimeoutMs,
      // Each run asks for one at a time, so there are never more than runs.
      waitingMax: { ofParty: judgeQueueMax, inAll: judgeQueueMax },
    });
  }

  /** For one run: its expressions one after the other, in the turns of its project. */
  judgeFor(projectId: string): ExpressionJudge {
    let last: Promise<unknown> = Promise.resolve();
    return (expression, view) => {
      const judged = last.then(() => this.#judge({ expression, party: projectId, text: () => view.text() }));
      last = judged.catch(() => {});
      return judged;
    };
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  /** A worker that was lost says nothing of the expression, whose steps are counted: another one is asked. */
  async #judge({ expression, party, text }: { expression: string; party: string; text: () => string }): Promise<ExpressionFinding> {
    return await retry({ attemptsMax: limits.judgeTriesMax, isRetryable: (error) => error instanceof TaskLost }, () =>
      this.#pool.run({ what: 'Judging an expression', party, task: () => ({ kind: 'judge', expression, view: text() }) }),
    );
  }
}
