// Whether an account has a place in a repository: yes is an answer without a body, no is Not Found.
import { isOneOf, notFound, peopleOf, permissionOf, readRepo, requireIssue } from './access.js';
import type { Context, PageInput, Permission, RepoInput } from './model.js';
import { userOf } from './people.js';
import { pageOf } from './rows.js';
import { permissionsOf, shownUser } from './shape-base.js';

interface AssigneeInput extends RepoInput {
  readonly assignee: string;
}
type UserInput = RepoInput & { readonly username: string };

export function checkCollaborator({ username, ...input }: UserInput, context: Context): null {
  return isOneOf(context, readRepo(context, input), username) ? null : notFound(context);
}

/** The three that GitHub had first; the other two are among them here. */
const older: { readonly [permission in Permission]: string } = {
  admin: 'admin',
  maintain: 'write',
  write: 'write',
  triage: 'read',
  read: 'read',
};

export function getPermission({ username, ...input }: UserInput, context: Context) {
  const repo = readRepo(context, input);
  const permission = permissionOf(repo, username);
  const isSomebody = context.state.get('users', username.toLowerCase()) !== undefined || isOneOf(context, repo, username);
  if (!isSomebody) return notFound(context);
  const none = { admin: false, maintain: false, push: false, triage: false, pull: false };
  const role_name = permission ?? 'none';
  const permissions = permission === undefined ? none : permissionsOf(repo, username);
  return {
    permission: permission === undefined ? 'none' : older[permission],
    role_name,
    user: { ...shownUser(context, userOf(context, username).login), permissions, role_name },
  };
}

export function listAssignees(input: RepoInput & PageInput, context: Context) {
  return pageOf(peopleOf(context, readRepo(context, input)), input, (login) => shownUser(context, login));
}

export function checkAssignee({ assignee, ...input }: AssigneeInput, context: Context): null {
  return isOneOf(context, readRepo(context, input), assignee) ? null : notFound(context);
}

export function checkAssigneeOfIssue(input: AssigneeInput & { readonly issue_number: number }, context: Context): null {
  requireIssue(context, readRepo(context, input), input.issue_number);
  return checkAssignee(input, context);
}
