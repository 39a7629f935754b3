// A bound on nesting for JSON that comes from a file, checked before anything recurses into it.
import { limits } from '../contract/limits.js';

/** Values of the simulation are at most `jsonDepthMax` deep; the documents around them add a few levels. */
const levelsAround = 16;

export function jsonWithin(value: unknown, levels: number = limits.jsonDepthMax + levelsAround): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  return Object.values(value).every((member) => jsonWithin(member, levels - 1));
}
