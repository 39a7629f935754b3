// The repositories that a search looks in.
import { permissionOf, viewerOf } from './access.js';
import type { Context, Repo } from './model.js';
import { sameLogin } from './people.js';
import type { Term } from './query.js';
import { rowsOf } from './rows.js';
import { makeSeeds } from './seeds.js';

/** Those that who asks may read, of the owners and names that the terms give. */
export function searchable(context: Context, terms: readonly Term[]): Repo[] {
  const viewer = viewerOf(context);
  const named = terms.filter(({ qualifier, negated }) => !negated && ['repo', 'org', 'user'].includes(qualifier ?? ''));
  const excluded = terms.filter(({ qualifier, negated }) => negated && ['repo', 'org', 'user'].includes(qualifier ?? ''));
  const isMeant = (repo: Repo, { qualifier, value }: Term): boolean =>
    sameLogin(qualifier === 'repo' ? `${repo.owner}/${repo.name}` : repo.owner, value === '@me' ? viewer : value);
  return rowsOf(context, 'repos')
    .filter((repo) => permissionOf(repo, viewer) !== undefined)
    .filter((repo) => named.length === 0 || named.some((term) => isMeant(repo, term)))
    .filter((repo) => !excluded.some((term) => isMeant(repo, term)))
    .map((repo) => makeSeeds(context, repo));
}
