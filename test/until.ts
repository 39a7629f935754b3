// Waiting for something that another thread or process does.

/** Longer than any test takes: what is still not so then never will be, and a test that has failed elsewhere would wait for ever. */
const patienceMs = 180_000;
const pauseMs = { least: 2, most: 50 };

/**
 * Resolves when it is so; throws when it is not for minutes. Looks again every 2 ms: a loop without a pause would take one of two
 * processors from the very thread that it waits for. What answers with a promise is work for another: it is asked again after a tenth of
 * the time that it has been waited for, 50 ms at most.
 */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const start = performance.now();
  for (;;) {
    const answer = isSo();
    if (await answer) return;
    const waitedMs = performance.now() - start;
    if (waitedMs > patienceMs) throw new Error(`It was not so within ${patienceMs / 1000} s: ${isSo}`);
    const isAsked = typeof answer !== 'boolean';
    const nextMs = isAsked ? Math.min(pauseMs.most, Math.max(pauseMs.least, waitedMs / 10)) : pauseMs.least;
    await new Promise((resolve) => setTimeout(resolve, nextMs));
  }
}
