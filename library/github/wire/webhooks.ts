// What a webhook of GitHub receives. The delivery's id is in `X-GitHub-Delivery`, the signature in `X-Hub-Signature-256`.
import type { CallbackInput, JsonValue, WireMessage } from 'drillyard/tool-sdk';

export const webhook = {
  encode: ({ event, payload }: CallbackInput): WireMessage => ({
    headers: {
      'X-GitHub-Event': event.eventId,
      'X-GitHub-Hook-ID': '480215',
      'X-GitHub-Hook-Installation-Target-Type': 'repository',
      'X-GitHub-Hook-Installation-Target-ID': idOf(payload.repository),
      'User-Agent': 'GitHub-Hookshot/6d16f2a',
    },
    body: { kind: 'json', value: payload },
  }),
};

/** Every event says which repository it is of. */
const idOf = (repository: JsonValue | undefined): string => String((repository as { readonly id: number }).id);
