// What comes with time: whether a pull request can be merged, runs that finish, reviews that arrive, pushes of others.
import { branchHead, getCommit, putCommit } from '../git/store.js';
import { announceCheck } from './announce.js';
import { mergedFiles } from './merging.js';
import type { Context, Files, GithubTypes, Issue, Pull, Repo } from './model.js';
import { authorOf, sameLogin } from './people.js';
import { pushAsOther } from './pushes.js';
import { putReview } from './reviews.js';
import { rowId } from './rows.js';
import { makeSeeds } from './seeds.js';

type Events = GithubTypes['events'];

function repoOf(context: Context, key: string): Repo | undefined {
  const repo = context.state.get('repos', key.toLowerCase());
  return repo === undefined ? undefined : makeSeeds(context, repo);
}

function openPull(context: Context, key: string, number: number): { repo: Repo; issue: Issue; pull: Pull } | undefined {
  const repo = repoOf(context, key);
  if (repo === undefined) return undefined;
  const issue = context.state.get('issues', rowId(repo.key, number));
  const pull = context.state.get('pulls', rowId(repo.key, number));
  return issue?.state !== 'open' || pull === undefined ? undefined : { repo, issue, pull };
}

export function computeMergeability(due: Events['mergeability.due'], context: Context): void {
  const found = openPull(context, due.repo, due.number);
  if (found === undefined) return;
  const { repo, pull } = found;
  const base = getCommit(context, repo.key, branchHead(context, repo.key, pull.base));
  const head = getCommit(context, repo.key, pull.headSha);
  const files = base === undefined || head === undefined ? undefined : mergedFiles(context, repo, base, head);
  const tried = files === undefined ? undefined : tryMerge(context, repo, pull, files);
  context.state.put('pulls', rowId(repo.key, pull.number), { ...pull, mergeable: files !== undefined, mergeCommitSha: tried ?? null });
}

/** The commit that a merge would make; GitHub shows it as `merge_commit_sha` until there is a real one. */
function tryMerge(context: Context, repo: Repo, { head, base, headSha }: Pull, files: Files): string {
  const parents = [branchHead(context, repo.key, base) ?? '', headSha];
  const author = authorOf(context, repo.owner);
  const message = `Merge ${head} into ${base}`;
  return putCommit(context, { repo: repo.key, files, parents, message, author, atUs: context.clock.nowUs() }).sha;
}

/** A run that was finished otherwise in the meantime stays as it is. */
export function advanceCheck(due: Events['check.due'], context: Context): void {
  const repo = repoOf(context, due.repo);
  const check = repo === undefined ? undefined : context.state.get('check-runs', rowId(repo.key, due.id));
  if (repo === undefined || check === undefined || check.status === 'completed') return;
  const completedAtUs = due.status === 'completed' ? context.clock.nowUs() : null;
  const changed = { ...check, status: due.status, conclusion: due.conclusion, completedAtUs };
  context.state.put('check-runs', rowId(repo.key, check.id), changed);
  if (due.status === 'completed') announceCheck(context, repo, changed, 'completed');
}

export function receiveReview(due: Events['review.due'], context: Context): void {
  const found = openPull(context, due.repo, due.number);
  if (found === undefined || sameLogin(found.issue.user, due.user)) return;
  putReview(context, found, { user: due.user, state: due.state, body: due.body, commitId: found.pull.headSha });
}

export function receivePush(due: Events['push.due'], context: Context): void {
  const repo = repoOf(context, due.repo);
  if (repo !== undefined) pushAsOther(context, repo, due);
}
