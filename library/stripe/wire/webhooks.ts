// What a webhook endpoint receives: the event itself, the same bytes at every attempt.
import type { CallbackInput, WireMessage } from 'drillyard/tool-sdk';

export const eventWebhook = {
  encode: ({ payload }: CallbackInput): WireMessage => ({
    headers: { 'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)' },
    body: { kind: 'json', value: payload },
  }),
};
