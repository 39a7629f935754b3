// The workspace's rows and events as types. slack.tool.yaml is what is enforced; this is the same for the eye and the compiler. Members are
// called as the Web API calls them.
import type { Frozen, ToolBlob, ToolContext } from 'drillyard/tool-sdk';

export type ChannelKind = 'channel' | 'private' | 'im' | 'mpim';
export type Origin = 'actor' | 'scheduled' | 'counterpart' | 'person' | 'system';

export interface TeamRow {
  id: string;
  name: string;
  domain: string;
  email_domain: string;
  /** History and search show what is this old. */
  read_lag_us: number;
}
export interface UserRow {
  id: string;
  name: string;
  real_name: string;
  display_name: string;
  email: string | null;
  title: string;
  phone: string;
  status_text: string;
  status_emoji: string;
  status_expiration: number;
  tz: string;
  tz_label: string;
  tz_offset: number;
  bot_id: string | null;
  app_id: string | null;
  is_admin: boolean;
  is_owner: boolean;
  deleted: boolean;
  /** Whether the person is at the desk; `away` was set by hand. */
  online: boolean;
  away: boolean;
  updated: number;
}
export interface Note {
  value: string;
  creator: string;
  last_set: number;
}
export interface ChannelRow {
  id: string;
  kind: ChannelKind;
  name: string;
  creator: string;
  created: number;
  updated: number;
  is_archived: boolean;
  is_general: boolean;
  topic: Note;
  purpose: Note;
  previous_names: string[];
  members: string[];
  /** The time of the latest message, in microseconds: no two messages of a channel have one time. */
  latest_us: number;
}
export interface ReactionRow {
  name: string;
  users: string[];
}
export interface MessageRow {
  channel: string;
  ts: string;
  user: string;
  text: string;
  origin: Origin;
  subtype: string | null;
  /** Of a reply: the message that it answers. */
  parent_ts: string | null;
  broadcast: boolean;
  edited: { user: string; ts: string } | null;
  reactions: ReactionRow[];
  files: string[];
  /** Deleted, and there because of its replies. */
  tombstone: boolean;
  blocks?: unknown[] | undefined;
  attachments?: unknown[] | undefined;
  metadata?: unknown | undefined;
  username?: string | undefined;
}
export interface EphemeralRow {
  channel: string;
  ts: string;
  user: string;
  author: string;
  text: string;
}
export interface ScheduledRow {
  id: string;
  channel: string;
  user: string;
  text: string;
  parent_ts: string | null;
  broadcast: boolean;
  post_at: number;
  date_created: number;
  event: string;
  blocks?: unknown[] | undefined;
  attachments?: unknown[] | undefined;
}
export interface FileRow {
  id: string;
  /** What the upload's URL ends with. */
  upload: string;
  status: 'pending' | 'uploaded' | 'complete' | 'deleted';
  user: string;
  name: string;
  title: string;
  length: number;
  mimetype: string;
  alt_txt: string | null;
  created: number;
  shares: { channel: string; ts: string }[];
  blob: ToolBlob | null;
}
export interface PinRow {
  channel: string;
  ts: string;
  created: number;
  created_by: string;
}
export interface ReminderRow {
  id: string;
  creator: string;
  user: string;
  text: string;
  time: number;
  complete_ts: number;
  event: string;
}
/** Somebody who answers, or reacts to, what actors post. */
export interface CounterpartRow {
  id: string;
  user: string;
  /** Null: any channel that the person is in. */
  channel: string | null;
  /** In any case; null: whatever is said. */
  contains: string | null;
  /** Answers only what mentions the person, or is said in a direct message. */
  when_addressed: boolean;
  delay_us: number;
  jitter_us: number;
  text: string | null;
  reaction: string | null;
  in_thread: boolean;
  times: number | null;
  answered: number;
}
export interface ReadRow {
  channel: string;
  user: string;
  last_read: string;
}

/** What the Events API tells: `event` is the vendor's, the rest is for its envelope. */
export interface Told {
  team_id: string;
  api_app_id: string;
  bot_user_id: string;
  event: { [member: string]: unknown };
}
/** What a person of the workspace does, as a scenario has it. */
export interface Act {
  user: string;
  action: 'post' | 'edit' | 'delete' | 'react' | 'join' | 'leave' | 'kick' | 'archive' | 'unarchive';
  channel: string;
  text?: string;
  ts?: string;
  thread_ts?: string;
  reaction?: string;
  target?: string;
}
export interface SlackTypes {
  state: {
    team: TeamRow;
    users: UserRow;
    channels: ChannelRow;
    reads: ReadRow;
    messages: MessageRow;
    ephemerals: EphemeralRow;
    scheduled: ScheduledRow;
    files: FileRow;
    pins: PinRow;
    reminders: ReminderRow;
    counterparts: CounterpartRow;
    counters: { next: number };
  };
  events: {
    message: Told;
    app_mention: Told;
    reaction_added: Told;
    reaction_removed: Told;
    channel_created: Told;
    channel_rename: Told;
    channel_archive: Told;
    channel_unarchive: Told;
    member_joined_channel: Told;
    member_left_channel: Told;
    pin_added: Told;
    file_shared: Told;
    'scheduled-message.due': { id: string };
    'scheduled-message.failed': { id: string; channel: string; user: string; reason: string };
    'reminder.due': { id: string };
    'counterpart.due': { id: string; channel: string; ts: string };
    'person.acts': Act;
  };
}
export type Context = ToolContext<SlackTypes>;
export type EventsApiType = Exclude<keyof SlackTypes['events'], `${string}.${string}`>;

export type Team = Frozen<TeamRow>;
export type User = Frozen<UserRow>;
export type Channel = Frozen<ChannelRow>;
export type Message = Frozen<MessageRow>;
export type Scheduled = Frozen<ScheduledRow>;
export type File = Frozen<FileRow>;
export type Reminder = Frozen<ReminderRow>;
export type Counterpart = Frozen<CounterpartRow>;

/** A JSON object as the API shows it; members that are undefined are left out. */
export type Shown = { [member: string]: unknown };

export const slackbot = 'USLACKBOT';
export const secondUs = 1_000_000;
