// Waiting for something that another thread or process does.

/** Longer than any test takes: what is still not so then never will be, and a test that has failed elsewhere would wait for ever. */
const patienceMs = 180_000;

/**
 * Resolves when it is so; throws when it is not for minutes. Looks again every 2 ms: a loop without a pause would take one of two
 * processors from the very thread that it waits for.
 */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + patienceMs;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`It was not so within ${patienceMs / 1000} s: ${isSo}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
