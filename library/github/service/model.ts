// What the service keeps. Repositories are named by `owner/name` in lower case, and that key begins the row ids of what is theirs.
import type { Frozen, JsonValue, ToolContext } from 'drillyard/tool-sdk';
import type { CommitContent, Files } from '../git/objects.js';

export type Json = JsonValue;
export type JsonRecord = { readonly [name: string]: Json };

export interface UserRow {
  id: number;
  login: string;
  name: string | null;
  email: string | null;
  bio: string | null;
  company: string | null;
  type: 'User' | 'Bot' | 'Organization';
  createdAtUs: number;
  /** What this user does some time after being asked for a review; null: nothing. */
  reviewHabit: { afterUs: number; state: ReviewState; body: string } | null;
}
export type Permission = 'read' | 'triage' | 'write' | 'maintain' | 'admin';
/** A commit that the repository begins with; made when the repository is first asked for. */
export interface Seed {
  branch: string;
  /** The branch that a new branch begins at; null: none, so it begins empty. */
  from: string | null;
  message: string;
  author: string;
  atUs: number;
  /** Path to text; null deletes the file. */
  files: { [path: string]: string | null };
}
/** What runs on each commit that is pushed, as a check run. */
export interface Workflow {
  name: string;
  app: string;
  durationUs: number;
  conclusion: string;
  /** The run fails where a file of the commit holds this text; null: nothing makes it fail. */
  failsOn: string | null;
}
export interface RepoRow {
  id: number;
  key: string;
  owner: string;
  name: string;
  description: string | null;
  private: boolean;
  defaultBranch: string;
  language: string | null;
  topics: string[];
  collaborators: { login: string; permission: Permission }[];
  workflows: Workflow[];
  seeds: Seed[];
  createdAtUs: number;
  updatedAtUs: number;
  pushedAtUs: number;
}
export interface CommitRow extends CommitContent {
  repo: string;
  sha: string;
}
export interface IssueRow {
  id: number;
  repo: string;
  number: number;
  title: string;
  body: string | null;
  user: string;
  state: 'open' | 'closed';
  stateReason: 'completed' | 'not_planned' | 'duplicate' | 'reopened' | null;
  labels: string[];
  assignees: string[];
  milestone: number | null;
  locked: boolean;
  lockReason: string | null;
  isPull: boolean;
  createdAtUs: number;
  updatedAtUs: number;
  closedAtUs: number | null;
  closedBy: string | null;
}
export interface PullRow {
  id: number;
  repo: string;
  number: number;
  head: string;
  base: string;
  /** As of the last push; a name of a branch in rows that a world begins with. */
  headSha: string;
  baseSha: string;
  draft: boolean;
  /** Null until it has been computed. */
  mergeable: boolean | null;
  requestedReviewers: string[];
  mergedAtUs: number | null;
  mergedBy: string | null;
  mergeCommitSha: string | null;
}
export interface CommentRow {
  id: number;
  repo: string;
  number: number;
  user: string;
  body: string;
  createdAtUs: number;
  updatedAtUs: number;
}
export interface LabelRow {
  id: number;
  repo: string;
  name: string;
  color: string;
  description: string | null;
}
export interface MilestoneRow {
  id: number;
  repo: string;
  number: number;
  title: string;
  description: string | null;
  state: 'open' | 'closed';
  creator: string;
  dueOnUs: number | null;
  createdAtUs: number;
  updatedAtUs: number;
}
export type ReviewState = 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'DISMISSED' | 'PENDING';
export interface ReviewRow {
  id: number;
  repo: string;
  number: number;
  user: string;
  state: ReviewState;
  body: string;
  commitId: string;
  submittedAtUs: number | null;
}
export interface ReviewCommentRow {
  id: number;
  repo: string;
  number: number;
  reviewId: number | null;
  inReplyTo: number | null;
  user: string;
  body: string;
  path: string;
  line: number | null;
  side: 'LEFT' | 'RIGHT';
  commitId: string;
  createdAtUs: number;
  updatedAtUs: number;
}
export type CheckStatus = 'queued' | 'in_progress' | 'completed';
export interface CheckRow {
  id: number;
  repo: string;
  /** A name of a branch in rows that a world begins with. */
  headSha: string;
  name: string;
  app: string;
  status: CheckStatus;
  conclusion: string | null;
  detailsUrl: string | null;
  externalId: string;
  title: string | null;
  summary: string | null;
  startedAtUs: number;
  completedAtUs: number | null;
}
export interface StatusRow {
  id: number;
  repo: string;
  sha: string;
  state: 'error' | 'failure' | 'pending' | 'success';
  context: string;
  description: string | null;
  targetUrl: string | null;
  creator: string;
  createdAtUs: number;
}
export interface ProtectionRow {
  repo: string;
  branch: string;
  /** Null: checks are not required. */
  checks: { strict: boolean; contexts: string[] } | null;
  /** Null: a pull request is not required. */
  reviews: { count: number; dismissStale: boolean; codeOwners: boolean } | null;
  enforceAdmins: boolean;
  allowForcePushes: boolean;
  allowDeletions: boolean;
  linearHistory: boolean;
}
/** Somebody pushes this as soon as the file has been read. */
export interface RivalPushRow {
  branch: string;
  path: string;
  user: string;
  message: string;
  content: string;
}
export interface PushDue extends RivalPushRow {
  repo: string;
}

export interface GithubTypes {
  state: {
    users: UserRow;
    repos: RepoRow;
    blobs: { content: string; size: number };
    trees: { files: { [path: string]: string } };
    commits: CommitRow;
    refs: { repo: string; ref: string; sha: string };
    protections: ProtectionRow;
    issues: IssueRow;
    pulls: PullRow;
    comments: CommentRow;
    labels: LabelRow;
    milestones: MilestoneRow;
    reviews: ReviewRow;
    'review-comments': ReviewCommentRow;
    'check-runs': CheckRow;
    statuses: StatusRow;
    'rival-pushes': RivalPushRow;
    'rate-limits': { login: string; exhaustedUntilUs: number };
    counters: { next: number };
  };
  events: {
    issues: object;
    issue_comment: object;
    pull_request: object;
    pull_request_review: object;
    push: object;
    check_run: object;
    'mergeability.due': { repo: string; number: number };
    'check.due': { repo: string; id: number; status: CheckStatus; conclusion: string | null };
    'review.due': { repo: string; number: number; user: string; state: ReviewState; body: string };
    'push.due': PushDue;
  };
}
export type Context = ToolContext<GithubTypes>;
export type Namespace = keyof GithubTypes['state'] & string;
export type RowOf<N extends Namespace> = Frozen<GithubTypes['state'][N]>;
export type User = Frozen<UserRow>;
export type Repo = Frozen<RepoRow>;
export type Commit = Frozen<CommitRow>;
export type Issue = Frozen<IssueRow>;
export type Pull = Frozen<PullRow>;
export type Review = Frozen<ReviewRow>;
export type Check = Frozen<CheckRow>;
export type Protection = Frozen<ProtectionRow>;
export type { Files };

/** Where a repository is, as every operation of one is asked. */
export interface RepoInput {
  readonly owner: string;
  readonly repo: string;
}
/** As @octokit/rest asks for another form of the answer. */
export interface DiffInput {
  readonly mediaType?: { readonly format: 'diff' | 'sha' };
}
export interface PageInput {
  readonly page?: number;
  readonly per_page?: number;
  /** As some tools of the MCP server call it. */
  readonly perPage?: number;
}
