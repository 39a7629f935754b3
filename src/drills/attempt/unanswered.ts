// What no route answered, of several accesses together: equal requests are one line, and lines are bounded as those of one access are.
import { limits } from '../../contract/limits.js';
import type { UnansweredRequests } from '../../contract/run/run-events.js';

export function joinUnanswered(parts: readonly (UnansweredRequests | undefined)[]): UnansweredRequests {
  const lines = new Map<string, UnansweredRequests['requests'][number]>();
  let left = 0;
  for (const part of parts) {
    left += part?.left ?? 0;
    for (const line of part?.requests ?? []) {
      const key = `${line.method} ${line.path} ${line.status}`;
      const known = lines.get(key);
      if (known !== undefined) lines.set(key, { ...known, times: known.times + line.times });
      else if (lines.size < limits.unansweredRequestsMax) lines.set(key, line);
      else left += line.times;
    }
  }
  return { requests: [...lines.values()], left };
}
