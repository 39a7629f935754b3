// The envelopes of the Events API.
import type { CallbackInput, ToolBehavior, WireMessage } from 'drillyard/tool-sdk';
import type { Told } from '../workspace/model.js';

const secondUs = 1_000_000;
const types = [
  'message',
  'app_mention',
  'reaction_added',
  'reaction_removed',
  'channel_created',
  'channel_rename',
  'channel_archive',
  'channel_unarchive',
  'member_joined_channel',
  'member_left_channel',
  'pin_added',
  'file_shared',
] as const;

export const callbacks: NonNullable<ToolBehavior['callbacks']> = Object.fromEntries(types.map((type) => [type, { encode: envelope }]));

/** The body is the same at every attempt; only the headers count them. */
function envelope({ deliveryId, payload, virtualTimeUs, attempt }: CallbackInput): WireMessage {
  const { team_id, api_app_id, bot_user_id, event } = payload as unknown as Told;
  const value = {
    token: 'verification-token',
    team_id,
    api_app_id,
    event,
    type: 'event_callback',
    event_id: `Ev${deliveryId}`,
    event_time: Math.floor(virtualTimeUs / secondUs),
    authorizations: [{ enterprise_id: null, team_id, user_id: bot_user_id, is_bot: true, is_enterprise_install: false }],
    is_ext_shared_channel: false,
    event_context: `4-${deliveryId}`,
  };
  const retries: { [name: string]: string } =
    attempt > 1 ? { 'x-slack-retry-num': String(attempt - 1), 'x-slack-retry-reason': 'http_error' } : {};
  return { headers: { 'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)', ...retries }, body: { kind: 'json', value } };
}
