// Requests that become no call, in GitHub's words.
import type { RefusalInput, WireMessage } from 'drillyard/tool-sdk';

const words: { readonly [kind: string]: string } = {
  unauthenticated: 'Bad credentials',
  not_found: 'Not Found',
  method_not_allowed: 'Not Found',
  unsupported_media_type: 'Unsupported Media Type',
  malformed: 'Problems parsing JSON',
  not_decoded: 'Problems parsing JSON',
  too_large: 'Payload too large',
};

export function refuse({ kind, message, status }: RefusalInput): WireMessage {
  const value = { message: words[kind] ?? message, documentation_url: 'https://docs.github.com/rest', status: String(status) };
  return { headers: { 'x-github-media-type': 'github.v3; format=json' }, body: { kind: 'json', value } };
}
