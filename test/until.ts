// Waiting for something that another thread or process does.

/** Longer than any test takes: what is still not so then never will be, and a test that has failed elsewhere would wait for ever. */
const patienceMs = 180_000;
const leastMs = 2;
const mostMs = 150;

type Question = () => boolean | Promise<boolean>;

/**
 * Resolves when it is so; throws when it is not for minutes. Looks again every 2 ms: a loop without a pause would take one of two
 * processors from the very thread that it waits for.
 */
export async function until(isSo: Question): Promise<void> {
  await ask(isSo, () => leastMs);
}

/**
 * For what stays so and is asked of another process, which works for each answer: asked again after a tenth of the time that it has been
 * waited for, 150 ms at most.
 */
export async function untilSettled(isSo: Question): Promise<void> {
  await ask(isSo, (waitedMs) => Math.min(mostMs, Math.max(leastMs, waitedMs / 10)));
}

async function ask(isSo: Question, pauseMs: (waitedMs: number) => number): Promise<void> {
  const start = performance.now();
  while (!(await isSo())) {
    const waitedMs = performance.now() - start;
    if (waitedMs > patienceMs) throw new Error(`It was not so within ${patienceMs / 1000} s: ${isSo}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs(waitedMs)));
  }
}
