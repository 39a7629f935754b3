// Every route, asked for by the vendor's own client as it is. The client posts forms; what is asked for by GET, and the bytes of files, are
// asked for as the vendor's reference server for MCP and its users' programs do, with fetch.
import { type ConversationsListResponse, WebClient, type WebClientOptions } from '@slack/web-api';

export interface Served {
  readonly url: string;
  readonly token: string;
  advance(byUs: number): Promise<void>;
}

const quiet = { debug() {}, info() {}, warn() {}, error() {}, setLevel() {}, getLevel: () => 'error' as never, setName() {} };

export function clientOf({ url, token }: Pick<Served, 'url' | 'token'>, options: WebClientOptions = {}): WebClient {
  return new WebClient(token, { slackApiUrl: `${url}/api/`, logger: quiet, retryConfig: { retries: 0 }, ...options });
}

/** Asks for everything once, as somebody of the conformance project's world; throws where an answer is not what it has to be. */
export async function driveAll(served: Served): Promise<void> {
  const slack = clientOf(served);
  const me = await slack.auth.test();
  await slack.api.test({});
  await slack.team.info();
  const channel = await driveChannels(slack, String(me.user_id));
  const ts = await driveMessages(slack, channel, String(me.user_id));
  await driveReactions(slack, channel, ts);
  await driveUsers(slack, String(me.user_id));
  const file = await driveFiles(slack, channel);
  await driveReminders(slack);
  await slack.search.messages({ query: 'in:from-the-client hello' });
  await driveGets(served, { channel, ts, file, user: String(me.user_id) });
  await slack.files.delete({ file });
  await slack.conversations.archive({ channel });
  await slack.conversations.unarchive({ channel });
}

function expect(isTrue: boolean, what: string): asserts isTrue {
  if (!isTrue) throw new Error(`The client expected: ${what}.`);
}

async function driveChannels(slack: WebClient, me: string): Promise<string> {
  const channel = (await slack.conversations.create({ name: 'from-client' })).channel?.id ?? '';
  await slack.conversations.rename({ channel, name: 'from-the-client' });
  await slack.conversations.setTopic({ channel, topic: 'Clients' });
  await slack.conversations.setPurpose({ channel, purpose: 'To be driven' });
  const other =
    (await slack.users.list({})).members?.find((user) => user.is_bot === false && user.deleted === false && user.id !== me)?.id ?? '';
  await slack.conversations.invite({ channel, users: other });
  expect((await slack.conversations.members({ channel })).members?.length === 2, 'two members');
  await slack.conversations.kick({ channel, user: other });
  await slack.conversations.leave({ channel });
  await slack.conversations.join({ channel });
  const { channel: info } = await slack.conversations.info({ channel, include_num_members: true });
  expect(info?.topic?.value === 'Clients' && info.name === 'from-the-client' && info.num_members === 1, 'the channel as it was made');
  const pages: string[] = [];
  for await (const page of slack.paginate('conversations.list', { limit: 2 })) {
    const { channels = [] } = page as ConversationsListResponse;
    pages.push(...channels.map(({ id = '' }) => id));
  }
  expect(pages.includes(channel) && new Set(pages).size === pages.length, 'each channel on one page');
  await slack.conversations.open({ users: other, return_im: true });
  await slack.users.conversations({ types: 'public_channel,im' });
  return channel;
}

async function driveMessages(slack: WebClient, channel: string, me: string): Promise<string> {
  const posted = await slack.chat.postMessage({
    channel,
    text: 'hello',
    blocks: [{ type: 'section', text: { type: 'mrkdwn', text: 'hello' } }],
  });
  const ts = posted.ts ?? '';
  const reply = await slack.chat.postMessage({ channel, text: 'a reply', thread_ts: ts });
  await slack.chat.update({ channel, ts: reply.ts ?? '', text: 'a changed reply' });
  const { messages } = await slack.conversations.replies({ channel, ts });
  expect(messages?.[0]?.reply_count === 1 && messages[1]?.text === 'a changed reply', 'a thread of two');
  await slack.chat.meMessage({ channel, text: 'waves' });
  await slack.chat.postEphemeral({ channel, user: me, text: 'only you' });
  await slack.chat.getPermalink({ channel, message_ts: ts });
  const history = await slack.conversations.history({ channel, limit: 3 });
  expect(history.messages?.length === 3 && history.has_more === true, 'a page of three');
  await slack.conversations.mark({ channel, ts });
  const post_at = Number(ts.split('.')[0]) + 3600;
  const later = await slack.chat.scheduleMessage({ channel, text: 'later', post_at });
  const waiting = await slack.chat.scheduledMessages.list({ channel });
  expect(waiting.scheduled_messages?.[0]?.id === later.scheduled_message_id, 'a message that waits');
  await slack.chat.deleteScheduledMessage({ channel, scheduled_message_id: later.scheduled_message_id ?? '' });
  const gone = await slack.chat.postMessage({ channel, text: 'to be deleted' });
  await slack.chat.delete({ channel, ts: gone.ts ?? '' });
  await slack.pins.add({ channel, timestamp: ts });
  expect((await slack.pins.list({ channel })).items?.length === 1, 'one pin');
  await slack.pins.remove({ channel, timestamp: ts });
  return ts;
}

