// What holds for all wire routes of a package, as its manifest says it.
import type { PositiveCount, PositiveDurationUs, Slug } from '../primitives.js';
import type { tags } from '../tags.js';

/** Each member is something that the package does for all of its routes. */
export interface ToolWire {
  /** What routes may count their calls by, for headers that say how many are left. */
  rateLimits?: RateLimit[] & tags.MaxItems<16>;
}
/**
 * Counts the calls of one actor to one instance in a window of virtual time that begins with the first call after the last window. It
 * refuses nothing: that is what faults and handlers do.
 */
export interface RateLimit {
  id: Slug;
  /** Virtual microseconds. */
  windowUs: PositiveDurationUs;
  /** Calls that the service lets through in a window, for encode to speak of. */
  limit: PositiveCount;
}
