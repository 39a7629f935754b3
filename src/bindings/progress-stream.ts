// A wait reported while it lasts: its progress, only forward, then how it ended. Only the latest progress is kept for a reader that is
// slower than the world.
import type { AdvanceProgress } from '../contract/world/world-protocol.js';

export type Step<Value, Progress = AdvanceProgress> =
  | { kind: 'progress'; progress: Progress }
  | { kind: 'done'; value: Value }
  | { kind: 'failed'; error: unknown };
type Work<Value> = (onProgress: (progress: AdvanceProgress) => void) => Promise<Value>;

/** Never throws: how the work ended is the last step. */
export async function* progressThenEnd<Value>(work: Work<Value>): AsyncGenerator<Step<Value>> {
  let latest: AdvanceProgress | undefined;
  let end: Step<Value> | undefined;
  let wake = (): void => {};
  let woken = new Promise<void>((resolve) => {
    wake = resolve;
  });
  work((progress) => {
    latest = progress;
    wake();
  })
    .then(
      (value) => ({ kind: 'done', value }) as const,
      (error: unknown) => ({ kind: 'failed', error }) as const,
    )
    .then((step) => {
      end = step;
      wake();
    });
  for (let reported = 0; end === undefined; ) {
    await woken;
    woken = new Promise((resolve) => {
      wake = resolve;
    });
    if (latest === undefined || latest.scheduledEventsProcessed <= reported) continue;
    reported = latest.scheduledEventsProcessed;
    yield { kind: 'progress', progress: latest };
  }
  yield end;
}
