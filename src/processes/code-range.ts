// The range of addresses that V8 keeps for an isolate's machine code. From Node 24 on the whole of it is writable from the start, used or
// not, and the kernel counts what is writable as data: without space for it, no child under a limit of its data would start.
import { readFileSync } from 'node:fs';
import { limits } from '../contract/limits.js';

let counted: number | undefined;

/** Bytes that the main isolate of a child of this Node has of it before its first line of code. Threads in a child ask for less. */
export function codeRangeBytes(): number {
  counted ??= rangeOfIsolate();
  return counted;
}

/** As the kernel lists it for this process. Ranges of threads that lie side by side are listed as one: none counts for more than V8's. */
function rangeOfIsolate(): number {
  let largest = 0;
  for (const line of readMaps().split('\n')) {
    const [, from, to] = /^([0-9a-f]+)-([0-9a-f]+) rwxp /.exec(line) ?? [];
    if (from !== undefined && to !== undefined) largest = Math.max(largest, Number.parseInt(to, 16) - Number.parseInt(from, 16));
  }
  return Math.min(largest, limits.codeRangeBytesMax);
}

function readMaps(): string {
  try {
    return readFileSync('/proc/self/maps', 'utf8');
  } catch {
    return '';
  }
}
