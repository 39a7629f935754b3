// Where a target wants the mounts of wire routes, and who can serve them there.
import { ServiceError } from '../errors.js';
import type { HttpMounts } from './target.js';

/** What strangers share has one listener and no names to give away. */
export function requirePathMounts({ httpMounts = 'path' }: { httpMounts?: HttpMounts }): void {
  if (httpMounts === 'path') return;
  throw new ServiceError('control.INVALID_REQUEST', {
    message: `A hosted service serves mounts below paths, and by no ${httpMounts} of their own: see httpMounts of the target.`,
  });
}
