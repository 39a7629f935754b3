// Which commands a world takes that has stored what it may: those that end something, settle what has begun, or free space.
import type { WorldCommand } from '../contract/world/world-protocol.js';

const alwaysTaken = new Set<string>([
  'reset',
  'close',
  'verify',
  'startDelivery',
  'settleDelivery',
  'cancelEvent',
  'deleteSnapshot',
  'setBudgets',
] satisfies WorldCommand['kind'][]);

export function needsSpace({ kind }: { kind: string }): boolean {
  return !alwaysTaken.has(kind);
}
