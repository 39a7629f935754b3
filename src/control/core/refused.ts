// A request that has its shape and does not fit what it is about.
import { type Issue, ServiceError } from '../../contract/errors.js';

export function refused(...issues: Issue[]): ServiceError {
  return new ServiceError('control.INVALID_REQUEST', { message: 'The request does not fit what it is about.', issues });
}
