// What a node of a cluster answers while something has no owner that could.
import { ServiceError } from './contract/errors.js';
import { newId } from './contract/ids.js';
import { limits } from './contract/limits.js';
import { errorReply } from './http/envelope.js';
import type { HttpReply } from './http/server.js';

/** The catalog's file has no reader between two owners. */
export function catalogMoving(): ServiceError {
  return new ServiceError('control.UNAVAILABLE', {
    message: 'This node does not have the catalog at the moment, so it knows nobody.',
    retryAfterMs: limits.unavailableRetryAfterMs,
  });
}

export function movedReply(): HttpReply {
  return errorReply(
    new ServiceError('control.UNAVAILABLE', {
      message: 'The leader of the cluster is changing. Whether this request was carried out is not known.',
      retryAfterMs: limits.unavailableRetryAfterMs,
    }),
    newId('corr'),
  );
}
