// Users and repositories.
import { branchHead, heads, putCommit, putRef, putText } from '../git/store.js';
import { invalidField, notFound, peopleOf, permissionOf, readRepo, viewerOf } from './access.js';
import type { Context, PageInput, Repo, RepoInput, User } from './model.js';
import { authorOf, sameLogin, userOf } from './people.js';
import { nextId, pageOf, rowsOf } from './rows.js';
import { makeSeeds } from './seeds.js';
import { permissionsOf, shownUser } from './shape-base.js';
import { shownFullRepo, shownRepo } from './shape-repo.js';
import { isoOf } from './time.js';

function profileOf(context: Context, user: User) {
  const owned = rowsOf(context, 'repos').filter((repo) => sameLogin(repo.owner, user.login));
  return {
    ...shownUser(context, user.login),
    name: user.name,
    company: user.company,
    blog: '',
    location: null,
    email: user.email,
    hireable: null,
    bio: user.bio,
    twitter_username: null,
    public_repos: owned.filter((repo) => !repo.private).length,
    public_gists: 0,
    followers: 0,
    following: 0,
    created_at: isoOf(user.createdAtUs),
    updated_at: isoOf(user.createdAtUs),
  };
}

export function getAuthenticated(_: object, context: Context) {
  const user = userOf(context, viewerOf(context));
  const hidden = rowsOf(context, 'repos').filter((repo) => repo.private && sameLogin(repo.owner, user.login)).length;
  return {
    ...profileOf(context, user),
    private_gists: 0,
    total_private_repos: hidden,
    owned_private_repos: hidden,
    disk_usage: 0,
    collaborators: 0,
    two_factor_authentication: true,
  };
}

export function getByUsername({ username }: { readonly username: string }, context: Context) {
  const user = context.state.get('users', username.toLowerCase());
  return user === undefined ? notFound(context) : profileOf(context, user);
}

export function getRepo(input: RepoInput, context: Context) {
  return shownFullRepo(context, readRepo(context, input));
}

interface ReposInput extends PageInput {
  readonly visibility?: 'all' | 'public' | 'private';
  readonly sort?: 'created' | 'updated' | 'pushed' | 'full_name';
  readonly direction?: 'asc' | 'desc';
}

export function listRepos({ visibility = 'all', sort = 'full_name', direction, ...input }: ReposInput, context: Context) {
  const viewer = viewerOf(context);
  const own = rowsOf(context, 'repos').filter(
    (repo) =>
      (sameLogin(repo.owner, viewer) || repo.collaborators.some(({ login }) => sameLogin(login, viewer))) &&
      (visibility === 'all' || (visibility === 'private') === repo.private),
  );
  const sign = (direction ?? (sort === 'full_name' ? 'asc' : 'desc')) === 'asc' ? 1 : -1;
  const timeOf = (repo: Repo): number => (sort === 'created' ? repo.createdAtUs : sort === 'pushed' ? repo.pushedAtUs : repo.updatedAtUs);
  const order = (a: Repo, b: Repo): number => (sort === 'full_name' ? 0 : timeOf(a) - timeOf(b)) || (a.key < b.key ? -1 : 1);
  return pageOf(
    own.sort((a, b) => sign * order(a, b)),
    input,
    (repo) => shownRepo(context, makeSeeds(context, repo)),
  );
}

interface NewRepo {
  readonly name: string;
  readonly description?: string | null;
  readonly private?: boolean;
  readonly auto_init?: boolean;
  /** As the MCP server takes it. */
  readonly autoInit?: boolean;
}

export function createRepo(input: NewRepo, context: Context) {
  const { name, description = null, private: hidden = false, autoInit = false, auto_init: init = autoInit } = input;
  if (!/^[A-Za-z0-9._-]{1,100}$/.test(name)) return invalidField(context, 'Repository', 'name', 'invalid');
  const owner = userOf(context, viewerOf(context)).login;
  const key = `${owner}/${name}`.toLowerCase();
  if (context.state.get('repos', key) !== undefined)
    return invalidField(context, 'Repository', 'name', 'custom', 'name already exists on this account');
  const nowUs = context.clock.nowUs();
  const repo: Repo = {
    id: nextId(context),
    key,
    owner,
    name,
    description,
    private: hidden,
    defaultBranch: 'main',
    language: null,
    topics: [],
    collaborators: [],
    workflows: [],
    seeds: [],
    createdAtUs: nowUs,
    updatedAtUs: nowUs,
    pushedAtUs: nowUs,
  };
  context.state.put('repos', key, repo);
  if (init) {
    const files = { 'README.md': putText(context, `# ${name}\n${description === null ? '' : `${description}\n`}`) };
    const author = authorOf(context, owner);
    const { sha } = putCommit(context, { repo: key, files, parents: [], message: 'Initial commit', author, atUs: nowUs });
    putRef(context, key, `${heads}main`, sha);
  }
  return shownFullRepo(context, repo);
}

export function listCollaborators(input: RepoInput & PageInput, context: Context) {
  const repo = readRepo(context, input);
  return pageOf(peopleOf(context, repo), input, (login) => ({
    ...shownUser(context, login),
    permissions: permissionsOf(repo, login),
    role_name: permissionOf(repo, login) ?? 'read',
  }));
}

/** A branch that has commits; a repository may be empty. */
export function requireBranch(context: Context, repo: Repo, branch: string): string {
  return branchHead(context, repo.key, branch) ?? notFound(context, 'Branch not found');
}
