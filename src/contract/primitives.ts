// The scalar shapes of the contract. Lengths count UTF-16 code units.
import type { tags } from './tags.js';

/** An id: lower-case letters and digits, a letter first, joined by single hyphens or underscores. */
export type Slug = string & tags.Pattern<'^[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*$'> & tags.MaxLength<96>;
/** An id, or several joined by dots: lower-case letters and digits, each a letter first, joined by single hyphens or underscores. */
export type DottedId = string &
  tags.Pattern<'^[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*(?:[.][a-z][a-z0-9]*(?:[-_][a-z0-9]+)*)*$'> &
  tags.MaxLength<160>;
/** An id of a wire route: as an id with dots, in any case, as vendors name theirs (`calendarList.list`). */
export type WireRouteId = string &
  tags.Pattern<'^[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)*(?:[.][A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)*)*$'> &
  tags.MaxLength<160>;
/** `sha256:` and 64 lower-case hex digits. */
export type Sha256Digest = string & tags.Pattern<'^sha256:[0-9a-f]{64}$'>;
/** Integer microseconds of virtual time. */
export type VirtualUs = number & tags.Type<'int64'> & tags.Minimum<-9007199254740991> & tags.Maximum<9007199254740991>;
/** Integer microseconds between two virtual times. */
export type DurationUs = number & tags.Type<'int64'> & tags.Minimum<0> & tags.Maximum<9007199254740991>;
/** Integer microseconds between two virtual times, at least one. */
export type PositiveDurationUs = number & tags.Type<'int64'> & tags.Minimum<1> & tags.Maximum<9007199254740991>;
/** Integer milliseconds since the Unix epoch. */
export type EpochMs = number & tags.Type<'int64'> & tags.Minimum<0> & tags.Maximum<9007199254740991>;
/** Milliseconds since the Unix epoch that are a date, which ends with the year 275760. */
export type HostMs = number & tags.Minimum<0> & tags.Maximum<8640000000000000>;
/** A decimal unsigned 64-bit integer as text, at most 18446744073709551615. */
export type Seed = string & tags.Pattern<'^(0|[1-9][0-9]{0,19})$'>;
/** The id of a row in its namespace. */
export type RowId = string & tags.MinLength<1> & tags.MaxLength<512>;
export type Title = string & tags.MinLength<1> & tags.MaxLength<200>;
/** Plain text with at least one character that is not white space. */
export type Description = string & tags.MinLength<1> & tags.MaxLength<500> & tags.Pattern<'[^\\s]'>;
export type Count = number & tags.Type<'int64'> & tags.Minimum<0> & tags.Maximum<9007199254740991>;
export type PositiveCount = number & tags.Type<'int64'> & tags.Minimum<1> & tags.Maximum<9007199254740991>;
export type Revision = number & tags.Type<'int32'> & tags.Minimum<1> & tags.Maximum<2147483647>;
/** A tool's own error code: capital letters, digits and underscores, a letter first. */
export type ProviderErrorCode = string & tags.Pattern<'^[A-Z][A-Z0-9_]*$'> & tags.MaxLength<128>;
/** The name of an environment variable. */
export type HostVariableName = string & tags.Pattern<'^[A-Za-z_][A-Za-z0-9_]*$'>;

export type ProjectId = string & tags.Pattern<'^prj_[0-9a-z]{12,32}$'>;
export type SetupId = string & tags.Pattern<'^setup_[0-9a-z]{12,32}$'>;
export type AuthoringSessionId = string & tags.Pattern<'^authsess_[0-9a-z]{12,32}$'>;
export type SourceDraftId = string & tags.Pattern<'^draft_[0-9a-z]{12,32}$'>;
export type SessionId = string & tags.Pattern<'^ses_[0-9a-z]{12,32}$'>;
export type HostedRunId = string & tags.Pattern<'^hrun_[0-9a-z]{12,32}$'>;
export type DatasetId = string & tags.Pattern<'^dataset_[0-9a-f]{12,32}$'>;
export type EnvironmentId = string & tags.Pattern<'^env_[0-9a-z]{12,32}$'>;
/** An opaque place in a list; bound to its collection and filters. */
export type Cursor = string & tags.MinLength<1> & tags.MaxLength<2048>;
/** Items a page. */
export type PageSize = number & tags.Type<'int32'> & tags.Minimum<1> & tags.Maximum<100>;
/** A resource's version, as its holder saw it. */
export type Version = number & tags.Type<'int64'> & tags.Minimum<1> & tags.Maximum<9007199254740991>;
/** A lease generation, as the caller expects it. */
export type LeaseGeneration = number & tags.Type<'int64'> & tags.Minimum<1> & tags.Maximum<9007199254740991>;
