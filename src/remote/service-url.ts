// The way to a service: where it is, what is said when it does not answer, and its refusals as ours.
import { isLoopbackAddress } from '../callbacks/addresses.js';
import type { ControlError } from '../client/control-error.js';
import { defined } from '../contract/defined.js';
import { type ErrorCode, errorTable, ServiceError } from '../contract/errors.js';
import { tuning } from './tuning.js';

/** Scheme, host and port. control.INVALID_REQUEST for what says more, and for what would send a credential over a network in the clear. */
export function requireServiceUrl(text: string): string {
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  const host = parsed?.hostname.replace(/^\[|\]$/g, '') ?? '';
  const isLocal = host === 'localhost' || isLoopbackAddress(host);
  if (parsed?.protocol === 'https:' || (parsed?.protocol === 'http:' && isLocal)) {
    const { origin, pathname, search, hash, username, password } = parsed;
    if ([search, hash, username, password].every((part) => part === '') && pathname === '/') return origin;
    // A password is not repeated.
    throw new ServiceError('control.INVALID_REQUEST', {
      message: `The URL of a service is its scheme, host and port, as ${origin}: no path, query, user or password belongs to it.`,
    });
  }
  throw new ServiceError('control.INVALID_REQUEST', {
    message: `The service is at ${JSON.stringify(text)}; it must be an https:// URL, or http:// on this machine, as a credential is sent to it.`,
  });
}

/** What fetch says of a service that does not answer is no help. A TypeError as fetch throws it, so that the client tries again. */
export function reachingFetch(baseUrl: string): typeof globalThis.fetch {
  return async (input, init) => {
    try {
      return await fetch(input, init);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException;
      throw new TypeError(`The service at ${baseUrl} does not answer (${code ?? message}). Is it running, and is its URL right?`, {
        cause: error,
      });
    }
  };
}

/** A refusal of the service by its code; of one that is not known, control.UNAVAILABLE. */
export function refusalOf({ envelope }: ControlError): ServiceError {
  const { code, message, issues, details, retryAfterMs } = envelope;
  const words = [message, ...(issues ?? []).slice(0, tuning.issuesListed).map((issue) => `${issue.path} ${issue.message}`)]
    .join(' ')
    // In one line: it may come to stand among others that are read by a machine.
    .replace(/[\r\n]+/g, ' ');
  return new ServiceError(Object.hasOwn(errorTable, code) ? (code as ErrorCode) : 'control.UNAVAILABLE', {
    message: words,
    ...defined({ issues, details, retryAfterMs }),
  });
}
