// What the world of a session starts from: one of the setups of its build.
import type { CompiledBuild } from '../contract/build.js';
import { type Issue, ServiceError } from '../contract/errors.js';
import type { WorldSetup } from '../contract/scenario.js';

export interface SessionStart {
  setup: WorldSetup;
  setupHash: string;
}
/** Neither: the world's baseline. */
export interface StartName {
  drillId?: string;
  scenarioId?: string;
}

/** control.INVALID_REQUEST for a drill or scenario that the build does not have. */
export function startOf(build: CompiledBuild, { drillId, scenarioId }: StartName): SessionStart {
  if (drillId !== undefined && scenarioId !== undefined) {
    throw refused({ path: '/scenarioId', code: 'conflict', message: 'a session starts from a drill or from a scenario, not from both' });
  }
  if (drillId !== undefined) {
    const found = build.drills.find(({ drill }) => drill.id === drillId);
    return found ?? unknown('/drillId', 'is no drill of the build');
  }
  if (scenarioId !== undefined) {
    const found = build.scenarios.find(({ scenario }) => scenario.id === scenarioId);
    return found ?? unknown('/scenarioId', 'is no scenario of the build');
  }
  return build.baseline;
}

function unknown(path: string, message: string): never {
  throw refused({ path, code: 'not_one_of', message });
}

export function refused(...issues: Issue[]): ServiceError {
  return new ServiceError('control.INVALID_REQUEST', { message: 'The request does not fit what it is about.', issues });
}
