// What each method takes over the wire. What Slack has beside is refused where it would change what comes of the call; everything else that a
// client sends is left out, as the API does it. The operations' own schemas are closed, so that a misspelled argument over MCP is refused.
// compat/arguments.ts holds these lists against the types of the client.
export const parameters = {
  'auth.test': [],
  'team.info': [],
  'conversations.create': ['name', 'is_private'],
  'conversations.archive': ['channel'],
  'conversations.unarchive': ['channel'],
  'conversations.rename': ['channel', 'name'],
  'conversations.list': ['types', 'exclude_archived', 'limit', 'cursor'],
  'conversations.info': ['channel', 'include_num_members'],
  'conversations.history': ['channel', 'oldest', 'latest', 'inclusive', 'limit', 'cursor'],
  'conversations.replies': ['channel', 'ts', 'oldest', 'latest', 'inclusive', 'limit', 'cursor'],
  'conversations.join': ['channel'],
  'conversations.leave': ['channel'],
  'conversations.invite': ['channel', 'users'],
  'conversations.kick': ['channel', 'user'],
  'conversations.members': ['channel', 'limit', 'cursor'],
  'conversations.open': ['users', 'channel', 'return_im', 'prevent_creation'],
  'conversations.mark': ['channel', 'ts'],
  'conversations.setTopic': ['channel', 'topic'],
  'conversations.setPurpose': ['channel', 'purpose'],
  'chat.postMessage': ['channel', 'text', 'blocks', 'attachments', 'metadata', 'thread_ts', 'reply_broadcast', 'username'],
  'chat.postEphemeral': ['channel', 'user', 'text', 'blocks', 'attachments', 'metadata'],
  'chat.meMessage': ['channel', 'text'],
  'chat.update': ['channel', 'ts', 'text', 'blocks', 'attachments', 'metadata'],
  'chat.delete': ['channel', 'ts'],
  'chat.getPermalink': ['channel', 'message_ts'],
  'chat.scheduleMessage': ['channel', 'post_at', 'text', 'blocks', 'attachments', 'metadata', 'thread_ts', 'reply_broadcast'],
  'chat.deleteScheduledMessage': ['channel', 'scheduled_message_id'],
  'chat.scheduledMessages.list': ['channel', 'oldest', 'latest', 'limit', 'cursor'],
  'reactions.add': ['channel', 'timestamp', 'name'],
  'reactions.remove': ['channel', 'timestamp', 'name'],
  'reactions.get': ['channel', 'timestamp', 'full'],
  'reactions.list': ['user', 'limit', 'cursor'],
  'users.list': ['limit', 'cursor'],
  'users.info': ['user'],
  'users.lookupByEmail': ['email'],
  'users.conversations': ['user', 'types', 'exclude_archived', 'limit', 'cursor'],
  'users.getPresence': ['user'],
  'users.setPresence': ['presence'],
  'users.profile.get': ['user'],
  'users.profile.set': ['profile', 'name', 'value', 'user'],
  'files.getUploadURLExternal': ['filename', 'length', 'alt_txt', 'alt_text'],
  'files.completeUploadExternal': ['files', 'channel_id', 'channels', 'initial_comment', 'thread_ts'],
  'files.info': ['file'],
  'files.list': ['channel', 'user', 'ts_from', 'ts_to', 'types', 'count', 'page'],
  'files.delete': ['file'],
  'pins.add': ['channel', 'timestamp'],
  'pins.remove': ['channel', 'timestamp'],
  'pins.list': ['channel'],
  'reminders.add': ['text', 'time', 'user'],
  'reminders.complete': ['reminder'],
  'reminders.delete': ['reminder'],
  'reminders.info': ['reminder'],
  'reminders.list': [],
  'search.messages': ['query', 'sort', 'sort_dir', 'count', 'page'],
} as const satisfies { readonly [method: string]: readonly string[] };

/** Arguments of Slack's without an effect in a workspace of a world: how a message looks, and a second workspace that is not there. */
export const withoutEffect = [
  ...['as_user', 'icon_url', 'icon_emoji', 'parse', 'link_names', 'unfurl_links', 'unfurl_media', 'mrkdwn', 'highlight', 'snippet_type'],
  ...['team_id', 'include_locale', 'include_labels', 'include_all_metadata', 'show_files_hidden_by_limit'],
] as const;

/** Arguments of Slack's that would change what comes of the call, and that the package has not. */
export const unserved = {
  'team.info': ['domain', 'team'],
  'conversations.invite': ['force'],
  'chat.postEphemeral': ['username', 'thread_ts'],
  'chat.update': ['file_ids', 'reply_broadcast'],
  'reactions.remove': ['file', 'file_comment'],
  'reactions.get': ['file', 'file_comment'],
  'reactions.list': ['full', 'count', 'page'],
  'files.completeUploadExternal': ['blocks'],
  'files.info': ['limit', 'cursor', 'count', 'page'],
  'reminders.add': ['recurrence'],
  'search.messages': ['cursor'],
} as const satisfies { readonly [method: string]: readonly string[] };

/** Text in Markdown is taken as the text. */
export const markdownMethods = ['chat.postMessage', 'chat.postEphemeral', 'chat.update', 'chat.scheduleMessage'] as const;
