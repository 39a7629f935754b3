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

export function refuseRequest({ kind, pathname }: RefusalInput): WireMessage {
  const method = kind === 'not_found' ? { req_method: pathname.replace(/^.*[/]/, '') } : {};
  // For who wonders whether the method is wrong, or only not there.
  const headers: { [name: string]: string } = kind === 'not_found' ? { 'x-drillyard-unsupported': '1' } : {};
  return { headers, body: { kind: 'json', value: { ok: false, error: words[kind], ...method } } };
}
