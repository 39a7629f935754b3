// The place where a person starts the commands that are shown. A file may be read anywhere, so that its commands are those of `anywhere`.

export interface CommandPlace {
  /** What starts this command line there. */
  own: string;
  /** Those that find the repository, each with a space before it. */
  flags: string;
  /** What names the run there whose report is in `folder`. */
  runName: (runId: string, folder: string) => string;
}

export const anywhere: CommandPlace = { own: 'drillyard', flags: '', runName: (runId) => runId };
