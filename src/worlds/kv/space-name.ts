// The name of a namespace of rows inside one world.
export interface SpaceName {
  readonly packageId: string;
  readonly instanceId: string;
  readonly namespace: string;
}

export const spaceKey = ({ packageId, instanceId, namespace }: SpaceName): string => `${packageId}\0${instanceId}\0${namespace}`;

/** By UTF-16 code units, member by member. */
export function compareNames(a: SpaceName, b: SpaceName): number {
  return compare(a.packageId, b.packageId) || compare(a.instanceId, b.instanceId) || compare(a.namespace, b.namespace);
}
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
