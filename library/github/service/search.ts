// Searching code, repositories and users. Code is that of default branches.
import { blobText, branchHead, filesOf, getCommit } from '../git/store.js';
import { invalidField } from './access.js';
import type { Context, PageInput, Repo, User } from './model.js';
import { sameLogin } from './people.js';
import { includesText, type Term, termsOf } from './query.js';
import { pageOf, rowsOf } from './rows.js';
import { searchable } from './searchable.js';
import { shownUser } from './shape-base.js';
import { shownEntry } from './shape-commit.js';
import { shownRepo, shownRepoHead } from './shape-repo.js';

interface SearchInput extends PageInput {
  readonly q: string;
  readonly sort?: string;
  readonly order?: 'asc' | 'desc';
}

const codeQualifiers: ReadonlySet<string> = new Set(['repo', 'org', 'user', 'path', 'filename', 'extension', 'language', 'in']);
const extensions: { readonly [language: string]: readonly string[] } = {
  typescript: ['ts', 'tsx'],
  javascript: ['js', 'mjs', 'cjs', 'jsx'],
  python: ['py'],
  go: ['go'],
  markdown: ['md'],
  yaml: ['yml', 'yaml'],
  json: ['json'],
};

export function searchCode(input: SearchInput, context: Context) {
  if (input.q.trim() === '') return invalidField(context, 'Search', 'q', 'missing');
  const terms = termsOf(input.q, codeQualifiers);
  const found = searchable(context, terms).flatMap((repo) => {
    const head = getCommit(context, repo.key, branchHead(context, repo.key, repo.defaultBranch));
    return Object.entries(filesOf(context, head)).flatMap(([path, sha]) => {
      const text = blobText(context, sha) ?? '';
      return terms.every((term) => isInFile(path, text, term) !== term.negated) ? [{ repo, path, sha, ref: head?.sha ?? '' }] : [];
    });
  });
  const { items, total_count } = pageOf(found, input, ({ repo, path, sha, ref }) => {
    const { name, url, git_url, html_url } = shownEntry(repo, ref, { type: 'file', path, sha, size: 0 });
    return { name, path, sha, url, git_url, html_url, repository: shownRepoHead(context, repo), score: 1 };
  });
  return { total_count, incomplete_results: false, items };
}

function isInFile(path: string, text: string, { qualifier, value, negated }: Term): boolean {
  const name = path.split('/').at(-1) ?? path;
  const extension = name.includes('.') ? name.split('.').at(-1) : '';
  if (qualifier === undefined) return includesText(text, value) || includesText(path, value);
  if (qualifier === 'path') return path.startsWith(value.replace(/^\//, '')) || includesText(path, value);
  if (qualifier === 'filename') return name.toLowerCase() === value.toLowerCase();
  if (qualifier === 'extension') return extension === value.replace(/^\./, '');
  if (qualifier === 'language') return (extensions[value.toLowerCase()] ?? []).includes(extension ?? '');
  // Where to look has been decided before, for what is excluded too.
  return !negated;
}

const repoQualifiers: ReadonlySet<string> = new Set(['repo', 'org', 'user', 'language', 'is', 'topic', 'in']);

export function searchRepos(input: Omit<SearchInput, 'q'> & { readonly q?: string; readonly query?: string }, context: Context) {
  const { query = '', q = query } = input;
  if (q.trim() === '') return invalidField(context, 'Search', 'q', 'missing');
  const terms = termsOf(q, repoQualifiers);
  const found = searchable(context, terms).filter((repo) => terms.every((term) => isRepo(repo, term) !== term.negated));
  const newest = input.order !== 'asc';
  const sorted =
    input.sort === 'updated' ? found.sort((a, b) => (newest ? b.updatedAtUs - a.updatedAtUs : a.updatedAtUs - b.updatedAtUs)) : found;
  const { items, total_count } = pageOf(sorted, input, (repo) => ({ ...shownRepo(context, repo), score: 1 }));
  return { total_count, incomplete_results: false, items };
}

function isRepo(repo: Repo, { qualifier, value, negated }: Term): boolean {
  if (qualifier === undefined) return includesText(repo.name, value) || includesText(repo.description, value);
  if (qualifier === 'language') return (repo.language ?? '').toLowerCase() === value.toLowerCase();
  if (qualifier === 'is') return value === (repo.private ? 'private' : 'public');
  if (qualifier === 'topic') return repo.topics.includes(value);
  return !negated;
}

const userQualifiers: ReadonlySet<string> = new Set(['type', 'user', 'org', 'in']);

export function searchUsers(input: SearchInput, context: Context) {
  if (input.q.trim() === '') return invalidField(context, 'Search', 'q', 'missing');
  const terms = termsOf(input.q, userQualifiers);
  const places = terms.filter(({ qualifier }) => qualifier === 'in').flatMap(({ value }) => value.split(','));
  const found = rowsOf(context, 'users').filter((user) => terms.every((term) => isUser(user, term, places) !== term.negated));
  const sign = input.order === 'asc' ? 1 : -1;
  const sorted = input.sort === 'joined' ? found.sort((a, b) => sign * (a.createdAtUs - b.createdAtUs || a.id - b.id)) : found;
  const { items, total_count } = pageOf(sorted, input, ({ login }) => ({ ...shownUser(context, login), score: 1 }));
  return { total_count, incomplete_results: false, items };
}

/** An organisation is `org` in a query. */
function isUser(user: User, { qualifier, value, negated }: Term, places: readonly string[]): boolean {
  if (qualifier === 'type') return user.type.toLowerCase() === (value.toLowerCase() === 'org' ? 'organization' : value.toLowerCase());
  if (qualifier === 'user' || qualifier === 'org') return sameLogin(user.login, value);
  if (qualifier === 'in') return !negated;
  const texts = { login: user.login, name: user.name, email: user.email };
  return Object.entries(texts).some(([place, text]) => (places.length === 0 || places.includes(place)) && includesText(text, value));
}
