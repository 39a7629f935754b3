// Whether the service can take work, asked by /readyz.
//   HEALTH-1. What a project's tool code does to its own hosts is no reason: only hosts that do not come up at all are.
//   HEALTH-2. Requests cause at most one write to the catalog in limits.healthProbeMs, so a catalog that nobody writes to is known to
//     take writes.
//   HEALTH-3. On a full disk nothing is written to find out: it would take what is kept for work that frees space.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { within } from '../async/deadline.js';
import type { NotReadyReason } from '../contract/hosted/readiness.js';
import { limits } from '../contract/limits.js';
import type { Catalog } from './catalog/catalog.js';
import { defineTable } from './catalog/tables.js';
import type { Disk } from './core/services.js';

/** Written to see whether the catalog takes writes. */
export const probeTable = defineTable<{ name: 'probe'; count: number }>({ name: 'probe', idOf: ({ name }) => name, indexes: {} });

export interface LoopLag {
  /** Of the last whole window, in milliseconds. */
  readonly lagMs: number;
  stop(): void;
}
export interface HealthParts {
  catalog: Pick<Catalog, 'change' | 'health'>;
  disk: Pick<Disk, 'refusal'>;
  /** Default: that of this process. */
  loop?: LoopLag;
  /** Milliseconds of a clock that only rises. */
  elapsedMs?: () => number;
}

export class Health {
  readonly #catalog: HealthParts['catalog'];
  readonly #disk: HealthParts['disk'];
  readonly #loop: LoopLag;
  readonly #elapsedMs: () => number;
  #probe: Promise<void> | undefined;
  #probedMs = Number.NEGATIVE_INFINITY;
  #hostsFailedMs = Number.NEGATIVE_INFINITY;

  constructor({ catalog, disk, loop = watchLoop(), elapsedMs = () => performance.now() }: HealthParts) {
    this.#catalog = catalog;
    this.#disk = disk;
    this.#loop = loop;
    this.#elapsedMs = elapsedMs;
  }

  /** After each start of a project's hosts. */
  hostsStarted({ failed }: { failed: boolean }): void {
    this.#hostsFailedMs = failed ? this.#elapsedMs() : Number.NEGATIVE_INFINITY;
  }

  /** Empty when it can take work. Waits no longer than limits.commitLagMsMax. */
  async reasons(): Promise<NotReadyReason[]> {
    const isFull = this.#disk.refusal() !== undefined;
    if (!isFull) await this.#look();
    const { refuses, lagMs } = this.#catalog.health;
    const nowMs = this.#elapsedMs();
    const found: { [Reason in NotReadyReason]?: boolean } = {
      disk_full: isFull || refuses === 'disk_full',
      catalog_refuses: refuses === 'catalog_refuses',
      commit_lag: lagMs >= limits.commitLagMsMax,
      hosts_cannot_start: nowMs - this.#hostsFailedMs < limits.hostsTroubledMs,
      event_loop_lag: this.#loop.lagMs > limits.eventLoopLagMsMax,
    };
    return (Object.keys(found) as NotReadyReason[]).filter((reason) => found[reason] === true);
  }

  stop(): void {
    this.#loop.stop();
  }

  /** Resolves when the catalog took a write or refused it, or has taken too long. */
  async #look(): Promise<void> {
    const nowMs = this.#elapsedMs();
    const { refuses } = this.#catalog.health;
    const everyMs = refuses === undefined ? limits.healthProbeMs : limits.healthProbeAgainMs;
    if (this.#probe === undefined && nowMs - this.#probedMs < everyMs) return;
    this.#probedMs = nowMs;
    this.#probe ??= this.#catalog
      .change((tx) => tx.put(probeTable, { name: 'probe', count: (tx.get(probeTable, 'probe')?.count ?? 0) + 1 }))
      // Why it failed is what `health` tells.
      .catch(() => {})
      .finally(() => {
        this.#probe = undefined;
      });
    await within(limits.commitLagMsMax, this.#probe);
  }
}

/** One long pause is no reason: the lag is what a share of a window's steps exceeds. */
function watchLoop(): LoopLag {
  const resolution = limits.eventLoopSampleMs;
  const histogram = monitorEventLoopDelay({ resolution });
  histogram.enable();
  let lagMs = 0;
  const timer = setInterval(() => {
    lagMs = Math.max(0, histogram.percentile(99) / 1e6 - resolution);
    histogram.reset();
  }, limits.eventLoopWindowMs).unref();
  return {
    get lagMs() {
      return lagMs;
    },
    stop: () => {
      clearInterval(timer);
      histogram.disable();
    },
  };
}
