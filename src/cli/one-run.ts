// What a run is made with: as it was asked for on the command line, and as each of its rounds gets it.
import type { RunDrillsOptions } from '../drills/plan/options.js';
import type { Output } from './output.js';
import type { RemoteFlags } from './remote-flags.js';
import type { ReporterChoice } from './reporter-list.js';

/** Which runs of the past it is about, and how often it is made. */
export interface AgainFlags {
  /** A run: its report folder, its id, an alias. */
  repeat?: string;
  /** An invocation; `true`: the latest. */
  lastFailed?: string | true;
  /** At most so often. */
  untilFailed?: number;
}
export interface RunFlags extends Omit<RunDrillsOptions, 'onEvent' | 'signal' | 'root' | 'reportDirectory' | 'agent'> {
  root: string;
  json: boolean;
  /** Of `--receiver`. */
  receivers: readonly string[];
  reporters: readonly ReporterChoice[];
  reportDirectory: string;
  /** Agents of `external` targets fetch their work from an agent desk. */
  external: boolean;
  /** Where its address and token go instead of stdout. */
  externalFile?: string;
  /** The worlds are in this hosted service. */
  remote?: RemoteFlags;
  again: AgainFlags;
}

export interface OneRun {
  options: Omit<RunFlags, 'again' | 'json' | 'reporters' | 'receivers' | 'external' | 'externalFile'> &
    Pick<RunDrillsOptions, 'agent' | 'callbackReceivers'>;
  choices: readonly ReporterChoice[];
  output: Output;
  /** Where drills are shown as they run; absent: nowhere. */
  terminal: NodeJS.WriteStream | undefined;
  signal: AbortSignal;
}
