// Ids and lists of the local inspector's interface.
import type { tags } from '../tags.js';

export type RunId = string & tags.Pattern<'^run_[0-9a-z]{12,32}$'>;
export type WorldId = string & tags.Pattern<'^world_[0-9a-z]{12,32}$'>;
export type RequestId = string & tags.Pattern<'^request_[0-9a-z]{12,32}$'>;
export type FileId = string & tags.Pattern<'^src_[0-9a-f]{8,64}$'>;
export type AttachmentId = string & tags.Pattern<'^[A-Za-z0-9][A-Za-z0-9_-]{0,95}$'>;
/** How many a page holds; each route has its own default. */
export type PageLimit = number & tags.Type<'int32'> & tags.Minimum<1> & tags.Maximum<500>;
/** Kinds of entries joined by commas. */
export type KindList = string &
  tags.Pattern<'^(operation|state_change|event|callback|fault|fault_control|random|clock|lifecycle|verification|refused_request)(,(operation|state_change|event|callback|fault|fault_control|random|clock|lifecycle|verification|refused_request)){0,10}$'>;
/** Up to 500 sequences joined by commas. */
export type SequenceList = string & tags.Pattern<'^[1-9][0-9]{0,15}(,[1-9][0-9]{0,15}){0,499}$'> & tags.MaxLength<8500>;
