// The options of planDrills and runDrills: what each of them is.
import { type OptionShape, type OptionShapes, optionShapes, requireOptions } from '../../contract/known-options.js';
import type { RunDrillsOptions } from './options.js';
import type { PlanOptions } from './plan.js';

export type SourceOptions = Pick<RunDrillsOptions, 'root' | 'config' | 'inlineDrills' | 'onCompiling'>;

/** What a drill says is checked where it is compiled. */
export const sourceShapes: OptionShapes<SourceOptions> = {
  root: optionShapes.root,
  config: 'text',
  inlineDrills: { listOf: 'anything' },
  onCompiling: 'function',
};
const number: OptionShape = { required: 'number' };
const planShapes: OptionShapes<PlanOptions & SourceOptions> = {
  ...sourceShapes,
  suite: 'text',
  drills: optionShapes.texts,
  tags: optionShapes.texts,
  filter: 'text',
  shard: { members: { index: number, count: number } },
  trials: 'number',
  trial: 'number',
  only: { listOf: { members: { drillId: { required: 'text' }, trials: { required: { listOf: 'number' } }, trialCount: 'number' } } },
  retries: 'number',
  seed: 'text',
  concurrency: 'number',
  agent: 'function',
};
export const runShapes: OptionShapes<RunDrillsOptions> = {
  ...planShapes,
  isolate: optionShapes.isolate,
  handlerTimeoutMs: 'number',
  stopOnFailure: 'boolean',
  freshModulePerTurn: 'boolean',
  callbackReceivers: optionShapes.receivers,
  allowRemote: 'boolean',
  onWorld: 'function',
  onSaid: 'function',
  onSources: 'function',
  onNotice: 'function',
  onEvent: 'function',
  signal: 'object',
  reportDirectory: { orFalse: 'text' },
  runDirectory: 'text',
  retention: { orFalse: { members: { runs: 'number', failedDays: 'number' } } },
};

/** control.INVALID_REQUEST for an option that is not known, or of another type. */
export function requirePlanOptions(options: PlanOptions & SourceOptions): void {
  requireOptions('planDrills', options, planShapes);
}
export function requireRunOptions(options: RunDrillsOptions): void {
  requireOptions('runDrills', options, runShapes);
}
