// A thread that is called by name, for called-thread.test.ts.
import type { MessagePort } from 'node:worker_threads';
import { serveCalls } from '../../src/workers/called-thread.js';

let calls = 0;

export const api = {
  /** The first call of a thread gives 1. */
  count: (): number => ++calls,
  echo: (value: unknown): unknown => value,
  fail: (message: string): never => {
    throw new Error(message);
  },
  hang: (): Promise<never> => new Promise(() => {}),
  spin: (): never => {
    for (;;);
  },
  exit: (code: number): never => process.exit(code),
};

export function serve(port: MessagePort): Promise<void> {
  return serveCalls(api, port);
}
