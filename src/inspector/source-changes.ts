// The repository watched: a change is compiled at once, and those who listen hear which files it was and which drills it concerns.
//   SOURCE-CHANGES-1. A drill is concerned when what its result follows from is another than before (drills/attempt/drill-inputs.ts).
//   SOURCE-CHANGES-2. While a drill runs nothing is compiled: the change is taken up when it has ended.
import { relative, resolve, sep } from 'node:path';
import { pause } from '../async/pause.js';
import type { CompiledBuild } from '../contract/run/build.js';
import type { Binding } from '../contract/run/target.js';
import { drillInputs } from '../drills/attempt/drill-inputs.js';
import { planRun, refuseTarget } from '../drills/plan/plan.js';
import { SourceWatch, type SourceWatchOptions } from '../files/source-watch.js';
import type { EventHub } from './event-hub.js';
import type { ProjectSource } from './project-source.js';
import type { RunQueue } from './run-queue.js';
import { tuning } from './tuning.js';

export interface SourceChangesParts {
  watch: SourceWatchOptions;
  project: ProjectSource;
  queue: Pick<RunQueue, 'isBusy'>;
  hub: EventHub;
  bindings: ReadonlySet<Binding>;
  hasAgent: boolean;
}

export class SourceChanges {
  readonly #parts: SourceChangesParts;
  readonly #closing = new AbortController();
  readonly #following: Promise<void>;
  /** By drill id, as of the last source that compiled. */
  #inputs: ReadonlyMap<string, string> = new Map();

  constructor(parts: SourceChangesParts) {
    this.#parts = parts;
    // A repository that cannot be watched can still be inspected.
    this.#following = this.#follow().catch(() => {});
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#following;
  }

  async #follow(): Promise<void> {
    const { watch: options } = this.#parts;
    const { signal } = this.#closing;
    // Before it is watched: what changes meanwhile is another source than this.
    this.#inputs = (await this.#measured()) ?? this.#inputs;
    const watch = await SourceWatch.open(options);
    try {
      while (!signal.aborted) {
        const changed = await watch.changes(signal);
        while (this.#parts.queue.isBusy && !signal.aborted) await pause(tuning.busyLookMs, signal);
        if (signal.aborted) return;
        await this.#takeUp(changed);
        watch.followPackages();
      }
    } finally {
      await watch.close();
    }
  }

  async #takeUp(changed: readonly string[]): Promise<void> {
    const { project, hub, watch } = this.#parts;
    await project.refresh();
    const inputs = await this.#measured();
    const drills = inputs === undefined ? [] : [...inputs].filter(([id, digest]) => this.#inputs.get(id) !== digest).map(([id]) => id);
    if (inputs !== undefined) this.#inputs = inputs;
    const files = changed.map((path) => relative(resolve(watch.root), path).split(sep).join('/')).sort();
    hub.publish({ type: 'source', files: files.slice(0, tuning.changedFilesShown), drills: drills.sort() });
  }

  /** Undefined while the source does not compile. */
  async #measured(): Promise<ReadonlyMap<string, string> | undefined> {
    const { project, watch, bindings, hasAgent } = this.#parts;
    if (!project.compiles) return undefined;
    const build = project.build();
    const drills = runnable(build, bindings, hasAgent);
    if (drills.length === 0) return new Map();
    return drillInputs(build, planRun(build, { drills }, bindings), resolve(watch.root));
  }
}

function runnable({ drills, targets }: CompiledBuild, bindings: ReadonlySet<Binding>, hasAgent: boolean): string[] {
  const refused = new Set(targets.filter((target) => refuseTarget(target, bindings, hasAgent) !== undefined).map(({ id }) => id));
  return drills.filter(({ drill }) => drill.skip === undefined && !refused.has(drill.targetId)).map(({ drill }) => drill.id);
}
