// The gate between a thread and whoever would end it: nobody is ended inside. A store may hold a lock there that outlives the thread and stops
// every later writer of the process (for a process that dies, the operating system releases it).
//   G1. A thread inside the gate is not condemned, and a condemned one never gets in: it waits there for its end.
// One gate a thread, so whoever writes on it finds it here; outside of a host nobody is ever condemned.
const open = 0;
const entered = 1;
const condemned = 2;

export const gateBytes = Int32Array.BYTES_PER_ELEMENT;

let gate: Int32Array = new Int32Array(1);
let depth = 0;

/** Makes `own` the gate of this thread. */
export function standBehind(own: Int32Array): void {
  gate = own;
}

/**
 * Runs what must not be cut off by the end of its thread: one write of a store, nothing that could run for ever. May be nested. Synchronous: what
 * `work` leaves to a promise is outside.
 */
export function guarded<T>(work: () => T): T {
  if (depth === 0 && Atomics.compareExchange(gate, 0, open, entered) === condemned) Atomics.wait(gate, 0, condemned);
  depth++;
  try {
    return work();
  } finally {
    depth--;
    if (depth === 0) Atomics.store(gate, 0, open);
  }
}

/** Closes a thread's gate for good; false while the thread is inside. */
export function condemn(own: Int32Array): boolean {
  return Atomics.compareExchange(own, 0, open, condemned) !== entered;
}
