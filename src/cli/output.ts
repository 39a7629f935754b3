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
 * A reader that went away (`drillyard run | head -1`) is no error of ours, and no reason to leave a run unfinished: nobody reads any more,
 * reports are written and the exit code is what it is. Output that is lost otherwise, on a full disk, say, ends nothing either, but is
 * reported, and the command has not done what it was asked to. Gives whether that has happened.
 */
export function goOnWithoutReader(): () => boolean {
  let lost = false;
  for (const [name, stream] of [
    ['stdout', process.stdout],
    ['stderr', process.stderr],
  ] as const) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE' || lost) return;
      lost = true;
      if (name === 'stdout')
        process.stderr.write(`error What goes to stdout cannot be written (${error.code ?? error.message}); the rest of it is lost.\n`);
    });
  }
  return () => lost;
}
