// Rows as the Web API shows them. Nothing is shown here that the vendor's own types do not have.
import { isMember } from './access.js';
import type { Channel, Context, File, Message, Shown, Team, User } from './model.js';
import { findRow, repliesTo, teamOf } from './rows.js';
import { tsOf } from './times.js';

/** The vendor's host; the codecs put the world's own in its place. */
export const filesHost = 'https://files.slack.com';

export function shownUser(team: Team, user: User): Shown {
  const isBot = user.bot_id !== null;
  return {
    id: user.id,
    team_id: team.id,
    name: user.name,
    deleted: user.deleted,
    real_name: user.real_name,
    tz: user.tz,
    tz_label: user.tz_label,
    tz_offset: user.tz_offset,
    profile: { ...shownProfile(user), team: team.id },
    is_admin: user.is_admin,
    is_owner: user.is_owner,
    is_primary_owner: false,
    is_restricted: false,
    is_ultra_restricted: false,
    is_bot: isBot,
    is_app_user: false,
    is_email_confirmed: user.email !== null,
    updated: user.updated,
  };
}

export function shownProfile(user: User): Shown {
  const [first = '', ...rest] = user.real_name.split(' ');
  return {
    title: user.title,
    phone: user.phone,
    skype: '',
    real_name: user.real_name,
    real_name_normalized: user.real_name,
    display_name: user.display_name,
    display_name_normalized: user.display_name,
    first_name: first,
    last_name: rest.join(' '),
    status_text: user.status_text,
    status_emoji: user.status_emoji,
    status_expiration: user.status_expiration,
    email: user.email ?? undefined,
    bot_id: user.bot_id ?? undefined,
    api_app_id: user.app_id ?? undefined,
  };
}

export function shownChannel(team: Team, channel: Channel, user: string): Shown {
  const { id, kind, created, is_archived, updated } = channel;
  const common = { id, created, is_archived, is_org_shared: false, context_team_id: team.id, updated };
  if (kind === 'im') return { ...common, is_im: true, user: channel.members.find((member) => member !== user) ?? user };
  return {
    ...common,
    name: channel.name,
    name_normalized: channel.name,
    creator: channel.creator,
    is_channel: kind === 'channel',
    is_group: kind === 'private',
    is_im: false,
    is_mpim: kind === 'mpim',
    is_private: kind !== 'channel',
    is_general: channel.is_general,
    is_shared: false,
    is_ext_shared: false,
    is_pending_ext_shared: false,
    is_member: isMember(channel, user),
    unlinked: 0,
    topic: { ...channel.topic },
    purpose: { ...channel.purpose },
    previous_names: [...channel.previous_names],
  };
}

/** A message as a list of messages shows it: with its thread, its reactions and its files. */
export function shownMessage(context: Context, message: Message, replies: readonly Message[] = repliesTo(context, message)): Shown {
  const team = teamOf(context);
  const author = findRow(context, 'users', message.user);
  const files = message.files.flatMap((id) => {
    const file = findRow(context, 'files', id);
    return file === undefined ? [] : [shownFile(context, file)];
  });
  return {
    type: 'message',
    subtype: message.subtype ?? undefined,
    user: message.user,
    text: message.text,
    ts: message.ts,
    team: team.id,
    ...(message.tombstone ? { hidden: true } : {}),
    ...(author?.bot_id == null ? {} : botMembers(team, author)),
    username: message.username,
    ...threadMembers(message, replies),
    edited: message.edited === null ? undefined : { ...message.edited },
    blocks: message.blocks,
    attachments: message.attachments,
    metadata: message.metadata,
    files: files.length === 0 ? undefined : files,
    upload: files.length === 0 ? undefined : false,
    reactions:
      message.reactions.length === 0 ? undefined : message.reactions.map(({ name, users }) => ({ name, users, count: users.length })),
  };
}

export function botMembers(team: Team, { bot_id, app_id, id, real_name, updated, deleted }: User): Shown {
  return { bot_id, app_id, bot_profile: { id: bot_id, app_id, user_id: id, name: real_name, team_id: team.id, updated, deleted } };
}

