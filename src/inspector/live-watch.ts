// While somebody listens: how far the journals of what runs have grown, and the entries themselves for those who follow one.
import { limits } from '../contract/limits.js';
import { clockAfter, type EvidenceEntry } from '../contract/world/evidence.js';
import { type EventHub, messageText } from './event-hub.js';
import type { ArchiveCalls } from './journal/archive-calls.js';
import type { RunQueue } from './run-queue.js';
import { journalHead, linesOf } from './world-pages.js';

export interface WatchParts {
  hub: EventHub;
  queue: RunQueue;
  /** A page of a run or a world; `ends`: its journal does not grow any more. Rejects when there is none. */
  evidence(id: string, fromSequence: number): Promise<ArchiveCalls['evidence']['answer'] & { ends: boolean }>;
}

export class LiveWatch {
  readonly #parts: WatchParts;
  readonly #timer: NodeJS.Timeout;
  readonly #heads = new Map<string, number>();
  /** Lines of transcripts, as published last. */
  readonly #said = new Map<string, number>();
  #looking: Promise<void> | undefined;

  constructor(parts: WatchParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => {
      if (!parts.hub.hasListeners) return;
      this.#looking ??= this.#look().finally(() => {
        this.#looking = undefined;
      });
    }, limits.inspectorWatchMs);
    this.#timer.unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  async #look(): Promise<void> {
    const active = this.#parts.queue.active();
    for (const known of [this.#heads, this.#said])
      for (const runId of known.keys()) if (!active.some((run) => run.runId === runId)) known.delete(runId);
    for (const { runId } of active) {
      this.#listen(runId);
      await this.#measure(runId).catch(() => {});
    }
    await this.#serveFollows();
  }

  #listen(runId: string): void {
    const lines = this.#parts.queue.saidIn(runId).length;
    if (lines === (this.#said.get(runId) ?? 0)) return;
    this.#said.set(runId, lines);
    this.#parts.hub.publish({ type: 'transcript', id: runId, lines });
  }

  async #measure(runId: string): Promise<void> {
    const { queue, hub } = this.#parts;
    const world = queue.worldOf(runId);
    const run = queue.activeRun(runId);
    if (world === undefined || run === undefined) return;
    const before = this.#heads.get(runId) ?? 0;
    const toSequence = await journalHead(world, before);
    if (toSequence === before) return;
    const entry = JSON.parse((await linesOf(world, toSequence, 1)).lines) as EvidenceEntry;
    const virtualTimeUs = clockAfter(run.virtualTimeUs ?? Number.NEGATIVE_INFINITY, entry);
    this.#heads.set(runId, toSequence);
    run.evidenceSequence = toSequence;
    run.virtualTimeUs = virtualTimeUs;
    hub.publish({ type: 'evidence', id: runId, toSequence, virtualTimeUs });
  }

  async #serveFollows(): Promise<void> {
    for (const { follow, send, canTake } of this.#parts.hub.follows()) {
      if (follow.ended === true || !canTake) continue;
      try {
        const { restarts } = follow;
        const page = await this.#parts.evidence(follow.id, follow.nextSequence);
        // Of the journal before a reset.
        if (follow.restarts !== restarts) continue;
        if (page.entries.length > '[]'.length) {
          const { toSequence, nextSequence } = page;
          const entries = Buffer.from(page.entries).toString();
          follow.nextSequence = nextSequence ?? toSequence + 1;
          send(messageText('entries', `{"type":"entries","id":"${follow.id}","entries":${entries},"toSequence":${toSequence}}`));
        } else if (page.ends) follow.ended = true;
      } catch {
        // It is between two places, from running to sealed, or gone: the next look tells.
      }
    }
  }
}
