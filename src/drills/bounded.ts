// Work on many things, at most so many at once. The first failure ends it: nothing further starts, and it rejects when what runs has ended.
// What runs at once runs in lanes, numbered from 0; within a lane, one thing after the other.

export async function forEachBounded<T>(items: readonly T[], concurrency: number, work: (item: T, lane: number) => Promise<void>): Promise<void> {
  let next = 0;
  let failure: { error: unknown } | undefined;
  const runLane = async (lane: number): Promise<void> => {
    while (next < items.length && failure === undefined) {
      const item = items[next++] as T;
      try {
        await work(item, lane);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, (_, lane) => runLane(lane)));
  if (failure !== undefined) throw failure.error;
}
