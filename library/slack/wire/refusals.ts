// What is said to requests that become no call.
import type { RefusalInput, WireMessage } from 'drillyard/tool-sdk';

const words: { readonly [kind in RefusalInput['kind']]: string } = {
  unauthenticated: 'invalid_auth',
  not_found: 'unknown_method',
  method_not_allowed: 'invalid_post_type',
  unsupported_media_type: 'invalid_post_type',
  malformed: 'invalid_form_data',
  too_large: 'request_too_large',
  not_decoded: 'invalid_arguments',
};

export function refuseRequest({ kind, pathname, code, message }: RefusalInput): WireMessage {
  const method = kind === 'not_found' ? { req_method: pathname.replace(/^.*[/]/, '') } : {};
  const isUnserved = kind === 'not_found' || code === 'UNSUPPORTED';
  // For who wonders whether the request is wrong, or the method or argument only not there.
  const headers: { [name: string]: string } = isUnserved ? { 'x-drillyard-unsupported': '1' } : {};
  const reason = message.replace(/^The request does not fit route '[^']*': /, '');
  const why = kind === 'not_decoded' ? { response_metadata: { messages: [`[ERROR] ${reason}`] } } : {};
  return { headers, body: { kind: 'json', value: { ok: false, error: words[kind], ...method, ...why } } };
}
