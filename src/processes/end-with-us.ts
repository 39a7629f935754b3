// What this process has started and must not leave behind.
//   END-WITH-US-1. It is ended when this process ends, however that comes about. By a SIGKILL too: process groups by the watcher of groups
//     (group-watcher.ts), others because they watch their parent.
import { watchGroup } from './group-watcher.js';

const ends = new Set<() => void>();
let isWatching = false;

/** Windows has none. */
export const hasGroups = process.platform !== 'win32';

/** `end` runs when this process exits, unless what is returned has been called before. */
export function endWithUs(end: () => void): () => void {
  if (!isWatching) {
    isWatching = true;
    process.on('exit', () => {
      for (const each of ends) each();
    });
  }
  ends.add(end);
  return () => void ends.delete(end);
}

/** All of a process group, whose first process has this id; what is returned is to be called once that one has been waited for. */
export function endGroupWithUs(pid: number): () => void {
  if (!hasGroups) return () => {};
  const leave = endWithUs(() => killGroup(pid));
  const forget = watchGroup(pid);
  return () => {
    leave();
    forget();
  };
}

export function killGroup(pid: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // It is gone already.
  }
}
