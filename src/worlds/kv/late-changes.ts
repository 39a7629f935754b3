// What transactions have changed and a data file does not have yet: read from memory, and written together later. A key that changes often
// (the head of a world) is then written once.
//   LATE-CHANGES-1. A transaction that is undone leaves all as it was before it.
import type { RecordedChange } from './group-record.js';

export class LateChanges {
  /** By key, its bytes as characters. */
  readonly #changes = new Map<string, RecordedChange>();
  /** What stood in their place before the transaction that is open, in order. */
  #before: { name: string; change: RecordedChange | undefined }[] = [];

  get isEmpty(): boolean {
    return this.#changes.size === 0;
  }

  /** Undefined: the file says. */
  get(key: Buffer): RecordedChange | undefined {
    return this.#changes.size === 0 ? undefined : this.#changes.get(key.toString('latin1'));
  }

  begin(): void {
    this.#before = [];
  }
  /** Within a transaction. The bytes are not changed any more. */
  set(change: RecordedChange): void {
    const name = change.key.toString('latin1');
    this.#before.push({ name, change: this.#changes.get(name) });
    this.#changes.set(name, change);
  }
  undo(): void {
    for (const { name, change } of this.#before.reverse()) {
      if (change === undefined) this.#changes.delete(name);
      else this.#changes.set(name, change);
    }
    this.#before = [];
  }

  values(): Iterable<RecordedChange> {
    return this.#changes.values();
  }
  /** All of them are in the file. */
  clear(): void {
    this.#changes.clear();
    this.#before = [];
  }
}
