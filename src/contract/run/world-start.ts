// What a world of a build starts from: the setup of a drill, of a scenario or, where neither is named, the world's baseline.
import { ServiceError } from '../errors.js';
import type { WorldSetup } from '../world/scenario.js';
import type { CompiledBuild } from './build.js';

export interface WorldStart {
  setup: WorldSetup;
  setupHash: string;
}
export interface StartName {
  drillId?: string | undefined;
  scenarioId?: string | undefined;
}

/** Throws control.INVALID_REQUEST for a drill or scenario that the build does not have, and where both are named. */
export function chooseStart(build: CompiledBuild, { drillId, scenarioId }: StartName): WorldStart {
  if (drillId !== undefined && scenarioId !== undefined)
    throw refused('/scenarioId', 'conflict', 'a world starts from a drill or from a scenario, not from both');
  if (drillId !== undefined) {
    const found = build.drills.find(({ drill }) => drill.id === drillId);
    if (found === undefined) throw refused('/drillId', 'not_one_of', `the build has no drill '${drillId}'`);
    return { setup: found.setup, setupHash: found.setupHash };
  }
  if (scenarioId !== undefined) {
    const found = build.scenarios.find(({ scenario }) => scenario.id === scenarioId);
    if (found === undefined) throw refused('/scenarioId', 'not_one_of', `the build has no scenario '${scenarioId}'`);
    return { setup: found.setup, setupHash: found.setupHash };
  }
  return build.baseline;
}

function refused(path: string, code: string, message: string): ServiceError {
  return new ServiceError('control.INVALID_REQUEST', { message: `No such start: ${message}.`, issues: [{ path, code, message }] });
}
