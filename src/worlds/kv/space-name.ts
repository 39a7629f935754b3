// The name of a namespace of rows inside one world.
import { compareTexts } from '../../text/compare-texts.js';

export interface SpaceName {
  readonly packageId: string;
  readonly instanceId: string;
  readonly namespace: string;
}

export const spaceKey = ({ packageId, instanceId, namespace }: SpaceName): string => `${packageId}\0${instanceId}\0${namespace}`;

/** By UTF-16 code units, member by member. */
export function compareNames(a: SpaceName, b: SpaceName): number {
  return compareTexts(a.packageId, b.packageId) || compareTexts(a.instanceId, b.instanceId) || compareTexts(a.namespace, b.namespace);
}
