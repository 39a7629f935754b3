// The options of runDrills by name: one that does not exist would be left out without a word.
import { ServiceError } from '../../contract/errors.js';
import { refuseUnknownOptions } from '../../contract/unknown-options.js';
import type { RunDrillsOptions } from './options.js';

const names = {
  suite: true,
  drills: true,
  tags: true,
  filter: true,
  shard: true,
  root: true,
  config: true,
  inlineDrills: true,
  trials: true,
  trial: true,
  only: true,
  retries: true,
  seed: true,
  concurrency: true,
  isolate: true,
  handlerTimeoutMs: true,
  stopOnFailure: true,
  freshModulePerTurn: true,
  callbackReceivers: true,
  agent: true,
  allowRemote: true,
  onWorld: true,
  onSaid: true,
  onCompiling: true,
  onSources: true,
  onNotice: true,
  onEvent: true,
  signal: true,
  reportDirectory: true,
  runDirectory: true,
  retention: true,
} satisfies { [name in keyof Required<RunDrillsOptions>]: true };

/** Throws control.INVALID_REQUEST for one that is not known, and for a missing root. */
export function requireKnownOptions(options: RunDrillsOptions): void {
  refuseUnknownOptions('runDrills', options, Object.keys(names));
  if (typeof options.root === 'string') return;
  const message = 'runDrills needs the option "root": the folder of the repository.';
  throw new ServiceError('control.INVALID_REQUEST', { message, issues: [{ path: '/root', code: 'required', message }] });
}
