// What an actor may do: its grants, and nothing else. A grant without an instance holds for every instance of the package.
import type { Grant, ScenarioActor } from '../../contract/world/scenario.js';

export interface Target {
  packageId: string;
  instanceId: string;
  operationId: string;
}

/** The reserved package of the world itself; its one operation is the wait. */
export const waitTarget: Target = { packageId: 'world', instanceId: 'world', operationId: 'clock.wait' };

export function isGranted(actor: ScenarioActor, target: Target): boolean {
  return actor.grants.some((grant) => covers(grant, target));
}

function covers(grant: Grant, { packageId, instanceId, operationId }: Target): boolean {
  return grant.operationId === operationId && grant.packageId === packageId && (grant.instanceId ?? instanceId) === instanceId;
}