function threadMembers(message: Message, replies: readonly Message[]): Shown {
  if (message.parent_ts !== null) return { thread_ts: message.parent_ts };
  const last = replies.at(-1);
  if (last === undefined) return {};
  const users = [...new Set(replies.map(({ user }) => user))];
  return {
    thread_ts: message.ts,
    reply_count: replies.length,
    reply_users_count: users.length,
    reply_users: users,
    latest_reply: last.ts,
    is_locked: false,
  };
}

const prettyTypes: { readonly [extension: string]: readonly [type: string, pretty: string] } = {
  txt: ['text', 'Plain Text'],
  md: ['markdown', 'Markdown (raw)'],
  csv: ['csv', 'CSV'],
  json: ['javascript', 'JSON'],
  pdf: ['pdf', 'PDF'],
  png: ['png', 'PNG'],
  jpg: ['jpg', 'JPEG'],
  log: ['text', 'Plain Text'],
};

export function shownFile(context: Context, file: File): Shown {
  const team = teamOf(context);
  const { id, name, title, created, user, mimetype, length } = file;
  const [filetype, pretty_type] = prettyTypes[extensionOf(name)] ?? ['binary', 'Binary'];
  const places = file.shares.map(({ channel, ts }) => ({ row: findRow(context, 'channels', channel), channel, ts }));
  const among = (...kinds: readonly string[]): string[] => [
    ...new Set(places.flatMap(({ row, channel }) => (row !== undefined && kinds.includes(row.kind) ? [channel] : []))),
  ];
  const url = `${filesHost}/files-pri/${team.id}-${id}/${encodeURIComponent(name)}`;
  return {
    id,
    created,
    timestamp: created,
    name,
    title,
    mimetype,
    filetype,
    pretty_type,
    user,
    user_team: team.id,
    editable: false,
    size: length,
    mode: 'hosted',
    is_external: false,
    external_type: '',
    is_public: among('channel').length > 0,
    public_url_shared: false,
    display_as_bot: false,
    username: '',
    url_private: url,
    url_private_download: url,
    permalink: `https://${team.domain}.slack.com/files/${user}/${id}/${encodeURIComponent(name)}`,
    alt_txt: file.alt_txt ?? undefined,
    channels: among('channel'),
    groups: among('private', 'mpim'),
    ims: among('im'),
    comments_count: 0,
    shares: sharesOf(places),
  };
}

type Place = { readonly row: Channel | undefined; readonly channel: string; readonly ts: string };

function sharesOf(places: readonly Place[]): Shown {
  const shares: { public?: { [channel: string]: unknown[] }; private?: { [channel: string]: unknown[] } } = {};
  for (const { row, channel, ts } of places) {
    const kind = row?.kind === 'channel' ? 'public' : 'private';
    const below = shares[kind] ?? {};
    below[channel] = [
      ...(below[channel] ?? []),
      { ts, channel_name: row?.name ?? '', reply_count: 0, reply_users: [], reply_users_count: 0 },
    ];
    shares[kind] = below;
  }
  return shares;
}

const extensionOf = (name: string): string => /\.([A-Za-z0-9]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';

const mimetypes: { readonly [extension: string]: string } = {
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  json: 'application/json',
  log: 'text/plain',
  pdf: 'application/pdf',
  png: 'image/png',
  jpg: 'image/jpeg',
};
export const mimetypeOf = (name: string): string => mimetypes[extensionOf(name)] ?? 'application/octet-stream';

export function permalinkOf(team: Team, { channel, ts, parent_ts }: Pick<Message, 'channel' | 'ts' | 'parent_ts'>): string {
  const link = `https://${team.domain}.slack.com/archives/${channel}/p${ts.replace('.', '')}`;
  return parent_ts === null ? link : `${link}?thread_ts=${parent_ts}&cid=${channel}`;
}

/** The newest message that is old enough to be seen by history and search. */
export function seenUntil(context: Context): string {
  const { read_lag_us } = teamOf(context);
  return read_lag_us === 0 ? '9999999999.999999' : tsOf(Math.max(0, context.clock.nowUs() - read_lag_us));
}
