// Memory that is the process's own, without the pages of mapped files, which the system takes back as it likes: the store's are among them.
import { readFileSync } from 'node:fs';

export function residentBytes(): number {
  const own = /^RssAnon:\s+(\d+) kB$/m.exec(statusText());
  return own === null ? process.memoryUsage.rss() : Number(own[1]) * 1024;
}
/** Linux only; elsewhere empty. */
function statusText(): string {
  try {
    return readFileSync('/proc/self/status', 'utf8');
  } catch {
    return '';
  }
}
