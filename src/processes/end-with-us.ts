// What this process has started and must not leave behind.
//   END-WITH-US-1. It is ended when this process ends, however that comes about; of a SIGKILL only who watches its parent hears.
const ends = new Set<() => void>();
let isWatching = false;

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
