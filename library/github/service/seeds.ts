// A world's author writes files, and this makes the objects of git from them when the repository is first asked for.
import { branchHead, filesOf, getCommit, heads, putCommit, putRef, putText } from '../git/store.js';
import type { Context, Repo } from './model.js';
import { authorOf } from './people.js';
import { rowId, rowsOf } from './rows.js';
import { mergeabilityUs } from './time.js';

export function makeSeeds(context: Context, repo: Repo): Repo {
  if (repo.seeds.length === 0) return repo;
  for (const seed of repo.seeds) {
    const from = branchHead(context, repo.key, seed.branch) ?? (seed.from === null ? undefined : branchHead(context, repo.key, seed.from));
    const parent = getCommit(context, repo.key, from);
    const files = new Map(Object.entries(filesOf(context, parent)));
    for (const [path, text] of Object.entries(seed.files)) {
      if (text === null) files.delete(path);
      else files.set(path, putText(context, text));
    }
    const { sha } = putCommit(context, {
      repo: repo.key,
      files: Object.fromEntries(files),
      parents: parent === undefined ? [] : [parent.sha],
      message: seed.message,
      author: authorOf(context, seed.author),
      atUs: seed.atUs,
    });
    putRef(context, repo.key, `${heads}${seed.branch}`, sha);
  }
  nameCommits(context, repo.key);
  const made = { ...repo, seeds: [] };
  context.state.put('repos', repo.key, made);
  return made;
}

/** Rows that a world begins with name a branch where a commit is meant, as their author cannot know its id. */
function nameCommits(context: Context, repo: string): void {
  const shaOf = (name: string): string => branchHead(context, repo, name) ?? name;
  for (const pull of rowsOf(context, 'pulls', `${repo}:`)) {
    const named = { ...pull, headSha: shaOf(pull.headSha), baseSha: shaOf(pull.baseSha) };
    context.state.put('pulls', rowId(repo, pull.number), named);
    // Whether it can be merged is found out as after a push.
    if (pull.mergeable === null)
      context.events.scheduleAt('mergeability.due', { repo, number: pull.number }, context.clock.nowUs() + mergeabilityUs);
  }
  for (const check of rowsOf(context, 'check-runs', `${repo}:`))
    context.state.put('check-runs', rowId(repo, check.id), { ...check, headSha: shaOf(check.headSha) });
  for (const review of rowsOf(context, 'reviews', `${repo}:`))
    context.state.put('reviews', rowId(repo, review.number, review.id), { ...review, commitId: shaOf(review.commitId) });
  for (const comment of rowsOf(context, 'review-comments', `${repo}:`))
    context.state.put('review-comments', rowId(repo, comment.number, comment.id), { ...comment, commitId: shaOf(comment.commitId) });
  for (const status of rowsOf(context, 'statuses', `${repo}:`))
    context.state.put('statuses', rowId(repo, status.id), { ...status, sha: shaOf(status.sha) });
}
