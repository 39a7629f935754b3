// `--receiver id=url`: where callbacks go. The secret of each comes from the environment, so that no command line shows it.
import type { CallbackReceivers } from '../callbacks/receivers.js';
import { ServiceError } from '../contract/errors.js';

/** `DRILLYARD_RECEIVER_SECRET_ORDER_HOOK` for `order-hook`. */
const secretVariable = (receiverId: string): string =>
  `DRILLYARD_RECEIVER_SECRET_${receiverId.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`;

/** control.INVALID_REQUEST, with what to do, for the first that is none. Undefined when there are none. */
export function receiversOf(
  flags: readonly string[],
  environment: { readonly [name: string]: string | undefined },
): CallbackReceivers | undefined {
  if (flags.length === 0) return undefined;
  return Object.fromEntries(flags.map((flag) => receiverOf(flag, environment)));
}

function receiverOf(flag: string, environment: { readonly [name: string]: string | undefined }): [string, CallbackReceivers[string]] {
  const [, receiverId, url] = /^([^=\s]+)=(.+)$/.exec(flag) ?? [];
  if (receiverId === undefined || url === undefined) {
    throw new ServiceError('control.INVALID_REQUEST', {
      message: `--receiver ${flag}: write it as id=url, such as order-hook=http://127.0.0.1:4000.`,
    });
  }
  const secret = environment[secretVariable(receiverId)];
  if (secret !== undefined && secret !== '') return [receiverId, { url, secret }];
  throw new ServiceError('control.INVALID_REQUEST', {
    message: `--receiver ${receiverId}: set ${secretVariable(receiverId)} to the secret with which its callbacks are signed.`,
  });
}
