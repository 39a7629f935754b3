// What is pressed while a run is watched. Only on a terminal; elsewhere nothing is read.

export type WatchKey = 'all' | 'quit' | 'interrupt';
export interface KeyInput {
  readonly isTTY?: boolean;
  setRawMode?(mode: boolean): unknown;
  on(event: 'data', listener: (chunk: Buffer | string) => void): unknown;
  off(event: 'data', listener: (chunk: Buffer | string) => void): unknown;
  resume(): unknown;
  pause(): unknown;
}

const keys: { [char: string]: WatchKey } = { a: 'all', '\r': 'all', '\n': 'all', q: 'quit', '\u0003': 'interrupt' };

/** Gives the terminal back when called. */
export function readKeys(source: KeyInput, pressed: (key: WatchKey) => void): () => void {
  if (source.isTTY !== true) return () => {};
  const listener = (chunk: Buffer | string): void => {
    for (const char of String(chunk)) {
      const key = keys[char];
      if (key !== undefined) pressed(key);
    }
  };
  // Keys come one by one, and Ctrl-C as a key: nobody else turns it into a signal.
  source.setRawMode?.(true);
  source.on('data', listener);
  source.resume();
  return () => {
    source.off('data', listener);
    source.setRawMode?.(false);
    source.pause();
  };
}
