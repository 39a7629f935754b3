// What a node of a cluster answers while something has no owner that could.
import { ServiceError } from '../contract/errors.js';
import { newId } from '../contract/ids.js';
import { limits } from '../contract/limits.js';
import { errorReply } from '../http/envelope.js';
import type { HttpReply } from '../http/server.js';

export function movedReply(): HttpReply {
  return errorReply(
    new ServiceError('control.UNAVAILABLE', {
      message: 'Another node of the cluster has by now what this is about. Whether it was carried out is not known.',
      retryAfterMs: limits.unavailableRetryAfterMs,
    }),
    newId('corr'),
  );
}
