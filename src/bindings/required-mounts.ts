// Where an access wants its mounts, and whether they can be served there.
import { ServiceError } from '../contract/errors.js';
import type { BindingsPort, OpenAccess } from '../drills/ports/bindings-port.js';

/** Throws control.INVALID_REQUEST. */
export function requireMounts({ httpMounts = 'path' }: Pick<OpenAccess, 'httpMounts'>, served: BindingsPort['httpMounts']): void {
  if (served.has(httpMounts)) return;
  throw new ServiceError('control.INVALID_REQUEST', {
    message: `This service serves mounts by ${[...served].join(' or ')}, and by no ${httpMounts} of their own: see httpMounts of the target.`,
  });
}
