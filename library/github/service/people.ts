// Users, and users as authors of commits.
import type { Person } from '../git/objects.js';
import type { Context, User } from './model.js';
import { rowsOf } from './rows.js';

/** A user that no row has is one without a profile, so that every actor is somebody. */
export function userOf(context: Context, login: string): User {
  return context.state.get('users', login.toLowerCase()) ?? plainUser(login);
}

function plainUser(login: string): User {
  const bare = { name: null, email: null, bio: null, company: null, reviewHabit: null };
  return { id: idOf(login), login, ...bare, type: 'User', createdAtUs: 0 };
}

/** The same number for the same name (FNV-1a), beyond those of rows. */
export function idOf(name: string): number {
  let hash = 0x811c9dc5;
  for (const character of name) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return (hash % 90_000_000) + 10_000_000;
}

export const sameLogin = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** Whose address it is; null where no account has it. */
export function loginOf(context: Context, email: string): string | null {
  return rowsOf(context, 'users').find((user) => user.email?.toLowerCase() === email.toLowerCase())?.login ?? null;
}

export function authorOf(context: Context, login: string): Person {
  const user = userOf(context, login);
  return { login: user.login, name: user.name ?? user.login, email: user.email ?? `${user.id}+${user.login}@users.noreply.github.com` };
}
