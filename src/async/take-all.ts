// The steps of an end, one after the other: what fails keeps none of the others from being taken.

/** Rejects with the first failure, after the last step. */
export async function takeAll(steps: readonly (() => unknown)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
