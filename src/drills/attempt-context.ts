// What the attempts of one run share.
import type { CallbackReceivers } from '../callbacks/receivers.js';
import type { CompiledBuild } from '../contract/build.js';
import type { RunEvent } from '../contract/run-events.js';
import type { Worlds } from '../worlds/api.js';
import type { BindingsPort } from './bindings-port.js';
import type { RunDrillsOptions } from './options.js';
import type { Targets } from './targets/targets.js';

export interface AttemptContext {
  build: CompiledBuild;
  worlds: Worlds;
  bindings: BindingsPort;
  targets: Targets;
  callbackReceivers: CallbackReceivers;
  signal: AbortSignal;
  onWorld: NonNullable<RunDrillsOptions['onWorld']>;
  onEvent: (event: RunEvent) => void;
}
