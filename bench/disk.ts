// What the disk itself does: pages written one after the other into a file that has its space, each flushed before the next.
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const pageBytes = 4096;
const pages = 1024;

/** In the folder of temporary files, where the services of benches have their data. */
export function flushesPerSecond(seconds: number): number {
  const directory = mkdtempSync(join(tmpdir(), 'drillyard-bench-'));
  const file = openSync(join(directory, 'pages'), 'w');
  try {
    writeSync(file, Buffer.alloc(pageBytes * pages, 1));
    fdatasyncSync(file);
    const page = Buffer.alloc(pageBytes, 2);
    const from = performance.now();
    let flushes = 0;
    for (; performance.now() - from < seconds * 1000; flushes++) {
      writeSync(file, page, 0, pageBytes, (flushes % pages) * pageBytes);
      fdatasyncSync(file);
    }
    return Math.round((flushes * 1000) / (performance.now() - from));
  } finally {
    closeSync(file);
    rmSync(directory, { recursive: true, force: true });
  }
}
