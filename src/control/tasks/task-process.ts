// Workers of a task pool that are processes, plain or in boxes. One in a box reads the runtime, the library that ships, and a folder of its
// own (its slot) into which the source of a task is moved for as long as the task takes; it writes nothing but its own /tmp, and there is
// no network.
//   TASK-PROCESS-1. A slot holds the source of one task at a time, and goes with its worker.
import { cpSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { libraryFolder } from '../../compiler/shipped.js';
import { limits } from '../../contract/limits.js';
import { mebibyte } from '../../contract/units.js';
import { makeFolder } from '../../files/make-folder.js';
import { type Child, spawnChild } from '../../processes/spawn-child.js';
import type { StartTaskWorker, TaskAnswer, TaskLoss, ThreadLimits } from '../../workers/task-worker.js';
import type { AnyTask } from './task-answer.js';
import { answerFromWire, taskToWire } from './task-wire.js';

export interface TaskBoxes {
  /** Made at need, and emptied first: what an earlier incarnation left there. On the file system of `work`. */
  slots: string;
  /** Source that lies directly in here is moved into the slot, and back; other source is copied. */
  work: string;
}

/** Where a box sees its slot. */
const inside = '/source';

export interface ProcessWorkers {
  limits: ThreadLimits;
  /** Absent: plain processes. */
  boxes?: TaskBoxes | undefined;
  /** The module that they run. Default: task-process-entry.ts. */
  entry?: URL;
}

/** Who starts them ends them: they keep this process alive. */
export function processWorkers<Task extends AnyTask, Result>(options: ProcessWorkers): StartTaskWorker<Task, Result> {
  const { limits: own, boxes, entry = new URL('./task-process-entry.js', import.meta.url) } = options;
  if (boxes !== undefined) rmSync(boxes.slots, { recursive: true, force: true });
  return ({ onBegun, onAnswer, onLost }) => {
    const slot = boxes === undefined ? undefined : new Slot(boxes);
    let asked: Task['kind'] | undefined;
    let hasBegun = false;
    let yieldTimer: NodeJS.Timeout | undefined;
    // Most tasks are short, and calls of agents go first; one that lasts gets its share.
    const yieldFor = (ms: number): void => {
      clearTimeout(yieldTimer);
      child.setYielding(true);
      yieldTimer = setTimeout(() => child.setYielding(false), ms).unref();
    };
    const child: Child = spawnChild({
      entry,
      flags: flagsOf(own),
      bounds: boundsOf(own),
      messageBytesMax: limits.taskMessageBytesMax,
      ...(slot === undefined ? {} : { box: { folders: slot.folders } }),
      onMessage: (message) => {
        if (isBegun(message) && asked !== undefined && !hasBegun) {
          hasBegun = true;
          onBegun();
          return;
        }
        const answer = asked === undefined ? undefined : answerFromWire(asked, message);
        if (answer === undefined) {
          child.refuse('it sent what is no answer to its task');
          return;
        }
        asked = undefined;
        clearTimeout(yieldTimer);
        slot?.release();
        onAnswer(answer as TaskAnswer<Result>);
      },
    });
    child.setYielding(true);
    const ended = child.ended.then(async (detail) => {
      clearTimeout(yieldTimer);
      onLost(lossOf(detail), new Error(`a worker process ended: ${detail}`));
      await slot?.remove();
    });
    return {
      post: (task) => {
        asked = task.kind;
        hasBegun = false;
        yieldFor(limits.taskYieldMs);
        child.send(taskToWire(task.kind === 'compile' && slot !== undefined ? { ...task, root: slot.take(task.root) } : task));
      },
      waitedMs: () => child.processorTime()?.waitedMs ?? 0,
      end: async () => {
        child.kill();
        await ended;
      },
    };
  };
}

class Slot {
  readonly #work: string;
  readonly #folder: string;
  #held: string | undefined;

  constructor({ slots, work }: TaskBoxes) {
    makeFolder(slots);
    this.#work = work;
    this.#folder = mkdtempSync(join(slots, 'slot-'));
  }

  get folders() {
    const library = libraryFolder();
    return [
      { outside: this.#folder, inside, writable: false },
      { outside: library, inside: library, writable: false },
    ];
  }

  /** Where the worker sees it. */
  take(root: string): string {
    const place = join(this.#folder, 'root');
    if (dirname(root) === this.#work) {
      renameSync(root, place);
      this.#held = root;
    } else {
      copySource(root, place);
    }
    return join(inside, 'root');
  }

  release(): void {
    const place = join(this.#folder, 'root');
    if (this.#held === undefined) rmSync(place, { recursive: true, force: true });
    else renameSync(place, this.#held);
    this.#held = undefined;
  }

  remove(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true });
  }
}

/** Of what a person keeps beside the source, reports and worlds of runs or installed packages, no compile in a box reads anything. */
function copySource(root: string, place: string): void {
  const isSource = (path: string): boolean =>
    relative(root, path)
      .split(sep)
      .every((name) => !name.startsWith('.') && name !== 'node_modules');
  cpSync(root, place, { recursive: true, verbatimSymlinks: true, filter: isSource });
}

function flagsOf({ heapMb, youngHeapMb, stackMb }: ThreadLimits): string[] {
  // V8 reckons the young generation as three semi-spaces.
  const semiSpaceMb = Math.max(1, Math.floor(youngHeapMb / 3));
  return [`--max-old-space-size=${heapMb}`, `--max-semi-space-size=${semiSpaceMb}`, `--stack-size=${stackMb * 1000}`];
}

const boundsOf = ({ heapMb, youngHeapMb }: ThreadLimits) => ({
  memoryBytesMax: (heapMb + youngHeapMb) * mebibyte + limits.taskBesideHeapBytesMax,
  cpuPercentMax: limits.taskCpuPercentMax,
  cpuWeight: limits.taskCpuWeight,
  processesMax: limits.taskProcessesMax,
});

/** V8 ends its process by a signal when it has no memory left, and so does the kernel; bubblewrap tells a signal as 128 and its number. */
function lossOf(detail: string): TaskLoss {
  return /^exited with (?:SIG(?:ABRT|TRAP|ILL|KILL)|1(?:32|33|34|37))$/.test(detail) ? 'memory' : 'other';
}

function isBegun(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'begun' in message;
}
