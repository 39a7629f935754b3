// Waiting for something that another thread or process does.

/**
 * Resolves when it is so. Looks again every 2 ms: a loop without a pause would take one of two processors from the very thread that it
 * waits for.
 */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 2));
}
