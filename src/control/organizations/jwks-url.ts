// Where the keys of an identity provider may come from: a party that can change them on their way can be anybody.
import { isLoopbackAddress } from '../../callbacks/addresses.js';
import { ServiceError } from '../../contract/errors.js';

/** Over https, or from this machine, where nobody is in between. */
export function isJwksUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  const host = hostname.replace(/^\[|\]$/g, '');
  return protocol === 'https:' || (protocol === 'http:' && (host === 'localhost' || isLoopbackAddress(host)));
}

export function requireJwksUrl(text: string): void {
  if (isJwksUrl(text)) return;
  throw new ServiceError('control.INVALID_REQUEST', {
    message: `The keys of the identity provider must come over https, or from this machine: ${text}`,
  });
}
