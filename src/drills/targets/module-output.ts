// What a module says, wherever it says it: console, the process's streams, or file descriptors 1 and 2, which loggers write to directly
// and which in a thread are those of the whole process.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** From now on nothing of this thread or process reaches the real streams; `say` gets it instead. */
export function captureOutput(say: (text: string) => void): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.write = ((chunk: string | Uint8Array, encoding?: unknown, callback?: unknown): boolean => {
      say(textOf(chunk));
      const done = typeof encoding === 'function' ? encoding : callback;
      if (typeof done === 'function') queueMicrotask(done as () => void);
      return true;
    }) as typeof stream.write;
  }
  const { write, writeSync } = fs;
  fs.writeSync = ((fd: number, data: string | Uint8Array, ...rest: unknown[]): number => {
    if (!isOutput(fd)) return Reflect.apply(writeSync, fs, [fd, data, ...rest]) as number;
    return sayPart(say, data, rest);
  }) as typeof fs.writeSync;
  fs.write = ((fd: number, data: string | Uint8Array, ...rest: unknown[]): void => {
    if (!isOutput(fd)) {
      Reflect.apply(write, fs, [fd, data, ...rest]);
      return;
    }
    const callback = rest.pop() as (error: null, bytes: number, data: unknown) => void;
    const bytes = sayPart(say, data, rest);
    setImmediate(() => callback(null, bytes, data));
  }) as unknown as typeof fs.write;
  syncBuiltinESMExports();
}

function isOutput(fd: number): boolean {
  return fd === 1 || fd === 2;
}

/** Of a buffer the part from an offset on, of a length; both may be missing, or be members of one object. */
function sayPart(say: (text: string) => void, data: string | Uint8Array, rest: readonly unknown[]): number {
  if (typeof data === 'string') {
    say(data);
    return Buffer.byteLength(data);
  }
  const given = rest[0];
  const { offset = 0, length } =
    typeof given === 'object' && given !== null
      ? (given as { offset?: number; length?: number })
      : { offset: given as number, length: rest[1] as number };
  const part = data.subarray(offset ?? 0, length == null ? undefined : (offset ?? 0) + length);
  say(textOf(part));
  return part.length;
}

function textOf(chunk: string | Uint8Array): string {
  return typeof chunk === 'string' ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('utf8');
}
