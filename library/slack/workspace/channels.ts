// Channels with names: making, naming, archiving and listing them.
import { callerOf, isMember, isVisible, memberOnly, requireChannel, requireNamed, requireOpen, requireUser } from './access.js';
import { tell, tellAll } from './events.js';
import type { Channel, ChannelKind, Context, Shown, User } from './model.js';
import { metadataOf, type PageInput, pageOf } from './paging.js';
import { post } from './posting.js';
import { findRow, nextId, refuse, rowsWhere, teamOf } from './rows.js';
import { shownChannel } from './shown.js';
import { nowSeconds } from './times.js';

const nameCharsMax = 80;
const noteCharsMax = 250;
const listLimitDefault = 100;

export function createChannel({ name, is_private = false }: { name?: string; is_private?: boolean }, context: Context): Shown {
  const user = callerOf(context);
  const nowS = nowSeconds(context);
  const id = nextId(context, 'channels');
  const empty = { value: '', creator: '', last_set: 0 };
  const channel: Channel = {
    id,
    kind: is_private ? 'private' : 'channel',
    name: requireName(context, name),
    creator: user.id,
    created: nowS,
    updated: nowS * 1000,
    is_archived: false,
    is_general: false,
    topic: empty,
    purpose: empty,
    previous_names: [],
    members: [user.id],
    latest_us: 0,
  };
  context.state.put('channels', id, channel);
  if (!is_private) tellAll(context, 'channel_created', { channel: { id, name: channel.name, created: nowS, creator: user.id } });
  post(context, channel, { text: `<@${user.id}> has joined the channel`, user: user.id, origin: 'system', subtype: 'channel_join' });
  return { ok: true, channel: shownChannel(teamOf(context), channel, user.id) };
}

export function renameChannel({ channel: id, name }: { channel?: string; name?: string }, context: Context): Shown {
  const user = callerOf(context);
  const channel = requireOpen(context, requireNamed(context, requireChannel(context, id, user)).id, user);
  if (channel.creator !== user.id && !user.is_admin && !user.is_owner)
    refuse(context, 'NOT_AUTHORIZED', 'A channel is renamed by who made it, and by admins.');
  const renamed = {
    ...channel,
    name: name === channel.name ? channel.name : requireName(context, name),
    previous_names: [...channel.previous_names, channel.name],
    updated: nowSeconds(context) * 1000,
  };
  context.state.put('channels', channel.id, renamed);
  tell(context, 'channel_rename', renamed, { channel: { id: renamed.id, name: renamed.name, created: renamed.created } });
  const text = `<@${user.id}> has renamed the channel from "${channel.name}" to "${renamed.name}"`;
  post(context, renamed, { text, user: user.id, origin: 'system', subtype: 'channel_name' });
  return { ok: true, channel: shownChannel(teamOf(context), renamed, user.id) };
}

export function archive({ channel: id }: { channel?: string }, context: Context): Shown {
  const user = callerOf(context);
  const channel = requireNamed(context, requireChannel(context, id, user));
  if (channel.is_general) refuse(context, 'CANT_ARCHIVE_GENERAL', 'The general channel stays.');
  if (channel.is_archived) refuse(context, 'ALREADY_ARCHIVED', `${channel.id} is archived already.`);
  archiveChannel(context, memberOnly(context, channel, user), user.id);
  return { ok: true };
}

export function unarchive({ channel: id }: { channel?: string }, context: Context): Shown {
  const user = callerOf(context);
  const channel = requireNamed(context, requireChannel(context, id, user));
  if (!channel.is_archived) refuse(context, 'NOT_ARCHIVED', `${channel.id} is not archived.`);
  unarchiveChannel(context, channel, user.id);
  return { ok: true };
}

export function archiveChannel(context: Context, channel: Channel, user: string): void {
  post(context, channel, { text: `<@${user}> archived the channel`, user, origin: 'system', subtype: 'channel_archive' });
  setArchived(context, channel, true);
  tell(context, 'channel_archive', channel, { channel: channel.id, user });
}

export function unarchiveChannel(context: Context, channel: Channel, user: string): void {
  if (!channel.is_archived) return;
  setArchived(context, channel, false);
  post(context, channel, { text: `<@${user}> un-archived the channel`, user, origin: 'system', subtype: 'channel_unarchive' });
  tell(context, 'channel_unarchive', channel, { channel: channel.id, user });
}

function setArchived(context: Context, { id }: Channel, is_archived: boolean): void {
  const row = findRow(context, 'channels', id);
  if (row !== undefined) context.state.put('channels', id, { ...row, is_archived, updated: nowSeconds(context) * 1000 });
}

