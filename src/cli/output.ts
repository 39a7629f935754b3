// The two streams. With --json stdout carries JSON lines and nothing else; everything for people then goes to stderr.

export interface Output {
  readonly json: boolean;
  /** One JSON object, one line; only with --json. */
  line(event: object): void;
  /** For people: stdout, or stderr with --json. */
  say(text: string): void;
  /** For people, always stderr. */
  warn(text: string): void;
}

export function createOutput({ json }: { json: boolean }): Output {
  return {
    json,
    line: (event) => {
      if (json) process.stdout.write(`${JSON.stringify(event)}\n`);
    },
    say: (text) => void (json ? process.stderr : process.stdout).write(`${text}\n`),
    warn: (text) => void process.stderr.write(`${text}\n`),
  };
}

/**
 * A reader that went away (`drillyard run | head -1`) is no error of ours, and no reason to leave a run unfinished: nobody is told any more,
 * reports are written and the exit code is what it is.
 */
export function goOnWithoutReader(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