async function driveReactions(slack: WebClient, channel: string, timestamp: string): Promise<void> {
  await slack.reactions.add({ channel, timestamp, name: 'thumbsup' });
  await slack.reactions.add({ channel, timestamp, name: 'eyes' });
  await slack.reactions.remove({ channel, timestamp, name: 'eyes' });
  const { message } = await slack.reactions.get({ channel, timestamp });
  expect(message?.reactions?.length === 1 && message.reactions[0]?.count === 1, 'one reaction');
  await slack.reactions.list();
}

async function driveUsers(slack: WebClient, user: string): Promise<void> {
  const { user: found } = await slack.users.info({ user });
  await slack.users.lookupByEmail({ email: found?.profile?.email ?? '' });
  await slack.users.setPresence({ presence: 'away' });
  expect((await slack.users.getPresence({ user })).presence === 'away', 'to be away');
  await slack.users.profile.set({ profile: { status_text: 'Driving', status_emoji: ':car:' } });
  expect((await slack.users.profile.get({})).profile?.status_text === 'Driving', 'a status');
}

/** All three steps by `filesUploadV2`. */
async function driveFiles(slack: WebClient, channel_id: string): Promise<string> {
  const uploaded = await slack.filesUploadV2({
    channel_id,
    filename: 'notes.txt',
    content: 'Grüße',
    initial_comment: 'The notes',
    title: 'Notes',
  });
  const completed = (uploaded as { files?: { files?: { id?: string }[] }[] }).files;
  const file = completed?.[0]?.files?.[0]?.id ?? '';
  expect((await slack.files.info({ file })).file?.title === 'Notes', 'the file');
  expect((await slack.files.list({ channel: channel_id })).files?.length === 1, 'the file in its channel');
  return file;
}

async function driveReminders(slack: WebClient): Promise<void> {
  const added = await slack.reminders.add({ text: 'drive on', time: 'in 20 minutes' });
  const reminder = (added as { reminder?: { id?: string } }).reminder?.id ?? '';
  await slack.reminders.info({ reminder });
  await slack.reminders.complete({ reminder });
  await slack.reminders.list();
  await slack.reminders.delete({ reminder });
}

interface Known {
  readonly channel: string;
  readonly ts: string;
  readonly file: string;
  readonly user: string;
}

async function driveGets({ url, token }: Served, { channel, ts, file, user }: Known): Promise<void> {
  const get = async (path: string): Promise<Response> => {
    const reply = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
    expect(reply.status === 200, `200 of GET ${path}, not ${reply.status}`);
    return reply;
  };
  const ask = async (method: string, query: { [name: string]: string } = {}): Promise<{ [member: string]: unknown }> => {
    const body = (await (await get(`/api/${method}?${new URLSearchParams(query)}`)).json()) as { [member: string]: unknown };
    expect(body.ok === true, `ok of GET ${method}, not ${JSON.stringify(body)}`);
    return body;
  };
  for (const method of ['api.test', 'auth.test', 'team.info', 'conversations.list', 'users.list', 'users.conversations']) await ask(method);
  for (const method of ['conversations.info', 'conversations.history', 'conversations.members', 'pins.list'])
    await ask(method, { channel });
  await ask('conversations.replies', { channel, ts });
  await ask('chat.getPermalink', { channel, message_ts: ts });
  await ask('reactions.get', { channel, timestamp: ts });
  for (const method of ['chat.scheduledMessages.list', 'reactions.list', 'files.list', 'reminders.list']) await ask(method);
  for (const method of ['users.info', 'users.getPresence', 'users.profile.get']) await ask(method, { user });
  const { user: found } = (await ask('users.info', { user })) as { user: { profile: { email: string } } };
  await ask('users.lookupByEmail', { email: found.profile.email });
  await ask('search.messages', { query: 'hello' });
  const body = new URLSearchParams({ text: 'asked by GET', time: '600' });
  const headers = { authorization: `Bearer ${token}` };
  const added = (await (await fetch(`${url}/api/reminders.add`, { method: 'POST', headers, body })).json()) as { reminder: { id: string } };
  await ask('reminders.info', { reminder: added.reminder.id });
  const { upload_url } = await ask('files.getUploadURLExternal', { filename: 'a.bin', length: '3' });
  const sent = await fetch(String(upload_url), { method: 'POST', headers, body: new Uint8Array([1, 2, 3]) });
  expect((await sent.text()) === 'OK - 3', 'three bytes to have arrived');
  const { file: shown } = (await ask('files.info', { file })) as { file: { url_private: string } };
  expect(shown.url_private.startsWith(url), 'url_private to lead to the world');
  expect((await (await get(shown.url_private.slice(url.length))).text()) === 'Grüße', 'the bytes of the file');
}
