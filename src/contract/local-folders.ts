// Where things of this machine lie unless a flag or an option says otherwise: relative to the repository, with slashes.

/** Holds all others; nothing in it belongs into version control. */
export const localFolder = '.service';

export const localFolders = {
  /** The worlds of runs. */
  runs: `${localFolder}/runs`,
  /** One folder a run. */
  reports: `${localFolder}/reports`,
  /** The data of a hosted service; relative to the current folder. */
  hosted: `${localFolder}/hosted`,
} as const;
