// What every answer is made of: addresses, node ids, users. Addresses are those of the real service; on the way out over HTTP the encoder
// puts the base URL of the client for `https://api.github.com`.
import { base64Of, bytesOf } from '../git/bytes.js';
import { permissionOf } from './access.js';
import type { Context, Repo } from './model.js';
import { sameLogin, userOf } from './people.js';

export const api = 'https://api.github.com';
export const web = 'https://github.com';

export const nodeId = (kind: string, id: number | string): string => base64Of(bytesOf(`${kind}:${id}`));

export const repoApi = (repo: Repo): string => `${api}/repos/${repo.owner}/${repo.name}`;
export const repoWeb = (repo: Repo): string => `${web}/${repo.owner}/${repo.name}`;

export function shownUser(context: Context, login: string) {
  const user = userOf(context, login);
  const url = `${api}/users/${user.login}`;
  return {
    login: user.login,
    id: user.id,
    node_id: nodeId(user.type, user.id),
    avatar_url: `https://avatars.githubusercontent.com/u/${user.id}?v=4`,
    gravatar_id: '',
    url,
    html_url: `${web}/${user.login}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type: user.type,
    user_view_type: 'public',
    site_admin: false,
  };
}

/** Nobody reacts here. */
export function shownReactions(url: string) {
  const kinds = ['+1', '-1', 'laugh', 'hooray', 'confused', 'heart', 'rocket', 'eyes'];
  return { url: `${url}/reactions`, total_count: 0, ...Object.fromEntries(kinds.map((kind) => [kind, 0])) };
}

export function shownUserOrNull(context: Context, login: string | null) {
  return login === null ? null : shownUser(context, login);
}

/** How the author of something stands to the repository. */
export function associationOf(repo: Repo, login: string): string {
  if (sameLogin(repo.owner, login)) return 'OWNER';
  return repo.collaborators.some((one) => sameLogin(one.login, login)) ? 'COLLABORATOR' : 'NONE';
}

export function permissionsOf(repo: Repo, login: string) {
  const permission = permissionOf(repo, login) ?? 'read';
  const rank = ['read', 'triage', 'write', 'maintain', 'admin'].indexOf(permission);
  return { admin: rank >= 4, maintain: rank >= 3, push: rank >= 2, triage: rank >= 1, pull: true };
}
