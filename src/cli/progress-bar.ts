// A bar for work that takes a while and shows nothing else: on stderr, on a terminal, and only once it has taken longer than one notices.
import { LiveRegion, type TerminalStream } from '../reports/live-region.js';
import { movesCursor } from '../reports/palette.js';
import { barText } from '../reports/progress-text.js';
import { tuning } from './tuning.js';

export interface ProgressBar {
  /** `total` 0: how much there is is not known. Also draws, so that work that leaves no time between its steps is seen, too. */
  readonly update: (done: number, total: number) => void;
  /** Clears the line for what is printed; the next update draws the bar again. */
  readonly hide: () => void;
  /** Leaves nothing on the terminal. */
  readonly end: () => void;
}

export function progressBar(
  label: string,
  stream: TerminalStream = process.stderr,
  environment: NodeJS.ProcessEnv = process.env,
): ProgressBar {
  if (!movesCursor({ isTTY: stream.isTTY === true, environment })) return { update: () => {}, hide: () => {}, end: () => {} };
  const region = new LiveRegion(stream);
  let [done, total] = [0, 0];
  let drawn = false;
  let dueMs = performance.now() + tuning.progressPatienceMs;
  const draw = (): void => {
    if (performance.now() < dueMs) return;
    drawn = true;
    dueMs = performance.now() + tuning.progressRedrawMs;
    region.draw([`${label}  ${barText(done, total)}`]);
  };
  const hide = (): void => {
    if (drawn) region.draw([]);
    drawn = false;
  };
  let ended = false;
  const timer = setInterval(draw, tuning.progressRedrawMs).unref();
  return {
    update: (...now) => {
      [done, total] = now;
      if (!ended) draw();
    },
    hide,
    end: () => {
      ended = true;
      clearInterval(timer);
      hide();
    },
  };
}

/** The bar of a piece of work, which is ended with it. */
export async function withProgressBar<T>(label: string, work: (bar: ProgressBar) => Promise<T>): Promise<T> {
  const bar = progressBar(label);
  return await work(bar).finally(bar.end);
}
