// Writes starts of operations to the disk, and uncounts those that came to nothing; operation-starts.ts has what each means for a record.
// Owns the starts on their way to the disk. Does not own what is started, nor when (operation-engine.ts).
import type { OperationKind } from '../../contract/hosted/operation.js';
import type { Catalog } from '../catalog/catalog.js';
import { tuning } from '../tuning.js';
import { operationTable } from './operation-records.js';
import { type Begun, type CountedStart, countStart, giveStartBack, noteRunning } from './operation-starts.js';
import type { OperationRecord } from './operations.js';
import type { ControlLog } from './services.js';

export interface StartWriterParts {
  catalog: Catalog;
  nowMs(): number;
  log: ControlLog;
  startsMaxOf(kind: OperationKind): number;
  /** Whether operations may start. */
  isOpen(): boolean;
  /** Whether nothing more is written in this incarnation. */
  isOver(): boolean;
  /** Longer for more tries; over at once when this incarnation is. */
  wait(tries: number): Promise<void>;
}

export class StartWriter {
  readonly #parts: StartWriterParts;
  readonly #beginning = new Set<Promise<unknown>>();

  constructor(parts: StartWriterParts) {
    this.#parts = parts;
  }

  /** Resolves when one more start is on the disk, however long that takes. Undefined: it has ended, or this incarnation is about to. */
  begin(operationId: string): Promise<CountedStart | undefined> {
    const beginning = this.#write(operationId).finally(() => this.#beginning.delete(beginning));
    this.#beginning.add(beginning);
    return beginning;
  }

  /** Resolves when none is on its way to the disk: what is uncounted of them is uncounted then. */
  async settled(): Promise<void> {
    await Promise.all(this.#beginning);
  }

  /** Most have ended by then. */
  noteRunningLater({ operation: { operationId, startedAtMs } }: OperationRecord): NodeJS.Timeout {
    const { catalog, log, isOver } = this.#parts;
    const note = (): void => {
      if (isOver() || startedAtMs === undefined) return;
      const written = catalog.change((tx) => noteRunning(tx, operationId, startedAtMs));
      written.catch((error) => log.warn('the beginning of an operation was not written', { operationId, error: String(error) }));
    };
    return setTimeout(note, tuning.runningNotedMs).unref();
  }

  async uncount(begun: readonly Begun[]): Promise<void> {
    if (begun.length === 0) return;
    const { catalog, log } = this.#parts;
    try {
      await catalog.change((tx) => {
        for (const one of begun) giveStartBack(tx, one);
      });
    } catch (error) {
      log.warn('starts of operations were not uncounted', { operations: begun.length, error: String(error) });
    }
  }

  async #write(operationId: string): Promise<CountedStart | undefined> {
    const { catalog, nowMs, log, startsMaxOf, isOpen, wait } = this.#parts;
    const known = catalog.view.get(operationTable, operationId);
    if (known === undefined) return undefined;
    const { starts = 0, operation } = known;
    const startsMax = startsMaxOf(operation.kind);
    // What may be about to end the process again leaves it time to answer before that.
    if (starts > 1) await wait(starts + 2);
    for (let tries = 1; isOpen(); tries++) {
      try {
        const started = await catalog.change((tx) => countStart(tx, operationId, { startsMax, nowMs: nowMs() }));
        if (started === undefined || started.isSpent || isOpen()) {
          // A cancellation may have come while this was on its way to the disk.
          return started && { ...started, record: catalog.view.get(operationTable, operationId) ?? started.record };
        }
        await this.uncount([started.record.operation]);
      } catch (error) {
        log.warn('a start of an operation was not written', { operationId, error: String(error) });
        await wait(tries);
      }
    }
    return undefined;
  }
}
