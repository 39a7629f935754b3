// What the attempts of one run share.
import type { CallbackReceivers } from '../../callbacks/receivers.js';
import type { Provenance } from '../../contract/provenance.js';
import type { CompiledBuild } from '../../contract/run/build.js';
import type { RunEvent, RunInvocation } from '../../contract/run/run-events.js';
import type { Worlds } from '../../worlds/api.js';
import type { RunDrillsOptions } from '../plan/options.js';
import type { BindingsPort } from '../ports/bindings-port.js';
import type { Targets } from '../targets/targets.js';

export type PlaceOfHandler = (packageId: string, handlerId: string) => Provenance | undefined;

export interface AttemptContext {
  invocation: RunInvocation;
  build: CompiledBuild;
  worlds: Worlds;
  bindings: BindingsPort;
  targets: Targets;
  callbackReceivers: CallbackReceivers;
  /** Where a handler stands in its source; undefined where that is not known. */
  placeOfHandler: PlaceOfHandler;
  signal: AbortSignal;
  onWorld: NonNullable<RunDrillsOptions['onWorld']>;
  onSaid: NonNullable<RunDrillsOptions['onSaid']>;
  onEvent: (event: RunEvent) => void;
}
