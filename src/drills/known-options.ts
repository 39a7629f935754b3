// The options of runDrills by name: one that does not exist would be left out without a word.
import { ServiceError } from '../contract/errors.js';
import { nearest } from '../contract/shape-words.js';
import type { RunDrillsOptions } from './options.js';

const names = {
  suite: true,
  drills: true,
  tags: true,
  filter: true,
  shard: true,
  root: true,
  config: true,
  trials: true,
  retries: true,
  seed: true,
  concurrency: true,
  isolate: true,
  handlerTimeoutMs: true,
  stopOnFailure: true,
  amnesia: true,
  callbackReceivers: true,
  agent: true,
  allowRemote: true,
  onWorld: true,
  onCompiling: true,
  onNotice: true,
  onEvent: true,
  signal: true,
  reportDirectory: true,
  runDirectory: true,
} satisfies { [name in keyof Required<RunDrillsOptions>]: true };

/** Throws control.INVALID_REQUEST for one that is not known, and for a missing root. */
export function requireKnownOptions(options: RunDrillsOptions): void {
  const known = Object.keys(names);
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(names, name)) continue;
    const near = nearest(name, known);
    throw invalid(name, `runDrills has no option "${name}".${near === undefined ? '' : ` Did you mean "${near}"?`}`);
  }
  if (typeof options.root !== 'string') throw invalid('root', 'runDrills needs the option "root": the folder of the repository.');
}

function invalid(name: string, message: string): ServiceError {
  return new ServiceError('control.INVALID_REQUEST', { message, issues: [{ path: `/${name}`, code: 'unknown', message }] });
}
