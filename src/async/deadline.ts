// Work that is waited for no longer than a bound.

/**
 * What the work resolves to, or undefined when `ms` are over first; a rejection within that time is thrown. The work continues: how it ends
 * later is dropped. The timer goes with the answer, so that it keeps no process.
 */
export function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(undefined), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
