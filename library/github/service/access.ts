// Who asks, and what they may do. The actor is the user that its attribute `login` names, else the user of its own id.
import type { Context, Issue, Permission, Pull, Repo, RepoInput } from './model.js';
import { sameLogin, userOf } from './people.js';
import { rowId } from './rows.js';
import { makeSeeds } from './seeds.js';

const ranks: readonly Permission[] = ['read', 'triage', 'write', 'maintain', 'admin'];

export function viewerOf(context: Context): string {
  const { login } = context.actor.attributes;
  return typeof login === 'string' ? login : context.actor.id;
}

export function permissionOf(repo: Repo, login: string): Permission | undefined {
  if (sameLogin(repo.owner, login)) return 'admin';
  const own = repo.collaborators.find((collaborator) => sameLogin(collaborator.login, login))?.permission;
  return own ?? (repo.private ? undefined : 'read');
}

/** Who has a place in it: the owner, where that is a person, and the collaborators. They can be assigned as well. */
export function peopleOf(context: Context, repo: Repo): string[] {
  const others = repo.collaborators.map(({ login }) => login).filter((login) => !sameLogin(login, repo.owner));
  return userOf(context, repo.owner).type === 'Organization' ? others : [repo.owner, ...others];
}

export function isOneOf(context: Context, repo: Repo, login: string): boolean {
  return peopleOf(context, repo).some((one) => sameLogin(one, login));
}

/** An actor without a place in a private repository does not learn that it is there. */
export function readRepo(context: Context, { owner, repo }: RepoInput): Repo {
  const found = context.state.get('repos', `${owner}/${repo}`.toLowerCase());
  if (found === undefined || permissionOf(found, viewerOf(context)) === undefined) return notFound(context);
  return makeSeeds(context, found);
}

export function writeRepo(context: Context, input: RepoInput, needed: Permission = 'write'): Repo {
  const repo = readRepo(context, input);
  return may(repo, viewerOf(context), needed) ? repo : forbidden(context);
}

export function may(repo: Repo, login: string, needed: Permission): boolean {
  const permission = permissionOf(repo, login);
  return permission !== undefined && ranks.indexOf(permission) >= ranks.indexOf(needed);
}

export function requireIssue(context: Context, repo: Repo, number: number): Issue {
  return context.state.get('issues', rowId(repo.key, number)) ?? notFound(context);
}

export function requirePull(context: Context, repo: Repo, number: number): { issue: Issue; pull: Pull } {
  const pull = context.state.get('pulls', rowId(repo.key, number));
  return pull === undefined ? notFound(context) : { issue: requireIssue(context, repo, number), pull };
}

export function notFound(context: Context, message = 'Not Found'): never {
  return context.fail({ code: 'NOT_FOUND', message });
}

export function forbidden(context: Context, message = 'Resource not accessible by personal access token'): never {
  return context.fail({ code: 'FORBIDDEN', message });
}

export function conflict(context: Context, message: string): never {
  return context.fail({ code: 'CONFLICT', message });
}

/** What GitHub finds wrong: a member with a code, or a sentence. */
export type Problem = string | { readonly resource: string; readonly field: string; readonly code: string; readonly message?: string };

export function invalid(context: Context, message: string, ...problems: readonly Problem[]): never {
  return context.fail({ code: 'VALIDATION_FAILED', message, ...(problems.length === 0 ? {} : { details: { errors: problems } }) });
}

/** As GitHub answers for reviews: what is wrong stands among the errors alone, as a sentence. */
export function unprocessable(context: Context, problem: string): never {
  return invalid(context, 'Unprocessable Entity', problem);
}

/** White space says nothing. */
export const isBlank = (text: string): boolean => text.trim() === '';

export function requireTitle(context: Context, resource: string, title: string): string {
  return isBlank(title) ? invalidField(context, resource, 'title', 'missing_field') : title;
}

/** The text of a comment, which says something. */
export function requireBody(context: Context, resource: string, body: string): string {
  return isBlank(body) ? invalidField(context, resource, 'data', 'unprocessable', 'Body cannot be blank') : body;
}

export function invalidField(context: Context, resource: string, field: string, code: string, message?: string): never {
  return invalid(context, 'Validation Failed', { resource, field, code, ...(message === undefined ? {} : { message }) });
}
