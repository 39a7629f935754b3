// Whose failure a refusal of a world is: another's only interrupted what was asked, and it is asked again; its own is counted against it.
import { isServiceError, ServiceError } from '../../contract/errors.js';

/** Its host ended in a step of this very world (guarded-world.ts). */
export function ownFailure(cause: ServiceError): ServiceError {
  const { message, extra } = cause;
  return new ServiceError('world.ACTOR_RESTARTED', { ...extra, message, details: { ...extra.details, endedBy: 'this_world' }, cause });
}
export const isOwnFailure = (error: unknown): boolean =>
  isServiceError(error, 'world.ACTOR_RESTARTED') && error.extra.details?.endedBy === 'this_world';

/** A host was lost to another's failure, or stays down for a while: nothing is known against what was asked. */
export const isInterruption = (error: unknown): boolean =>
  isServiceError(error, 'world.ACTOR_RESTARTED', 'control.UNAVAILABLE') && !isOwnFailure(error);
