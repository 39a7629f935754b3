// The critical section of a thread: no thread is ended inside. A store may hold a lock there that outlives the thread and stops
// every later writer of the process (for a process that dies, the operating system releases it).
//   CRITICAL-SECTION-1. A thread inside is not closed, and a closed one never enters: it waits there for its end.
// One section a thread, so that all writers on the thread share it; outside of a host no section is ever closed.
const open = 0;
const entered = 1;
const closed = 2;

export const sectionBytes = Int32Array.BYTES_PER_ELEMENT;

let section: Int32Array = new Int32Array(1);
let depth = 0;

/** Makes `own` the section of this thread. */
export function useSection(own: Int32Array): void {
  section = own;
}

/**
 * Runs what must not be cut off by the end of its thread: one write of a store, nothing that could run for ever. May be nested.
 * Synchronous: what `work` leaves to a promise is outside.
 */
export function runCritical<T>(work: () => T): T {
  if (depth === 0 && Atomics.compareExchange(section, 0, open, entered) === closed) Atomics.wait(section, 0, closed);
  depth++;
  try {
    return work();
  } finally {
    depth--;
    if (depth === 0) Atomics.store(section, 0, open);
  }
}

/** Closes a thread's section for good; false while the thread is inside. */
export function closeSection(own: Int32Array): boolean {
  return Atomics.compareExchange(own, 0, open, closed) !== entered;
}
