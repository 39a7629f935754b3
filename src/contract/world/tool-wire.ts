// What holds for all wire routes of a package, as its manifest says it.
import type { PositiveCount, PositiveDurationUs, Slug } from '../primitives.js';
import type { tags } from '../tags.js';

/** Each member is something that the package does for all of its routes. */
export interface ToolWire {
  /** What routes may count their calls by, for headers that say how many are left. */
  rateLimits?: RateLimit[] & tags.MaxItems<16>;
  /** Requests that become no call, in the words of the real service. */
  refusals?: WireRefusals;
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

/** Why a request became no call. */
export type RefusalKind =
  | 'unauthenticated'
  | 'not_found'
  | 'method_not_allowed'
  | 'unsupported_media_type'
  | 'malformed'
  | 'too_large'
  | 'not_decoded';
/** The status of each refusal that the package's `refuse` words; all others are answered in the envelope of every error. */
export interface WireRefusals {
  /** No credential, or one that opens nothing here. */
  unauthenticated?: RefusalStatus;
  /** A path that no route of the world has. */
  not_found?: RefusalStatus;
  /** A path that has routes, none of this method. */
  method_not_allowed?: RefusalStatus;
  /** A body of another type than the route takes. */
  unsupported_media_type?: RefusalStatus;
  /** Path, query or body are not what they are sent as. */
  malformed?: RefusalStatus;
  /** A body above the bound. */
  too_large?: RefusalStatus;
  /** What decode has thrown. */
  not_decoded?: RefusalStatus;
  /** Each of these is an entry of the evidence; else none is. */
  evidence?: boolean;
  /** Words are for requests to these paths and below them alone, as with one API of several. Default: all. */
  below?: PathBeginning[] & tags.MinItems<1> & tags.MaxItems<16>;
}
/** Whole segments, none of them a parameter. */
type PathBeginning = string & tags.Pattern<'^(?:/[^/{}?#]+)+$'> & tags.MaxLength<256>;
type RefusalStatus = number & tags.Type<'uint32'> & tags.Minimum<200> & tags.Maximum<599>;
