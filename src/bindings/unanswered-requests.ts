// What a client asked of one access and no wire route answered: what an author of routes wants to see. Of the host, never evidence.
//   UNANSWERED-REQUESTS-1. No query, header or body is kept, and of a path nothing that may be a credential.
//   UNANSWERED-REQUESTS-2. Requests with one method, path and status are one line; how many lines there are is bounded, and the rest is
//     counted.
import { limits } from '../contract/limits.js';
import type { UnansweredRequests } from '../contract/run/run-events.js';
import { beginningOf } from '../text/cut-text.js';

type Line = UnansweredRequests['requests'][number];
/** As long as a token is, or longer. */
const maybeToken = /[A-Za-z0-9_-]{32,}/g;

/** Of a path: what may be seen of it. */
export function shownPath(path: string): string {
  return beginningOf(path.replace(maybeToken, '[redacted]'), limits.unansweredPathCharsMax);
}

export class UnansweredLog {
  /** Made with the first: most accesses have none. */
  #lines: Map<string, Line> | undefined;
  #left = 0;

  note({ method, path, status }: Omit<Line, 'times'>): void {
    const shown = shownPath(path);
    const key = `${method} ${shown} ${status}`;
    this.#lines ??= new Map();
    const known = this.#lines.get(key);
    if (known !== undefined) known.times += 1;
    else if (this.#lines.size < limits.unansweredRequestsMax) this.#lines.set(key, { method, path: shown, status, times: 1 });
    else this.#left += 1;
  }

  /** Undefined when every request was answered. */
  read(): UnansweredRequests | undefined {
    return this.#lines === undefined ? undefined : { requests: [...this.#lines.values()], left: this.#left };
  }
}
