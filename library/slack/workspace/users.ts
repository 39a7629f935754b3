// The people and bots of the workspace, and the workspace itself.
import type { JsonValue } from 'drillyard/tool-sdk';
import { callerOf, requirePerson, requireUser } from './access.js';
import type { Context, Shown, User } from './model.js';
import { metadataOf, type PageInput, pageOf } from './paging.js';
import { refuse, rowsWhere, teamOf } from './rows.js';
import { shownProfile, shownUser } from './shown.js';
import { nowSeconds } from './times.js';

/** The API gives all of them where no limit is named; a world does so up to this many. */
const listLimitDefault = 1000;
const statusCharsMax = 100;

export function testAuth(_: object, context: Context): Shown {
  const user = callerOf(context);
  const team = teamOf(context);
  const url = `https://${team.domain}.slack.com/`;
  const bot = user.bot_id === null ? {} : { bot_id: user.bot_id };
  return { ok: true, url, team: team.name, user: user.name, team_id: team.id, user_id: user.id, ...bot, is_enterprise_install: false };
}

/** What it is asked comes back; `error` is what it fails with. */
export function testApi({ error, ...args }: { readonly [name: string]: JsonValue }, context: Context): Shown {
  callerOf(context);
  if (error === undefined) return { ok: true, args };
  return { ok: false, error, args: { error, ...args } };
}

export function getTeam(_: object, context: Context): Shown {
  callerOf(context);
  const { id, name, domain, email_domain } = teamOf(context);
  return { ok: true, team: { id, name, url: `https://${domain}.slack.com/`, domain, email_domain, icon: { image_default: true } } };
}

export function listUsers(input: PageInput, context: Context): Shown {
  callerOf(context);
  const items = rowsWhere(context, 'users', () => true);
  const page = pageOf(context, input, { items, keyOf: ({ id }) => id, scope: 'users', limitDefault: listLimitDefault });
  const team = teamOf(context);
  return { ok: true, members: page.items.map((user) => shownUser(team, user)), cache_ts: nowSeconds(context), ...metadataOf(page) };
}

export function getUser({ user: id }: { user?: string }, context: Context): Shown {
  callerOf(context);
  return { ok: true, user: shownUser(teamOf(context), requireUser(context, id ?? '')) };
}

export function lookUpByEmail({ email = '' }: { email?: string }, context: Context): Shown {
  callerOf(context);
  const [user] = rowsWhere(context, 'users', (row) => !row.deleted && row.email?.toLowerCase() === email.toLowerCase());
  if (user === undefined) return refuse(context, 'USERS_NOT_FOUND', `Nobody has the address ${email}.`);
  return { ok: true, user: shownUser(teamOf(context), user) };
}

export function getPresence({ user: id }: { user?: string }, context: Context): Shown {
  const caller = callerOf(context);
  const user = id === undefined ? caller : requireUser(context, id);
  const presence = user.online && !user.away ? 'active' : 'away';
  if (user.id !== caller.id) return { ok: true, presence };
  return {
    ok: true,
    presence,
    online: user.online,
    auto_away: !user.online,
    manual_away: user.away,
    connection_count: user.online ? 1 : 0,
  };
}

export function setPresence({ presence }: { presence?: string }, context: Context): Shown {
  const user = callerOf(context);
  if (presence !== 'auto' && presence !== 'away') return refuse(context, 'INVALID_PRESENCE', 'A presence is auto or away.');
  context.state.put('users', user.id, { ...user, away: presence === 'away' });
  return { ok: true };
}

export function getProfile({ user: id }: { user?: string }, context: Context): Shown {
  const caller = callerOf(context);
  return { ok: true, profile: shownProfile(id === undefined ? caller : requireUser(context, id)) };
}

interface ProfileInput {
  readonly profile?: { readonly [member: string]: JsonValue };
  readonly name?: string;
  readonly value?: string;
  readonly user?: string;
}
const texts = ['real_name', 'display_name', 'email', 'title', 'phone', 'status_text', 'status_emoji'] as const;

/** Members of `profile`, or the one member `name`. */
export function setProfile({ profile, name, value, user: id }: ProfileInput, context: Context): Shown {
  const caller = requirePerson(context);
  const user = id === undefined ? caller : requireUser(context, id);
  if (user.id !== caller.id && !caller.is_admin && !caller.is_owner)
    refuse(context, 'NOT_ADMIN', 'Only admins change the profile of others.');
  const given = profile ?? (name === undefined ? {} : { [name]: value ?? '' });
  const changed: { -readonly [M in keyof User]: User[M] } = { ...user, updated: nowSeconds(context) };
  for (const [member, one] of Object.entries(given)) {
    const text = texts.find((known) => known === member);
    if (text !== undefined && typeof one === 'string') changed[text] = one;
    else if (member === 'status_expiration' && Number.isInteger(Number(one))) changed.status_expiration = Number(one);
    else refuse(context, 'INVALID_PROFILE', `A profile has no such ${member}.`);
  }
  if (changed.status_text.length > statusCharsMax)
    refuse(context, 'PROFILE_STATUS_SET_FAILED_TOO_LONG', `A status has ${statusCharsMax} characters at most.`);
  context.state.put('users', user.id, changed);
  return { ok: true, username: changed.name, profile: shownProfile(changed) };
}