export function setTopic({ channel, topic }: { channel?: string; topic?: string }, context: Context): Shown {
  return setNote(context, 'topic', channel, topic);
}

export function setPurpose({ channel, purpose }: { channel?: string; purpose?: string }, context: Context): Shown {
  return setNote(context, 'purpose', channel, purpose);
}

function setNote(context: Context, which: 'topic' | 'purpose', id: string | undefined, value = ''): Shown {
  const user = callerOf(context);
  const channel = requireOpen(context, id, user);
  if (channel.kind === 'im') requireNamed(context, channel);
  if (value.length > noteCharsMax) refuse(context, 'TOO_LONG', `A ${which} has ${noteCharsMax} characters at most.`);
  const nowS = nowSeconds(context);
  const changed = { ...channel, [which]: { value, creator: user.id, last_set: nowS }, updated: nowS * 1000 };
  context.state.put('channels', channel.id, changed);
  const text = `<@${user.id}> set the channel ${which === 'topic' ? 'topic' : 'description'}: ${value}`;
  post(context, changed, { text, user: user.id, origin: 'system', subtype: `channel_${which}` });
  return { ok: true, channel: shownChannel(teamOf(context), changed, user.id) };
}

interface ListInput extends PageInput {
  readonly types?: string;
  readonly exclude_archived?: boolean;
}

export function listChannels(input: ListInput, context: Context): Shown {
  const user = callerOf(context);
  return page(context, input, user, 'channels', (channel) => isVisible(channel, user.id), true);
}

/** The channels of somebody; those of another person as far as the caller can see them. */
export function listChannelsOf({ user: id, ...input }: ListInput & { readonly user?: string }, context: Context): Shown {
  const caller = callerOf(context);
  const user = id === undefined ? caller : requireUser(context, id);
  return page(context, input, caller, `channels-${user.id}`, (row) => isMember(row, user.id) && isVisible(row, caller.id), false);
}

const kinds = new Map<string, ChannelKind>([
  ['public_channel', 'channel'],
  ['private_channel', 'private'],
  ['im', 'im'],
  ['mpim', 'mpim'],
]);

function page(
  context: Context,
  { types = 'public_channel', exclude_archived = false, ...input }: ListInput,
  user: User,
  scope: string,
  isOfList: (channel: Channel) => boolean,
  counted: boolean,
): Shown {
  const wanted = new Set(
    types.split(',').map((type) => kinds.get(type.trim()) ?? refuse(context, 'INVALID_TYPES', `'${type}' is no type of channels.`)),
  );
  const items = rowsWhere(context, 'channels', (row) => wanted.has(row.kind) && isOfList(row) && !(exclude_archived && row.is_archived));
  const found = pageOf(context, input, { items, keyOf: ({ id }) => id, scope, limitDefault: listLimitDefault });
  const team = teamOf(context);
  const channels = found.items.map((channel) => {
    const { is_member, ...shown } = shownChannel(team, channel, user.id);
    return counted && channel.kind !== 'im' ? { ...shown, is_member, num_members: channel.members.length } : shown;
  });
  return { ok: true, channels, ...metadataOf(found) };
}

export function getChannel(
  { channel: id, include_num_members = false }: { channel?: string; include_num_members?: boolean },
  context: Context,
): Shown {
  const user = callerOf(context);
  const channel = requireChannel(context, id, user);
  const read = findRow(context, 'reads', `${channel.id}:${user.id}`);
  const shown = {
    ...shownChannel(teamOf(context), channel, user.id),
    ...(isMember(channel, user.id) ? { last_read: read?.last_read ?? '0000000000.000000' } : {}),
    ...(include_num_members ? { num_members: channel.members.length } : {}),
  };
  return { ok: true, channel: shown };
}

/** Lower-case letters, digits, hyphens and underscores, and no channel has it yet, archived ones among them. */
function requireName(context: Context, wanted = ''): string {
  const name = wanted.replace(/^#/, '');
  if (name === '') refuse(context, 'INVALID_NAME_REQUIRED', 'A channel has a name.');
  if (name.length > nameCharsMax) refuse(context, 'INVALID_NAME_MAXLENGTH', `A name has ${nameCharsMax} characters at most.`);
  if (!/^[\p{Ll}\p{Lo}\p{N}_-]+$/u.test(name)) refuse(context, 'INVALID_NAME_SPECIALS', 'A name has lower-case letters, digits, - and _.');
  if (rowsWhere(context, 'channels', (row) => row.name === name).length > 0) refuse(context, 'NAME_TAKEN', `There is a channel ${name}.`);
  return name;
}
