// Authoring sessions: conversations that author source.
import type { AuthoringSessionId, EpochMs, Revision, SourceDraftId, Version } from '../primitives.js';
import type { Diagnostic } from '../run/build.js';
import type { RunError } from '../run/run.js';
import type { tags } from '../tags.js';
import type { LongRunningOperation } from './operation.js';
import type { PageQuery, ProjectPath } from './organization.js';
import type { AuthoringSession } from './resources.js';
import type { SourceChange, SourceDraft, SourceRevision } from './source.js';

export type ProposalId = string & tags.Pattern<'^proposal_[0-9a-z]{12,32}$'>;

/** The list's default for `state` is `all`. */
export interface AuthoringSessionsQuery extends PageQuery {
  state?: 'all' | 'active' | 'published' | 'discarded';
}
export interface AuthoringSessionPath extends ProjectPath {
  authoringSessionId: AuthoringSessionId;
}
export interface ProposalPath extends AuthoringSessionPath {
  proposalId: ProposalId;
}
export interface CreateAuthoringSessionRequest {
  title?: string & tags.MinLength<1> & tags.MaxLength<200>;
  /** `manual`: each turn carries its changes. `command`: the server's author command makes them from the prompt. */
  author: 'manual' | 'command';
  /** What the conversation starts from; absent: an empty tree. */
  base?: { sourceDraftId: SourceDraftId; revision: Revision };
}
export interface CreateTurnRequest {
  expectedVersion: Version;
  prompt: string & tags.MinLength<1> & tags.MaxLength<65536>;
  /** For the author `manual`, required; for `command`, forbidden. On the files of the current proposal, or of the base. */
  changes?: SourceChange[] & tags.MaxItems<2000>;
}
export interface AuthoringTurn {
  schemaVersion: 1;
  turnId: string;
  authoringSessionId: string;
  state: 'queued' | 'running' | 'succeeded' | 'unchanged' | 'failed' | 'cancelled';
  author: 'manual' | 'command';
  prompt: string;
  proposalId?: string;
  error?: RunError;
  createdBy: string;
  createdAtMs: EpochMs;
  finishedAtMs?: EpochMs;
}
/** The whole tree after a turn, compiled. Only one without errors can be published. */
export interface AuthoringProposal {
  schemaVersion: 1;
  proposalId: string;
  authoringSessionId: string;
  turnId: string;
  sourceDigest: string;
  files: { path: string; digest: string; bytes: number }[];
  changes: SourceChange[];
  compiles: boolean;
  buildHash?: string;
  diagnostics: Diagnostic[];
  createdAtMs: EpochMs;
}
export interface PublishProposalRequest {
  expectedVersion: Version;
  /** For a conversation without a base: the new draft's name. Default: the conversation's title, else its id. */
  name?: string & tags.MinLength<1> & tags.MaxLength<100>;
  /** With a base: the draft's version, as the caller saw it. */
  expectedDraftVersion?: Version;
}
export interface DiscardRequest {
  expectedVersion: Version;
  confirm: string;
}
export interface AuthoringSessionReply {
  session: AuthoringSession;
}
export interface TurnReply {
  session: AuthoringSession;
  turn: AuthoringTurn;
  operation: LongRunningOperation;
}
export interface TurnList {
  items: AuthoringTurn[];
  nextCursor?: string;
}
export interface ProposalReply {
  proposal: AuthoringProposal;
}
export interface PublishProposalReply {
  session: AuthoringSession;
  sourceDraft: SourceDraft;
  revision: SourceRevision;
}
/** What a command author writes on stdout. */
export interface AuthorAnswer {
  changes: SourceChange[] & tags.MaxItems<2000>;
}
