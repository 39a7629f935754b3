// What the receiver `mail-events` gets, as JSON.
import type { CallbackInput, ToolBehavior, WireMessage } from 'drillyard/tool-sdk';
import { isoOf } from '../mail/dates.js';

export const callbacks: NonNullable<ToolBehavior['callbacks']> = {
  'message-arrived': { encode: notification },
  'message-bounced': { encode: notification },
};

/** The same on every attempt, so that a receiver can compare what it got. */
function notification({ deliveryId, event, payload, virtualTimeUs }: CallbackInput): WireMessage {
  return { body: { kind: 'json', value: { id: deliveryId, type: event.eventId, occurredAt: isoOf(virtualTimeUs), data: payload } } };
}
