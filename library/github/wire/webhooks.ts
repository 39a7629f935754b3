// What a webhook of GitHub receives. The delivery's id is in `X-GitHub-Delivery`, the signature in `X-Hub-Signature-256`.
import type { CallbackInput, WireMessage } from 'drillyard/tool-sdk';

export const webhook = {
  encode: ({ event, payload }: CallbackInput): WireMessage => ({
    headers: {
      'X-GitHub-Event': event.eventId,
      'X-GitHub-Hook-ID': '480215',
      'X-GitHub-Hook-Installation-Target-Type': 'repository',
    },
    body: { kind: 'json', value: payload },
  }),
};
