// A repository as GitHub shows it: within other answers, in lists, and by itself.
import { viewerOf } from './access.js';
import type { Context, Repo } from './model.js';
import { rowsOf } from './rows.js';
import { nodeId, permissionsOf, repoApi, repoWeb, shownUser } from './shape-base.js';
import { isoOf } from './time.js';

/** Addresses that are the repository's own with something behind. */
const paths: readonly (readonly [string, string])[] = [
  ['forks_url', '/forks'],
  ['keys_url', '/keys{/key_id}'],
  ['collaborators_url', '/collaborators{/collaborator}'],
  ['teams_url', '/teams'],
  ['hooks_url', '/hooks'],
  ['issue_events_url', '/issues/events{/number}'],
  ['events_url', '/events'],
  ['assignees_url', '/assignees{/user}'],
  ['branches_url', '/branches{/branch}'],
  ['tags_url', '/tags'],
  ['blobs_url', '/git/blobs{/sha}'],
  ['git_tags_url', '/git/tags{/sha}'],
  ['git_refs_url', '/git/refs{/sha}'],
  ['trees_url', '/git/trees{/sha}'],
  ['statuses_url', '/statuses/{sha}'],
  ['languages_url', '/languages'],
  ['stargazers_url', '/stargazers'],
  ['contributors_url', '/contributors'],
  ['subscribers_url', '/subscribers'],
  ['subscription_url', '/subscription'],
  ['commits_url', '/commits{/sha}'],
  ['git_commits_url', '/git/commits{/sha}'],
  ['comments_url', '/comments{/number}'],
  ['issue_comment_url', '/issues/comments{/number}'],
  ['contents_url', '/contents/{+path}'],
  ['compare_url', '/compare/{base}...{head}'],
  ['merges_url', '/merges'],
  ['archive_url', '/{archive_format}{/ref}'],
  ['downloads_url', '/downloads'],
  ['issues_url', '/issues{/number}'],
  ['pulls_url', '/pulls{/number}'],
  ['milestones_url', '/milestones{/number}'],
  ['notifications_url', '/notifications{?since,all,participating}'],
  ['labels_url', '/labels{/name}'],
  ['releases_url', '/releases{/id}'],
  ['deployments_url', '/deployments'],
];

/** As it stands within other answers. */
export function shownRepoHead(context: Context, repo: Repo) {
  const url = repoApi(repo);
  return {
    id: repo.id,
    node_id: nodeId('Repository', repo.id),
    name: repo.name,
    full_name: `${repo.owner}/${repo.name}`,
    private: repo.private,
    owner: shownUser(context, repo.owner),
    html_url: repoWeb(repo),
    description: repo.description,
    fork: false,
    url,
    ...Object.fromEntries(paths.map(([name, path]) => [name, `${url}${path}`])),
  };
}

export function shownRepo(context: Context, repo: Repo) {
  const open = rowsOf(context, 'issues', `${repo.key}:`).filter(({ state }) => state === 'open').length;
  const path = `${repo.owner}/${repo.name}`;
  return {
    ...shownRepoHead(context, repo),
    git_url: `git://github.com/${path}.git`,
    ssh_url: `git@github.com:${path}.git`,
    clone_url: `${repoWeb(repo)}.git`,
    svn_url: repoWeb(repo),
    created_at: isoOf(repo.createdAtUs),
    updated_at: isoOf(repo.updatedAtUs),
    pushed_at: isoOf(repo.pushedAtUs),
    homepage: null,
    size: rowsOf(context, 'commits', `${repo.key}:`).length,
    stargazers_count: 0,
    watchers_count: 0,
    language: repo.language,
    has_issues: true,
    has_projects: false,
    has_downloads: false,
    has_wiki: false,
    has_pages: false,
    has_discussions: false,
    forks_count: 0,
    mirror_url: null,
    archived: false,
    disabled: false,
    open_issues_count: open,
    license: null,
    allow_forking: true,
    is_template: false,
    web_commit_signoff_required: false,
    topics: repo.topics,
    visibility: repo.private ? 'private' : 'public',
    forks: 0,
    open_issues: open,
    watchers: 0,
    default_branch: repo.defaultBranch,
    permissions: permissionsOf(repo, viewerOf(context)),
  };
}

/** By itself it says more. */
export function shownFullRepo(context: Context, repo: Repo) {
  return {
    ...shownRepo(context, repo),
    allow_squash_merge: true,
    allow_merge_commit: true,
    allow_rebase_merge: true,
    allow_auto_merge: false,
    delete_branch_on_merge: false,
    network_count: 0,
    subscribers_count: 0,
  };
}
