// A bar for work that takes a while and shows nothing else: on stderr, on a terminal, and only once it has taken longer than one notices.
import { LiveRegion, type TerminalStream } from '../reports/live-region.js';
import { movesCursor } from '../reports/palette.js';
import { barText } from '../reports/progress-text.js';

export interface ProgressBar {
  /** `total` 0: how much there is is not known. */
  update(done: number, total: number): void;
  /** Leaves nothing on the terminal. */
  end(): void;
}

const patienceMs = 400;
const redrawMs = 80;

export function progressBar(label: string, stream: TerminalStream = process.stderr, environment: NodeJS.ProcessEnv = process.env): ProgressBar {
  if (!movesCursor({ isTTY: stream.isTTY === true, environment })) return { update: () => {}, end: () => {} };
  const region = new LiveRegion(stream);
  let [done, total] = [0, 0];
  let drawn = false;
  const draw = (): void => {
    drawn = true;
    region.draw([`${label}  ${barText(done, total)}`]);
  };
  let timer = setTimeout(() => {
    draw();
    timer = setInterval(draw, redrawMs).unref();
  }, patienceMs).unref();
  return {
    update: (...now) => {
      [done, total] = now;
    },
    end: () => {
      clearTimeout(timer);
      if (drawn) region.draw([]);
    },
  };
}
