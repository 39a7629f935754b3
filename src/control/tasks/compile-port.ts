// The compiler in workers of its own (workers/task-pool.ts), shared by all projects in turns: builds, proposals and rows alike.
import type { LibraryPackage } from '../../compiler/library.js';
import type { RowCollection } from '../../compiler/row-checks.js';
import { defined } from '../../contract/defined.js';
import { type Issue, ServiceError } from '../../contract/errors.js';
import { limits } from '../../contract/limits.js';
import type { StateNamespace } from '../../contract/world/tool-manifest.js';
import { TaskLost, TaskPool, type TaskWorkersOptions } from '../../workers/task-pool.js';
import { threadWorkers } from '../../workers/task-thread.js';
import type { ThreadLimits } from '../../workers/task-worker.js';
import type { BuildSummary, CompilePort, CompileReply, CompileRequest, UploadedRows } from '../core/services.js';
import type { CompileResults, CompileTask } from './compile-tasks.js';

/** Where workers are apart, builds are verified by one that compiled none of any project. */
export interface CompileWorkersOptions extends TaskWorkersOptions<CompileTask, CompileResult> {
  timeoutMs?: number;
  heapMb?: number;
  /** Tasks of one project that wait. */
  waitingMax?: number;
}

export const compileLimits: ThreadLimits = {
  heapMb: limits.compileHeapMbMax,
  youngHeapMb: limits.compileYoungHeapMbMax,
  stackMb: limits.compileStackMbMax,
};
export type CompileResult = CompileResults[keyof CompileResults];

/** Whose turn the service's own tasks take. */
const itself = '';
const names = {
  compile: 'Compiling the source',
  verify: 'Verifying the build',
  rows: 'Checking the rows',
  upload: 'Reading the rows',
  library: 'Reading the library',
} as const;

export class CompileWorkers implements CompilePort {
  readonly #pool: TaskPool<CompileTask, CompileResult>;
  #library: Promise<readonly LibraryPackage[]> | undefined;

  constructor({ workers, timeoutMs, heapMb = compileLimits.heapMb, waitingMax, start, apart = false }: CompileWorkersOptions = {}) {
    this.#pool = new TaskPool({
      start: start ?? threadWorkers({ entry: new URL('./task-entry.js', import.meta.url), limits: { ...compileLimits, heapMb } }),
      apart,
      workers: workers ?? limits.compileWorkersMax,
      timeoutMs: timeoutMs ?? limits.compileTimeoutMs,
      waitingMax: { ofParty: waitingMax ?? limits.compileProjectQueueMax, inAll: limits.compileQueueMax },
    });
  }

  compile({ signal, projectId = itself, root, config, choices }: CompileRequest): Promise<CompileReply> {
    const made = async (): Promise<CompileTask & { kind: 'compile' }> => ({
      kind: 'compile',
      root: typeof root === 'string' ? root : await root(),
      ...defined({ config, choices: await choices?.() }),
    });
    return this.#askFor({ kind: 'compile', task: made }, projectId, signal);
  }
  verify(summary: BuildSummary, build: Uint8Array, projectId = itself): Promise<boolean> {
    return this.#ask({ kind: 'verify', summary, build }, projectId);
  }
  checkRows(state: StateNamespace[], collections: RowCollection[], projectId = itself): Promise<Issue[]> {
    return this.#ask({ kind: 'rows', state, collections }, projectId);
  }
  readUpload({ projectId, ...upload }: Parameters<CompilePort['readUpload']>[0]): Promise<UploadedRows> {
    return this.#ask({ kind: 'upload', ...upload }, projectId);
  }
  library(): Promise<readonly LibraryPackage[]> {
    this.#library ??= this.#ask({ kind: 'library' }, itself).catch((error: unknown) => {
      this.#library = undefined;
      throw error;
    });
    return this.#library;
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  #ask<Kind extends CompileTask['kind']>(task: CompileTask & { kind: Kind }, party: string): Promise<CompileResults[Kind]> {
    return this.#askFor({ kind: task.kind, task: () => task }, party);
  }

  async #askFor<Kind extends CompileTask['kind']>(
    { kind, task }: { kind: Kind; task: () => CompileTask | Promise<CompileTask> },
    party: string,
    signal?: AbortSignal,
  ): Promise<CompileResults[Kind]> {
    try {
      const asked = {
        ...{ what: names[kind], party, task },
        ...(kind === 'verify' ? { holder: itself } : {}),
        ...(party === itself ? { timeoutMs: limits.compileOwnTimeoutMs } : {}),
        ...defined({ signal }),
      };
      return (await this.#pool.run(asked)) as CompileResults[Kind];
    } catch (error) {
      if (error instanceof TaskLost && error.why === 'busy')
        throw new ServiceError('control.UNAVAILABLE', { message: error.message, retryAfterMs: limits.unavailableRetryAfterMs });
      if (error instanceof TaskLost && error.why !== 'other')
        throw new ServiceError('control.SOURCE_INVALID', { message: error.message, issues: [] });
      throw error;
    }
  }
}
