// The end of this process while a database writes. `process.exit` waits for the threads of libuv; one of them, in which LMDB writes an
// asynchronous transaction, waits until this thread has run what the transaction does: neither would ever end.
//   DATABASE-EXIT-1. `exitProcess` ends the process after the asynchronous transactions that are under way; none begins any more.
const underWay = new Set<Promise<unknown>>();
let isEnding = false;

/** `begin` begins an asynchronous transaction. Never resolves where the process is about to end. */
export async function beforeExit<T>(begin: () => Promise<T>): Promise<T> {
  if (isEnding) return await new Promise<never>(() => {});
  const transaction = begin();
  underWay.add(transaction);
  try {
    return await transaction;
  } finally {
    underWay.delete(transaction);
  }
}

/** What `process.exit` is meant to be. */
export function exitProcess(code: number): void {
  isEnding = true;
  if (underWay.size === 0) process.exit(code);
  void Promise.allSettled(underWay).then(() => process.exit(code));
}
